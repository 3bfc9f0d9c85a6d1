package duck

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"hindsql/engine/sqlerror"
	"hindsql/internal/sqltext"
	"hindsql/readers"
	"hindsql/tables"
)

// Names is the schema in the session's memory with the views and functions that
// users call by their plain names. The schema stands last on the search path, to let a
// user's table of the same name win.
const Names = "hindsql_session"

// makeNames makes the views and functions that users call (the names), in DuckDB's
// memory, once. The search path can't use those in the store's file: the store is
// detached after each statement, and DuckDB finds nothing at all while a database on
// its search path is missing.
func (d *DB) makeNames(ctx context.Context) error {
	if err := d.Register(d.conn); err != nil {
		return err
	}
	return d.Exec(ctx, NamesDDL(d.Config().Readers))
}

// NamesPath puts our names on a connection's search path.
const NamesPath = "SET search_path = 'memory.main,memory." + Names + ",memory." + tables.WithCopies + "'"

// storeNames is the search path to the views and functions in the store's file. They
// are for people who open the file in DuckDB without hindsql. The path works while the
// store is attached.
const storeNames = "memory.main,store.main"

// ownWords are words of SQL that storeNames can't serve: with it, the SQL fails or has
// a different result. They stand for macros that call hindsql's Go functions, and for
// SQL that lists tables or schemas.
var ownWords = []string{"raw", "diff", "resume", "report_runs", "with_copies", "duckdb_", "information_schema", "pragma", "show", "describe",
	"summarize", "current_", "query"}

// containsOwnWord reports whether a text contains one of ownWords, also in a string: a string
// can hold SQL.
func containsOwnWord(text string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(ownWords, func(word string) bool { return strings.Contains(text, word) })
}

// runWithStoreNames runs a query with storeNames, before makeNames has run. makeNames costs
// ten milliseconds, and most processes run only one query. If the query doesn't find a
// name, done is false, and the caller must run the query again after makeNames.
func (s *Conn) runWithStoreNames(ctx context.Context, p sqltext.Statement, run func(statement string) error) (done bool, err error) {
	if s.rules != nil || s.placed || s.holding || !selects.match(p.Text) || containsOwnWord(p.Text) || !s.db.needsNames(ctx) {
		return false, nil
	}
	if err := s.acquire(ctx, Checked); err != nil {
		return true, err
	}
	defer s.release(ctx)
	certain := context.WithoutCancel(ctx)
	if err := s.exec(certain, "SET search_path = "+sqltext.Literal(storeNames)); err != nil {
		return false, nil
	}
	if err = s.db.checkBroken(run(p.Placed())); s.db.broken.Load() {
		return true, err
	}
	if err := s.exec(certain, "SET search_path = 'memory.main'"); err != nil {
		return true, err
	}
	var wrong *sqlerror.Error
	if errors.As(err, &wrong) && (wrong.Kind == "catalog" || wrong.Kind == "binder") {
		return false, nil
	}
	return true, err
}

// movesPath are the first words of statements that may change the search path.
var movesPath = firstWords{"use", "set", "reset"}

// restoreNames puts the schema Names back at the end of the search path, after a user's
// USE removed it. It also adds with_copies if the first database of the path has no
// schema with_copies, because DuckDB looks for a schema only in that database.
func (s *Conn) restoreNames(ctx context.Context) error {
	var path string
	var hasCopies bool
	err := s.conn.QueryRowContext(ctx, `SELECT current_setting('search_path'), EXISTS (
		FROM duckdb_schemas() WHERE database_name = current_database() AND schema_name = ?)`, tables.WithCopies).Scan(&path, &hasCopies)
	if err != nil || slices.Contains(strings.Split(path, ","), "memory."+Names) {
		return err
	}
	if path == "" {
		path = "memory.main"
	}
	path += ",memory." + Names
	if !hasCopies {
		path += ",memory." + tables.WithCopies
	}
	return s.exec(ctx, "SET search_path = "+sqltext.Literal(path))
}

// StoreSchema is the schema of the tables with all their rows, for SQL of a [Reading].
// Users query views of these tables.
const StoreSchema = "store." + tables.Schema

// StoredView returns the full name of a view in the store.
func StoredView(v *tables.Table) string { return v.NameIn("store.main") }

// TablesDDL is the SQL that makes the tables and views. worktrees are the path patterns by
// which the views recognise git worktrees.
func TablesDDL(worktrees tables.Worktrees) string {
	var ddl strings.Builder
	fmt.Fprintf(&ddl, "CREATE SCHEMA %s; CREATE SCHEMA store.%s;\n", StoreSchema, tables.WithCopies)
	for _, t := range tables.All() {
		if t.View == "" {
			ddl.WriteString(t.DDL(StoreSchema) + ";\n")
		}
	}
	fmt.Fprintf(&ddl, "CREATE TABLE %s.store_info AS SELECT %s AS schema_hash, 0::BIGINT AS load_memory, NULL::VARCHAR AS files, 0 AS found, NULL::VARCHAR AS rows, NULL::VARCHAR AS prices, NULL::VARCHAR AS forgotten;\n", StoreSchema, sqltext.Literal(tables.SchemaHash()))
	for _, v := range tables.Views() {
		name := StoredView(v)
		ddl.WriteString(worktrees.Expand(v.ViewDDL(name, tables.Schema)) + ";\n")
	}
	return ddl.String()
}

// StoreDDL is the SQL that makes the tables, views and macros in the attached store, and
// uses the store's schema. Comments on the tables and columns are for people who open the
// file with another program. Writing comments takes longer than making the tables, so
// tables in memory get no comments.
func StoreDDL(list []*readers.Reader) string {
	worktrees := readers.WorktreesOf(list)
	var comments, macros strings.Builder
	for _, v := range tables.Views() {
		for _, comment := range v.Comments(StoredView(v)) {
			comments.WriteString(comment + ";\n")
		}
	}
	for _, m := range tables.Macros() { // need only DuckDB, which looks up the names in a macro
		macros.WriteString(withResume(m.StoredDDL("store.main", tables.Schema), list) + ";\n")
	}
	return TablesDDL(worktrees) + comments.String() + "USE " + StoreSchema + ";\n" + worktrees.Expand(macros.String())
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

// NamesDDL is the SQL of the names: the views and functions that users call. They depend on
// the agents' readers.
func NamesDDL(list []*readers.Reader) string {
	var ddl strings.Builder
	fmt.Fprintf(&ddl, "CREATE SCHEMA memory.%s; CREATE SCHEMA memory.%s;\n", Names, tables.WithCopies)
	for _, m := range tables.Macros() {
		ddl.WriteString(withResume(m.DDL("memory."+Names, StoreSchema), list) + ";\n")
	}
	for _, t := range tables.Lists() {
		ddl.WriteString(t.ListDDL("memory."+Names) + ";\n")
	}
	for _, v := range tables.Views() {
		ddl.WriteString(v.ViewDDL(v.NameIn("memory."+Names), StoreSchema) + ";\n")
	}
	return readers.WorktreesOf(list).Expand(ddl.String())
}

// Ours returns the whole name of a table of hindsql's, which no table of the user's hides.
func Ours(name string) string { return "memory." + Names + "." + name }
