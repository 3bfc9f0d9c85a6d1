package engine

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

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

// namesOwn matches what those don't have, or differ in: functions that need
// hindsql's own, and what looks at names.
var namesOwn = regexp.MustCompile(`(?i)raw|diff|resume|report_runs|with_copies|duckdb_|information_schema|pragma|show|describe|summarize|current_|query`)

// borrowNames runs a query on the store's own names. To make ours costs ten
// milliseconds, and most processes ask one question. Where a query doesn't find
// what it names it is not done, and runs again with ours.
func (s *connection) borrowNames(ctx context.Context, p piece, run func(statement string) error) (done bool, err error) {
	if s.rules != nil || s.placed || s.holding || !selects.MatchString(p.text) || namesOwn.MatchString(p.text) || !s.in.needsNames(ctx) {
		return false, nil
	}
	if err := s.holdBare(ctx); err != nil {
		return true, err
	}
	defer s.letGo(ctx)
	certain := context.WithoutCancel(ctx)
	if err := s.exec(certain, "SET search_path = "+tables.Quote(storeNames)); err != nil {
		return false, nil
	}
	err = run(p.placed())
	if err := s.exec(certain, "SET search_path = 'memory.main'"); err != nil {
		return true, err
	}
	var wrong *Error
	if errors.As(err, &wrong) && (wrong.Kind == "catalog" || wrong.Kind == "binder") {
		return false, nil
	}
	return true, err
}

// movesPath matches statements after which names may be looked up elsewhere.
var movesPath = statementOf("USE|SET|RESET")

// keepNames puts our names at the end of the search path, which a user's USE
// leaves without them. DuckDB looks for a schema only in the first database of
// the path: so with_copies is named where that one has none of its own.
func (s *connection) keepNames(ctx context.Context) error {
	var path string
	var hasCopies bool
	err := s.conn.QueryRowContext(ctx, `SELECT current_setting('search_path'), EXISTS (
		FROM duckdb_schemas() WHERE database_name = current_database() AND schema_name = ?)`, tables.WithCopies).Scan(&path, &hasCopies)
	if err != nil || onPath.MatchString(path) {
		return err
	}
	if path == "" {
		path = "memory.main"
	}
	path += ",memory." + ourNames
	if !hasCopies {
		path += ",memory." + tables.WithCopies
	}
	return s.exec(ctx, "SET search_path = "+tables.Quote(path))
}

var onPath = regexp.MustCompile(`(^|,)memory\.` + ourNames + `(,|$)`)
