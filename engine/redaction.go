package engine

import (
	"database/sql"
	"database/sql/driver"

	"github.com/duckdb/duckdb-go/v2"
)

// redaction is the SQL function hindsql_redact(text, is_json).
type redaction struct{ redactor Redactor }

func (f *redaction) register(conn *sql.Conn) error {
	return duckdb.RegisterScalarUDF(conn, "hindsql_redact", f)
}

// Config is the function's signature. It counts what it does, so DuckDB must
// call it for every row.
func (f *redaction) Config() duckdb.ScalarFuncConfig {
	text, err := duckdb.NewTypeInfo(duckdb.TYPE_VARCHAR)
	if err != nil {
		panic(err)
	}
	truth, err := duckdb.NewTypeInfo(duckdb.TYPE_BOOLEAN)
	if err != nil {
		panic(err)
	}
	return duckdb.ScalarFuncConfig{InputTypeInfos: []duckdb.TypeInfo{text, truth}, ResultTypeInfo: text, Volatile: true}
}

// Executor is what the function does with a row's values, none of them null.
func (f *redaction) Executor() duckdb.ScalarFuncExecutor {
	return duckdb.ScalarFuncExecutor{RowExecutor: func(values []driver.Value) (any, error) {
		return f.redactor.Redact(values[0].(string), values[1].(bool)), nil
	}}
}
