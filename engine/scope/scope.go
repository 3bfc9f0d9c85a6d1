// Package scope decides which rows of a store a safe Store copies.
//
// In: SQL on a store's tables. Out: conditions for a row to be in scope, and temporary
// tables that the conditions name. The package never writes to the store.
package scope

import (
	"context"
	"fmt"
	"strings"

	"hindsql/internal/spelling"
	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// Rows runs SQL on a store's tables. Temporary tables last until the session ends.
type Rows interface {
	Exec(ctx context.Context, statement string) error
	Each(ctx context.Context, query string, visit func(scan func(...any) error) error) error
}

// Scope chooses rows.
type Scope interface {
	// Refresh is called before the first copy, and after each change of the store.
	Refresh(ctx context.Context, rows Rows) error
	// Condition returns the condition for a table's row to be in scope. It names the
	// table's columns without the table. A row of table sources is in scope only if all
	// lines of the log are, because function raw gives any line.
	Condition(t *tables.Table) string
}

// All is the scope of the rows that are in each of several scopes. Without scopes, all
// rows are.
type All []Scope

// Refresh decides about each scope.
func (e All) Refresh(ctx context.Context, rows Rows) error {
	for _, s := range e {
		if err := s.Refresh(ctx, rows); err != nil {
			return err
		}
	}
	return nil
}

// Condition joins the conditions of all scopes.
func (e All) Condition(t *tables.Table) string {
	conditions := []string{"true"}
	for _, s := range e {
		conditions = append(conditions, "("+s.Condition(t)+")")
	}
	return strings.Join(conditions, " AND ")
}

// schema is the schema of the store's tables.
const schema = "store." + tables.Schema

// Folders is the scope of the sessions that ran in some folders, below them, or in their
// worktrees.
//
// A worktree of a folder in scope is in scope wherever it lies, even after git forgot
// the worktree, if its repository is certain. A guess by name would let in the sessions
// of another repository with the same name. The store decides, because its rows of
// other folders tell whether a name is unique.
type Folders struct {
	Paths     []string
	Rule      spelling.Rule           // of the machine that asks
	Worktrees func() tables.Worktrees // places where agents make worktrees
	scoped    string                  // what decided the scope: see key; empty if nothing did yet
}

// Temporary tables of the projects, sessions and sources in scope.
const (
	scopeProjects = "temp.main.hindsql_scope_projects"
	scopeSessions = "temp.main.hindsql_scope_sessions"
	scopeSources  = "temp.main.hindsql_scope_sources"
)

// projectInScope is the SQL condition for column project to be in scope.
const projectInScope = "coalesce(project IN (FROM " + scopeProjects + "), false)"

// Refresh notes the projects and sessions in scope, and the sources that hold only
// sessions in scope: a line of a log may belong to any session of the log.
func (f *Folders) Refresh(ctx context.Context, rows Rows) error {
	repositories := f.Worktrees().Expand(strings.ReplaceAll(tables.Repositories(), "{schema}", schema))
	key, err := key(ctx, rows, repositories)
	if err != nil || key == f.scoped {
		return err
	}
	f.scoped = ""
	err = rows.Exec(ctx, fmt.Sprintf(`CREATE OR REPLACE TEMP TABLE %[1]s AS SELECT project FROM (%[5]s) WHERE %[6]s OR sure AND (%[7]s);
		CREATE OR REPLACE TEMP TABLE %[2]s AS SELECT DISTINCT agent, session_id FROM %[8]s.sessions WHERE %[4]s;
		CREATE OR REPLACE TEMP TABLE %[3]s AS SELECT source_id FROM (
			SELECT source_id, %[4]s AS mine FROM %[8]s.sessions UNION ALL SELECT source_id, %[4]s FROM %[8]s.prompts)
		GROUP BY source_id HAVING bool_and(mine)`,
		scopeProjects, scopeSessions, scopeSources, projectInScope, repositories, f.below("project"), f.below("repository"), schema))
	if err == nil {
		f.scoped = key
	}
	return err
}

// key returns a text that changes with all that decides the scope. It takes 10 ms for
// 4,000 sessions, and the scope 35 ms. A session that only grew changes nothing.
func key(ctx context.Context, rows Rows, repositories string) (key string, err error) {
	query := fmt.Sprintf(`SELECT concat_ws(' ',
		(SELECT (count(*), sum(hash(agent, session_id, source_id, project, git_remote)::HUGEINT)) FROM %[1]s.sessions),
		(SELECT (count(*), sum(hash(source_id, project)::HUGEINT)) FROM %[1]s.prompts))`, schema)
	err = rows.Each(ctx, query, func(scan func(...any) error) error { return scan(&key) })
	return key + " " + repositories, err
}

// below returns the condition for a column's path to be one of the folders or to lie
// below one.
func (f *Folders) below(column string) string {
	var list []string
	column = f.Rule.SQL(column)
	for _, p := range f.Paths {
		folder := strings.TrimRight(f.Rule.Fold(p), `/\`)
		if !strings.ContainsAny(folder, `/\`) && folder != "" {
			list = append(list, fmt.Sprintf(`list_contains(string_split_regex(%s, '[/\\]'), %s)`, column, sqltext.Literal(folder)))
			continue
		}
		list = append(list, fmt.Sprintf(`%[1]s = %[2]s OR starts_with(%[1]s, %[2]s || '/') OR starts_with(%[1]s, %[2]s || '\')`, column, sqltext.Literal(folder)))
	}
	return strings.Join(list, " OR ")
}

// Condition returns the condition for a table's row to be in scope.
func (*Folders) Condition(t *tables.Table) string {
	switch {
	case t.Name == "prompts":
		return projectInScope
	case t.Has("session_id"):
		return "(agent, session_id) IN (FROM " + scopeSessions + ")"
	}
	return "source_id IN (FROM " + scopeSources + ")"
}
