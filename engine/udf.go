package engine

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"strings"

	"github.com/duckdb/duckdb-go/v2"

	"hindsql/engine/loglines"
	"hindsql/internal/sqltext"
	"hindsql/readers"
	"hindsql/tables"
)

// makeFunctions makes the Go functions for the tables' macros and lists.
func (in *instance) makeFunctions() error {
	paths := in.logPaths
	if !in.from.hasLogs() {
		paths = func(context.Context) (map[int64]string, error) { return map[int64]string{}, nil } // no log is read
	}
	logs := loglines.New(in.at, paths, in.disks.openLine)
	return registerFunctions(in.conn, logs.Call, in.list)
}

// registerFunctions registers what SQL can't express. line gives lines of logs, and list
// the rows of lists, see [tables.Lists].
func registerFunctions(conn *sql.Conn, line, list duckdb.RowContextExecutorFn) error {
	const text, number = duckdb.TYPE_VARCHAR, duckdb.TYPE_BIGINT
	return errors.Join(
		duckdb.RegisterScalarUDF(conn, "unified_diff", &function{arguments: []duckdb.Type{text, text}, call: unifiedDiff}),
		duckdb.RegisterScalarUDF(conn, "log_line", &function{arguments: []duckdb.Type{number, number}, call: line}),
		duckdb.RegisterScalarUDF(conn, "listed_rows", &function{arguments: []duckdb.Type{text}, call: list, counts: true}))
}

// createMacros makes the macros that need only DuckDB, in the attached store. The
// store's schema must be in use, because DuckDB looks up the names in a macro.
func createMacros(ctx context.Context, conn *sql.Conn, worktrees tables.Worktrees, list []*readers.Reader) error {
	var ddl strings.Builder
	for _, m := range tables.Macros() {
		ddl.WriteString(withResume(m.StoredDDL("store.main", tables.Schema), list) + ";\n")
	}
	_, err := conn.ExecContext(ctx, worktrees.In(ddl.String()))
	return err
}

// worktrees returns the places that identify a worktree, for views and functions.
func (in *instance) worktrees() tables.Worktrees {
	return readers.WorktreesOf(in.settings.get().Readers)
}

// withResume fills the agents' resume commands into the statement of a function.
func withResume(ddl string, list []*readers.Reader) string {
	var cases strings.Builder
	for _, r := range list {
		if r.Resume != "" {
			cases.WriteString(" WHEN " + sqltext.Literal(r.Agent) + " THEN " + sqltext.Literal(r.Resume))
		}
	}
	return strings.Replace(ddl, "{resume}", cases.String(), 1)
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

func unifiedDiff(_ context.Context, values []driver.Value) (any, error) {
	return tables.UnifiedDiff(values[0].(string), values[1].(string)), nil
}

// logPaths returns the paths of the logs by source_id. The path is "" for logs of
// another machine, for logs with lines of forgotten sessions, and for parts, because the
// content of a part is on no line of its file. logPaths uses a separate connection,
// because a statement runs on the session's.
func (in *instance) logPaths(ctx context.Context) (map[int64]string, error) {
	paths := map[int64]string{}
	const query = "SELECT source_id, if(machine = ? AND part IS NULL AND source_id NOT IN (SELECT source_id FROM " + StoreSchema + ".forgotten_logs), path, '') FROM " + StoreSchema + ".sources"
	err := in.each(ctx, query, func(scan func(...any) error) error {
		var id int64
		var path string
		err := scan(&id, &path)
		paths[id] = path
		return err
	}, in.settings.get().machine())
	return paths, err
}
