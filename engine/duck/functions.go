package duck

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"

	"github.com/duckdb/duckdb-go/v2"

	"hindsql/tables"
)

// Functions are the Go functions that SQL calls.
type Functions struct {
	// Line returns a line of a log as a string, nil if there is none. The values are the
	// log's source id, and the line's number from 1 on.
	Line func(ctx context.Context, values []driver.Value) (any, error)
	// List returns the rows of a list other than tables as JSON, see [tables.Lists].
	List func(ctx context.Context, name string) (string, error)
}

// Register registers the Go functions for the tables' macros and lists, on any DuckDB.
func (d *DB) Register(conn *sql.Conn) error {
	const text, number = duckdb.TYPE_VARCHAR, duckdb.TYPE_BIGINT
	diff := func(_ context.Context, values []driver.Value) (any, error) {
		return tables.UnifiedDiff(values[0].(string), values[1].(string)), nil
	}
	return errors.Join(
		duckdb.RegisterScalarUDF(conn, "unified_diff", &function{arguments: []duckdb.Type{text, text}, call: diff}),
		duckdb.RegisterScalarUDF(conn, "log_line", &function{arguments: []duckdb.Type{number, number}, call: d.functions.Line}),
		duckdb.RegisterScalarUDF(conn, "listed_rows", &function{arguments: []duckdb.Type{text}, call: d.list, counts: true}))
}

// list is the SQL function listed_rows. Each DuckDB counts the rows that it holds itself.
func (d *DB) list(ctx context.Context, arguments []driver.Value) (any, error) {
	if name := arguments[0].(string); name != tables.ListOfTables {
		return d.functions.List(ctx, name)
	}
	counts := map[string]any{}
	err := d.Each(ctx, tables.ListCounts("memory."+Names), func(scan func(...any) error) error {
		var name string
		var n int64
		err := scan(&name, &n)
		counts[name] = n
		return err
	})
	if err != nil {
		return "", err
	}
	return tables.ListText(tables.ListOfTables, tables.TableRows(counts))
}

// function is a Go function for SQL. It returns a VARCHAR, and NULL if any argument is
// NULL.
type function struct {
	arguments []duckdb.Type
	call      duckdb.RowContextExecutorFn
	counts    bool // calls are counted, so DuckDB must call the function for each row
}

// Config returns the types of the arguments and the result.
func (f *function) Config() duckdb.ScalarFuncConfig {
	var config duckdb.ScalarFuncConfig
	for _, t := range append(f.arguments, duckdb.TYPE_VARCHAR) {
		info, err := duckdb.NewTypeInfo(t)
		if err != nil {
			panic(err) // only types that need more than a name fail
		}
		config.InputTypeInfos = append(config.InputTypeInfos, info)
	}
	n := len(f.arguments)
	config.InputTypeInfos, config.ResultTypeInfo = config.InputTypeInfos[:n], config.InputTypeInfos[n]
	config.Volatile = f.counts
	return config
}

// Executor returns the function that DuckDB calls for each row.
func (f *function) Executor() duckdb.ScalarFuncExecutor {
	return duckdb.ScalarFuncExecutor{RowContextExecutor: f.call}
}

// redactionKey is the context key of a statement's redactor.
type redactionKey struct{}

// redactor replaces the secrets of a text, or of a JSON value.
type redactor func(text string, isJSON bool) string

// redact implements the SQL function hindsql_redact(text, is_json) with the redactor of
// the calling statement. Some texts take long, so a statement that was stopped ends
// between two texts: DuckDB itself looks at the end of a chunk only.
func redact(ctx context.Context, values []driver.Value) (any, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return ctx.Value(redactionKey{}).(redactor)(values[0].(string), values[1].(bool)), nil
}

// Redacting returns a context for SQL that calls hindsql_redact(text, is_json). The
// function replaces secrets by f. Several goroutines call f at once.
func (r *Reading) Redacting(ctx context.Context, f func(text string, isJSON bool) string) (context.Context, error) {
	d := r.s.db
	d.redaction.Do(func() {
		d.redactionErr = duckdb.RegisterScalarUDF(d.conn, "hindsql_redact", &function{
			arguments: []duckdb.Type{duckdb.TYPE_VARCHAR, duckdb.TYPE_BOOLEAN}, call: redact, counts: true,
		})
	})
	return context.WithValue(ctx, redactionKey{}, redactor(f)), d.redactionErr
}
