package engine

import (
	"context"
	"fmt"
	"strings"
)

// queryItem exports a query's result. It is run once, so that what is written
// is what was looked at.
func (s *Session) queryItem(ctx context.Context, o ExportOptions) (*exportItem, error) {
	pieces := statements(o.Query.SQL)
	if len(pieces) != 1 || !selects.MatchString(pieces[0].text) {
		return nil, fmt.Errorf("%s: one statement that gives rows is exported", o.Query.Name)
	}
	if _, err := s.parameters(ctx, pieces[0].placed()); err != nil {
		return nil, err // which shows the user's own lines
	}
	bound, err := s.bind(ctx, pieces[0].text, o.Query.Args)
	if err != nil {
		return nil, err
	}
	s.dropQuery(ctx)
	if _, err := s.conn.ExecContext(ctx, fmt.Sprintf("CREATE TEMP TABLE %s AS %s", exportedQuery, pieces[0].text), bound...); err != nil {
		return nil, sqlError(ctx, err)
	}
	columns := s.describe(ctx, "FROM "+exportedQuery, nil)
	if err := o.checkColumns(columns); err != nil {
		return nil, err
	}
	zone, err := s.zone(ctx)
	if err != nil {
		return nil, err
	}
	item := &exportItem{name: o.Query.Name, extension: "." + o.Format, keys: o.PartitionBy, rows: "FROM " + exportedQuery, options: o.record(zone)}
	item.copy = func(ctx context.Context, path, where string) error {
		// In the query's own order, which DuckDB keeps.
		statement := fmt.Sprintf("SELECT %s FROM %s%s", strings.Join(o.columns(columns), ", "), exportedQuery, where)
		return s.copyTo(ctx, statement, path, o.copyOptions(item.keys, keyValues("hindsql.query", o.Query.SQL)))
	}
	return item, nil
}

func (o *ExportOptions) checkColumns(columns []Column) error {
	var names []string
	for _, c := range columns {
		names = append(names, c.Name)
		if o.Redact != nil && !isText(c.Type) && textInside.MatchString(c.Type) {
			return fmt.Errorf("column %s: secrets inside a %s are not found; select it as JSON or VARCHAR", c.Name, c.Type)
		}
	}
	return o.checkKeys(names, strings.Join(names, ", "))
}
