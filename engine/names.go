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

// ourNames is the schema of the session's memory that holds the views and
// functions which users call by their plain names. It stands last on the search
// path, so that a table of theirs with the same name is what they get.
const ourNames = "hindsql_session"

// makeNames makes the store's names those of DuckDB's memory, once: the store
// itself is let go after each statement, and DuckDB finds nothing at all while a
// file on its search path is missing.
func (in *instance) makeNames(ctx context.Context) error {
	if err := in.makeFunctions(ctx); err != nil {
		return err
	}
	return in.exec(ctx, in.namesDDL()+runsView())
}

// namesDDL is the SQL of the names, but for that of the reports' runs.
func (in *instance) namesDDL() string {
	var ddl strings.Builder
	fmt.Fprintf(&ddl, "CREATE SCHEMA memory.%s; CREATE SCHEMA memory.%s;\n", ourNames, tables.WithCopies)
	for _, m := range tables.Macros() {
		ddl.WriteString(withResume(m.DDL("memory."+ourNames, StoreSchema), in.settings.get().Readers) + ";\n")
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

// placeNames puts our names on the session's search path. No user's statement
// has run in it yet.
func (s *connection) placeNames(ctx context.Context) error {
	return s.exec(ctx, fmt.Sprintf("SET search_path = 'memory.main,memory.%s,memory.%s'", ourNames, tables.WithCopies))
}

// storeNames is a search path on which are the names that the store has for
// DuckDB alone. It lasts as long as the store is attached.
const storeNames = "memory.main,store.main"

// ownWords are what those don't have, or differ in: functions that need hindsql's
// own, and what looks at names.
var ownWords = []string{"raw", "diff", "resume", "report_runs", "with_copies", "duckdb_", "information_schema", "pragma", "show", "describe",
	"summarize", "current_", "query"}

// namesOwn says that a text has one of those words anywhere, also in a string: SQL
// can stand in it.
func namesOwn(text string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(ownWords, func(word string) bool { return strings.Contains(text, word) })
}

// borrowNames runs a query on the store's own names. To make ours costs ten
// milliseconds, and most processes ask one question. Where a query doesn't find
// what it names it is not done, and runs again with ours.
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
	err = run(p.Placed())
	if err := s.exec(certain, "SET search_path = 'memory.main'"); err != nil {
		return true, err
	}
	var wrong *Error
	if errors.As(err, &wrong) && (wrong.Kind == "catalog" || wrong.Kind == "binder") {
		return false, nil
	}
	return true, err
}

// movesPath are the heads of statements after which names may be looked up
// elsewhere.
var movesPath = heads{"use", "set", "reset"}

// keepNames puts our names at the end of the search path, which a user's USE
// leaves without them. DuckDB looks for a schema only in the first database of
// the path: so with_copies is named where that one has none of its own.
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
