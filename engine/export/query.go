package export

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strings"

	"hindsql/engine"
	"hindsql/internal/result"
	"hindsql/internal/sqltext"
)

// queryItem exports a query's result. The query runs once, so that the files hold
// the rows that were fingerprinted.
func (e *exporting) queryItem(ctx context.Context) (*item, error) {
	columns, err := e.reading.Keep(ctx, exportedQuery, e.Query.Name, e.Query.SQL, e.Query.Args)
	if err != nil {
		return nil, err
	}
	if columns, err = e.redactQuery(ctx, columns); err != nil {
		return nil, err
	}
	if err := cmp.Or(e.checkColumns(columns), e.checkFolders(ctx)); err != nil {
		return nil, err
	}
	zone, err := e.zone(ctx)
	if err != nil {
		return nil, err
	}
	it := &item{name: e.Query.Name, extension: "." + e.Format, keys: e.PartitionBy, rows: "FROM " + exportedQuery, options: e.record(zone)}
	plain := e.Options
	plain.Redact = nil // the rows are already
	it.copy = func(ctx context.Context, path, where string) error {
		// In the query's own order, which DuckDB keeps.
		statement := fmt.Sprintf("SELECT %s FROM %s%s", strings.Join(plain.columns(columns), ", "), exportedQuery, where)
		return e.copyTo(ctx, statement, path, e.copyOptions(it.keys, keyValues("hindsql.query", e.clean(e.Query.SQL))))
	}
	return it, nil
}

// redactQuery replaces secrets in the rows that are kept of the query, and in the
// names of its columns, before anything is made of them: folders of partitions
// are named by values.
func (e *exporting) redactQuery(ctx context.Context, columns []result.Column) ([]result.Column, error) {
	if e.Redact == nil {
		return columns, nil
	}
	const redactedQuery = "hindsql_redacted_query"
	list, used := make([]string, len(columns)), map[string]bool{}
	for i, c := range columns {
		list[i] = sqltext.Identifier(c.Name)
		if isText(c.Type) {
			list[i] = engine.Redacted(list[i], c.Type)
		}
		columns[i].Name = e.distinct(c.Name, used)
		list[i] += " AS " + sqltext.Identifier(columns[i].Name)
	}
	return columns, cmp.Or(
		e.reading.Exec(ctx, fmt.Sprintf("CREATE OR REPLACE TEMP TABLE %s AS SELECT %s FROM %s", redactedQuery, strings.Join(list, ", "), exportedQuery)),
		e.reading.Exec(ctx, "DROP TABLE "+exportedQuery),
		e.reading.Exec(ctx, fmt.Sprintf("ALTER TABLE temp.main.%s RENAME TO %s", redactedQuery, exportedQuery[strings.LastIndex(exportedQuery, ".")+1:])))
}

// noSecret are names of columns that are too short and plain for one.
var noSecret = regexp.MustCompile(`^[a-z_][a-z0-9_]{0,15}$`)

// distinct is a column's name without secrets, and not used before: DuckDB names a
// column by its expression.
func (o *Options) distinct(name string, used map[string]bool) string {
	if !noSecret.MatchString(name) {
		name = o.clean(name)
	}
	distinct := name
	for n := 1; used[distinct]; n++ {
		distinct = fmt.Sprintf("%s_%d", name, n)
	}
	used[distinct] = true
	return distinct
}

// checkFolders refuses partitions by what is null in some rows: a folder has to
// have a name, and the one that stands for null is an error to some readers.
func (e *exporting) checkFolders(ctx context.Context) error {
	for _, key := range e.PartitionBy {
		var rows int64
		query := fmt.Sprintf("SELECT count(*) FROM %s WHERE %s IS NULL", exportedQuery, sqltext.Identifier(key))
		if err := e.reading.Each(ctx, query, func(scan func(...any) error) error { return scan(&rows) }); err != nil {
			return err
		}
		if rows > 0 {
			return fmt.Errorf("partition by %s: it is null in %d rows, for which no folder can be named; write coalesce(%[1]s, …) in the query", key, rows)
		}
	}
	return nil
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
