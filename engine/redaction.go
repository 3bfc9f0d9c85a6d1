package engine

import (
	"context"
	"database/sql/driver"

	"github.com/duckdb/duckdb-go/v2"

	"hindsql/engine/sandbox"
)

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
	in := r.s.in
	in.redaction.Do(func() {
		in.redactionErr = duckdb.RegisterScalarUDF(in.conn, "hindsql_redact", &function{
			arguments: []duckdb.Type{duckdb.TYPE_VARCHAR, duckdb.TYPE_BOOLEAN}, call: redact, counts: true,
		})
	})
	return context.WithValue(ctx, redactionKey{}, redactor(f)), in.redactionErr
}

// Redacted is [sandbox.Redacted], for SQL under [Reading.Redacting].
func Redacted(name, duckType string) string { return sandbox.Redacted(name, duckType) }
