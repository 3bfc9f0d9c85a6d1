package engine

import (
	"context"
	"database/sql/driver"

	"github.com/duckdb/duckdb-go/v2"
)

// redactorKey is where a statement's context keeps the Redactor.
type redactorKey struct{}

// redact is the SQL function hindsql_redact(text, is_json), by the redactor of
// the statement that calls it.
func redact(ctx context.Context, values []driver.Value) (any, error) {
	return ctx.Value(redactorKey{}).(Redactor).Redact(values[0].(string), values[1].(bool)), nil
}

// withRedactor has SQL that runs under the context call r.
func (st *Store) withRedactor(ctx context.Context, r Redactor) (context.Context, error) {
	if r == nil {
		return ctx, nil
	}
	st.redaction.Do(func() {
		st.redactionErr = duckdb.RegisterScalarUDF(st.conn, "hindsql_redact", &function{
			arguments: []duckdb.Type{duckdb.TYPE_VARCHAR, duckdb.TYPE_BOOLEAN}, call: redact, counts: true,
		})
	})
	return context.WithValue(ctx, redactorKey{}, r), st.redactionErr
}
