package engine

import (
	"context"
	"database/sql/driver"
	"fmt"

	"github.com/duckdb/duckdb-go/v2"

	"hindsql/engine/sandbox"
	"hindsql/internal/sqltext"
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

// Redacted returns the SQL of a column with its secrets replaced, under
// [Reading.Redacting], also in lists and structs. For a column without text, or with
// texts in a MAP, UNION or ENUM, it returns the name. Column agent joins tables, so a
// value that looks like an agent's name stays.
func Redacted(name, duckType string) string {
	if name == sqltext.Identifier("agent") && duckType == "VARCHAR" {
		return "CASE WHEN regexp_full_match(agent, '[a-z0-9_-]{1,20}') THEN agent ELSE hindsql_redact(agent, false) END"
	}
	return sandbox.EachText(name, duckType, func(text string, isJSON bool) string {
		if isJSON {
			return fmt.Sprintf("CAST(hindsql_redact(CAST(%s AS VARCHAR), true) AS JSON)", text)
		}
		return fmt.Sprintf("hindsql_redact(%s, false)", text)
	})
}
