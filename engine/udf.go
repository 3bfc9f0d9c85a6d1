package engine

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"strings"

	"github.com/duckdb/duckdb-go/v2"

	"hindsql/internal/sqltext"
	"hindsql/readers"
	"hindsql/tables"
)

// makeFunctions makes what the macros of tables need that SQL has no words for.
func (in *instance) makeFunctions(ctx context.Context) error {
	logs := &logLines{paths: in.logPaths, open: in.disks.openLine, files: map[int64]*lineIndex{}}
	functions := map[string]*function{
		"unified_diff":   {arguments: []duckdb.Type{duckdb.TYPE_VARCHAR, duckdb.TYPE_VARCHAR}, call: unifiedDiff},
		"log_line":       {arguments: []duckdb.Type{duckdb.TYPE_BIGINT, duckdb.TYPE_BIGINT}, call: logs.call},
		"report_journal": {arguments: []duckdb.Type{duckdb.TYPE_VARCHAR}, call: in.journalLines},
	}
	if !in.from.hasLogs() {
		logs.paths = func(context.Context) (map[int64]string, error) { return map[int64]string{}, nil } // no log is read
	}
	for name, f := range functions {
		if err := duckdb.RegisterScalarUDF(in.conn, name, f); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// createMacros makes in the attached store what DuckDB alone can do of the
// functions. The store's schema has to be in use: DuckDB looks what they name up.
func createMacros(ctx context.Context, conn *sql.Conn, worktrees tables.Worktrees, list []*readers.Reader) error {
	var ddl strings.Builder
	for _, m := range tables.Macros() {
		ddl.WriteString(withResume(m.StoredDDL("store.main", tables.Schema), list) + ";\n")
	}
	_, err := conn.ExecContext(ctx, worktrees.In(ddl.String()))
	return err
}

// worktrees are the places that views and functions know worktrees by.
func (in *instance) worktrees() tables.Worktrees {
	return readers.WorktreesOf(in.settings.get().Readers)
}

// withResume fills the agents' own commands into the statement of a function.
func withResume(ddl string, list []*readers.Reader) string {
	var cases strings.Builder
	for _, r := range list {
		if r.Resume != "" {
			cases.WriteString(" WHEN " + sqltext.Literal(r.Agent) + " THEN " + sqltext.Literal(r.Resume))
		}
	}
	return strings.Replace(ddl, "{resume}", cases.String(), 1)
}

// function is a function in Go that gives a VARCHAR, NULL when any argument is.
type function struct {
	arguments []duckdb.Type
	call      duckdb.RowContextExecutorFn
	counts    bool // what it does with a row is counted: DuckDB calls it for each
}

// Config gives the types of arguments and result.
func (f *function) Config() duckdb.ScalarFuncConfig {
	var config duckdb.ScalarFuncConfig
	for _, t := range append(f.arguments, duckdb.TYPE_VARCHAR) {
		info, err := duckdb.NewTypeInfo(t)
		if err != nil {
			panic(err) // only types that need more than their name have one
		}
		config.InputTypeInfos = append(config.InputTypeInfos, info)
	}
	n := len(f.arguments)
	config.InputTypeInfos, config.ResultTypeInfo = config.InputTypeInfos[:n], config.InputTypeInfos[n]
	config.Volatile = f.counts
	return config
}

// Executor gives what is called for each row.
func (f *function) Executor() duckdb.ScalarFuncExecutor {
	return duckdb.ScalarFuncExecutor{RowContextExecutor: f.call}
}

func unifiedDiff(_ context.Context, values []driver.Value) (any, error) {
	return tables.UnifiedDiff(values[0].(string), values[1].(string)), nil
}

// logPaths gives the paths of the logs by source_id, "" for those of another
// machine, and for parts: what a part holds stands on no line of its file. It
// asks on a connection of its own, as a statement runs on the session's.
func (in *instance) logPaths(ctx context.Context) (map[int64]string, error) {
	paths := map[int64]string{}
	const query = "SELECT source_id, if(machine = ? AND part IS NULL, path, '') FROM " + StoreSchema + ".sources"
	err := in.each(ctx, query, func(scan func(...any) error) error {
		var id int64
		var path string
		err := scan(&id, &path)
		paths[id] = path
		return err
	}, in.settings.get().machine())
	return paths, err
}
