package engine

import (
	"context"
	"database/sql"
	"database/sql/driver"

	"github.com/duckdb/duckdb-go/v2"
)

// redaction is the SQL function hindsql_redact(text, is_json).
type redaction struct{ redactor Redactor }

func (r *redaction) register(conn *sql.Conn) error {
	return duckdb.RegisterScalarUDF(conn, "hindsql_redact", &function{
		arguments: []duckdb.Type{duckdb.TYPE_VARCHAR, duckdb.TYPE_BOOLEAN}, call: r.call, counts: true,
	})
}

func (r *redaction) call(_ context.Context, values []driver.Value) (any, error) {
	return r.redactor.Redact(values[0].(string), values[1].(bool)), nil
}
