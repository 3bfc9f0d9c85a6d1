package export

import (
	"context"
	"fmt"
	"strings"

	"hindsql/engine/result"
)

// queryItem exports a query's result. The query runs once, so that the files hold
// the rows that were fingerprinted.
func (e *exporting) queryItem(ctx context.Context) (*item, error) {
	columns, err := e.Keep(ctx, exportedQuery, e.Query.Name, e.Query.SQL, e.Query.Args)
	if err != nil {
		return nil, err
	}
	if err := e.checkColumns(columns); err != nil {
		return nil, err
	}
	zone, err := e.zone(ctx)
	if err != nil {
		return nil, err
	}
	it := &item{name: e.Query.Name, extension: "." + e.Format, keys: e.PartitionBy, rows: "FROM " + exportedQuery, options: e.record(zone)}
	it.copy = func(ctx context.Context, path, where string) error {
		// In the query's own order, which DuckDB keeps.
		statement := fmt.Sprintf("SELECT %s FROM %s%s", strings.Join(e.columns(columns), ", "), exportedQuery, where)
		return e.copyTo(ctx, statement, path, e.copyOptions(it.keys, keyValues("hindsql.query", e.Query.SQL)))
	}
	return it, nil
}

func (o *Options) checkColumns(columns []result.Column) error {
	var names []string
	for _, c := range columns {
		names = append(names, c.Name)
		if o.Redact != nil && !isText(c.Type) && textInside.MatchString(c.Type) {
			return fmt.Errorf("column %s: secrets inside a %s are not found; select it as JSON or VARCHAR", c.Name, c.Type)
		}
	}
	return o.checkKeys(names, strings.Join(names, ", "))
}
