package engine

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"hindsql/tables"
)

// ourNames is the schema of the session's memory that holds the views and
// functions which users call by their plain names. It stands last on the search
// path, so that a table of theirs with the same name is what they get.
const ourNames = "hindsql_session"

// makeViews makes the store's names those of the session, for as long as it
// lives: the store itself is let go after each statement, and DuckDB finds
// nothing at all while a file on its search path is missing.
func (s *Session) makeViews(ctx context.Context) error {
	hash, err := s.schemaHash(ctx)
	if err == nil && hash != tables.SchemaHash() {
		err = s.otherBuild()
	}
	if err != nil {
		s.detach(ctx)
		return err
	}
	if err := s.makeNames(ctx); err != nil {
		return err
	}
	var views strings.Builder
	for _, v := range tables.Views() {
		name := ourNames + "." + v.Name
		if strings.HasPrefix(v.Name, tables.WithCopies) {
			name = v.Name
		}
		views.WriteString(strings.Replace(v.ViewDDL("memory."+name, storeSchema), "CREATE VIEW", "CREATE OR REPLACE VIEW", 1) + ";\n")
	}
	if err := s.exec(ctx, views.String()+runsView()); err != nil {
		return err
	}
	s.viewed = true
	return nil
}

// makeNames makes the schemas and functions, once.
func (s *Session) makeNames(ctx context.Context) error {
	if s.equipped {
		return nil
	}
	if err := s.exec(ctx, fmt.Sprintf("CREATE SCHEMA IF NOT EXISTS memory.%s; CREATE SCHEMA IF NOT EXISTS memory.%s", ourNames, tables.WithCopies)); err != nil {
		return err
	}
	if err := s.makeFunctions(ctx); err != nil {
		return err
	}
	s.equipped = true
	return s.exec(ctx, fmt.Sprintf("SET search_path = 'memory.main,memory.%s,memory.%s'", ourNames, tables.WithCopies)) // no user's statement has run yet
}

// movesPath matches statements after which names may be looked up elsewhere.
var movesPath = statementOf("USE|SET|RESET")

// keepNames puts our names at the end of the search path, which a user's USE
// leaves without them. DuckDB looks for a schema only in the first database of
// the path: so with_copies is named where that one has none of its own.
func (s *Session) keepNames(ctx context.Context) error {
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
	return s.exec(ctx, "SET search_path = "+quote(path))
}

var onPath = regexp.MustCompile(`(^|,)memory\.` + ourNames + `(,|$)`)
