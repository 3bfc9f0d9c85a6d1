package export

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"hindsql/engine"
	"hindsql/internal/pattern"
	"hindsql/internal/result"
	"hindsql/internal/sqltext"
)

// queryItem exports a query's result. The query runs only once, so the files contain
// exactly the fingerprinted rows.
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
	plain.Redact = nil // the kept rows are already redacted
	it.copy = func(ctx context.Context, path, where string) error {
		// DuckDB keeps the query's order.
		statement := fmt.Sprintf("SELECT %s FROM %s%s", strings.Join(plain.columns(columns), ", "), exportedQuery, where)
		return e.copyTo(ctx, statement, path, e.copyOptions(it.keys, keyValues("hindsql.query", e.clean(e.Query.SQL))))
	}
	return it, nil
}

// redactQuery replaces secrets in the kept rows of the query, and in the names of its
// columns. It runs first, because partition folders are named after values.
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

// noSecret matches column names that are too short and plain for a secret.
var noSecret = pattern.Lazy(`^[a-z_][a-z0-9_]{0,15}$`)

// distinct returns a column's name, redacted and unique. A column's name may be the SQL
// of its expression.
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

// checkFolders returns an error if a partition column is null in some rows. Such rows
// have no usable folder name: some readers reject DuckDB's name for null.
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
