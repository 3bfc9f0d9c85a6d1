package engine

import (
	"context"
	"database/sql/driver"

	"github.com/duckdb/duckdb-go/v2"
)

// redactionKey is where a statement's context keeps what replaces secrets.
type redactionKey struct{}

// redactor replaces the secrets of a text, or of a JSON value.
type redactor func(text string, isJSON bool) string

// redact is the SQL function hindsql_redact(text, is_json), by the redactor of
// the statement that calls it.
func redact(ctx context.Context, values []driver.Value) (any, error) {
	return ctx.Value(redactionKey{}).(redactor)(values[0].(string), values[1].(bool)), nil
}

// Redacting gives a context under which SQL can call hindsql_redact(text, is_json),
// which replaces secrets by f. Several goroutines call f at once.
func (r *Reading) Redacting(ctx context.Context, f func(text string, isJSON bool) string) (context.Context, error) {
	st := r.s.store
	st.redaction.Do(func() {
		st.redactionErr = duckdb.RegisterScalarUDF(st.conn, "hindsql_redact", &function{
			arguments: []duckdb.Type{duckdb.TYPE_VARCHAR, duckdb.TYPE_BOOLEAN}, call: redact, counts: true,
		})
	})
	return context.WithValue(ctx, redactionKey{}, redactor(f)), st.redactionErr
}
