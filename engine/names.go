package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// ourNames is the schema in the session's memory with the views and functions that
// users call by their plain names. The schema stands last on the search path, to let a
// user's table of the same name win.
const ourNames = "hindsql_session"

// makeNames makes the views and functions that users call (the names), in DuckDB's
// memory, once. The search path can't use those in the store's file: the store is
// detached after each statement, and DuckDB finds nothing at all while a database on
// its search path is missing.
func (in *instance) makeNames(ctx context.Context) error {
	if err := in.makeFunctions(); err != nil {
		return err
	}
	return in.exec(ctx, in.namesDDL())
}

// namesDDL is the SQL of the names.
func (in *instance) namesDDL() string {
	var ddl strings.Builder
	fmt.Fprintf(&ddl, "CREATE SCHEMA memory.%s; CREATE SCHEMA memory.%s;\n", ourNames, tables.WithCopies)
	for _, m := range tables.Macros() {
		ddl.WriteString(withResume(m.DDL("memory."+ourNames, StoreSchema), in.settings.get().Readers) + ";\n")
	}
	for _, t := range tables.Lists() {
		ddl.WriteString(t.ListDDL("memory."+ourNames) + ";\n")
	}
	for _, v := range tables.Views() {
		name := ourNames + "." + v.Name
		if strings.HasPrefix(v.Name, tables.WithCopies) {
			name = v.Name
		}
		ddl.WriteString(v.ViewDDL("memory."+name, StoreSchema) + ";\n")
	}
	return in.worktrees().In(ddl.String())
}

// Ours returns the whole name of a table of hindsql's, which no table of the user's hides.
func Ours(name string) string { return "memory." + ourNames + "." + name }

// namesPath puts our names on a connection's search path.
const namesPath = "SET search_path = 'memory.main,memory." + ourNames + ",memory." + tables.WithCopies + "'"

// storeNames is the search path to the views and functions in the store's file. They
// are for people who open the file in DuckDB without hindsql. The path works while the
// store is attached.
const storeNames = "memory.main,store.main"

// ownWords are words of SQL that storeNames can't serve: with it, the SQL fails or has
// a different result. They stand for macros that call hindsql's Go functions, and for
// SQL that lists tables or schemas.
var ownWords = []string{"raw", "diff", "resume", "report_runs", "with_copies", "duckdb_", "information_schema", "pragma", "show", "describe",
	"summarize", "current_", "query"}

// namesOwn reports whether a text contains one of ownWords, also in a string: a string
// can hold SQL.
func namesOwn(text string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(ownWords, func(word string) bool { return strings.Contains(text, word) })
}

// borrowNames runs a query with storeNames, before makeNames has run. makeNames costs
// ten milliseconds, and most processes run only one query. If the query doesn't find a
// name, done is false, and the caller must run the query again after makeNames.
func (s *connection) borrowNames(ctx context.Context, p sqltext.Statement, run func(statement string) error) (done bool, err error) {
	if s.rules != nil || s.placed || s.holding || !selects.begin(p.Text) || namesOwn(p.Text) || !s.in.needsNames(ctx) {
		return false, nil
	}
	if err := s.holdBare(ctx); err != nil {
		return true, err
	}
	defer s.letGo(ctx)
	certain := context.WithoutCancel(ctx)
	if err := s.exec(certain, "SET search_path = "+sqltext.Literal(storeNames)); err != nil {
		return false, nil
	}
	if err = s.in.note(run(p.Placed())); s.in.broken.Load() {
		return true, err
	}
	if err := s.exec(certain, "SET search_path = 'memory.main'"); err != nil {
		return true, err
	}
	var wrong *Error
	if errors.As(err, &wrong) && (wrong.Kind == "catalog" || wrong.Kind == "binder") {
		return false, nil
	}
	return true, err
}

// movesPath are the first words of statements that may change the search path.
var movesPath = heads{"use", "set", "reset"}

// keepNames puts the schema ourNames back at the end of the search path, after a user's
// USE removed it. It also adds with_copies if the first database of the path has no
// schema with_copies, because DuckDB looks for a schema only in that database.
func (s *connection) keepNames(ctx context.Context) error {
	var path string
	var hasCopies bool
	err := s.conn.QueryRowContext(ctx, `SELECT current_setting('search_path'), EXISTS (
		FROM duckdb_schemas() WHERE database_name = current_database() AND schema_name = ?)`, tables.WithCopies).Scan(&path, &hasCopies)
	if err != nil || slices.Contains(strings.Split(path, ","), "memory."+ourNames) {
		return err
	}
	if path == "" {
		path = "memory.main"
	}
	path += ",memory." + ourNames
	if !hasCopies {
		path += ",memory." + tables.WithCopies
	}
	return s.exec(ctx, "SET search_path = "+sqltext.Literal(path))
}
