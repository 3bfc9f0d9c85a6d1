package push

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"hindsql/engine"
	"hindsql/engine/scope"
	"hindsql/internal/lists"
	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// The temporary tables of the rows that leave (are pushed) or stay on this machine.
const (
	pushedSources  = "temp.main.hindsql_push_sources"  // this machine's logs, except logs of private projects only
	mixedSources   = "temp.main.hindsql_push_mixed"    // logs that also hold rows of private projects
	privateFolders = "temp.main.hindsql_push_folders"  // projects that stay
	outSessions    = "temp.main.hindsql_push_sessions" // sessions of private projects, their continuations, and sessions without a project
	openSessions   = "temp.main.hindsql_push_open"     // sessions that leave
	pushedKinds    = "temp.main.hindsql_push_file_kinds"
)

// selection selects the rows that leave: rows of this machine, and of no private project.
type selection struct {
	scope.Rows
	private      *privacy
	own          string            // SQL condition for a source of this machine
	projects     []string          // all examined projects
	repositories map[string]string // project to repository, for projects that are worktrees
	out          []LeftOut
	unnamed      int64 // sessions, see Report
}

// decide fills the temporary tables.
func (l *selection) decide(ctx context.Context) error {
	if err := l.decideProjects(ctx); err != nil {
		return err
	}
	statements := nothingPrivate
	if l.hasPrivate() {
		statements = strings.ReplaceAll(decisions, "{edges}", goingOn)
		if err := errors.Join(l.listFolders(ctx), l.countUnnamed(ctx)); err != nil {
			return err
		}
	}
	statements = strings.NewReplacer("{schema}", engine.StoreSchema, "{own}", l.own,
		"{sources}", pushedSources, "{mixed}", mixedSources, "{folders}", privateFolders, "{sessions}", outSessions, "{open}", openSessions,
		"{prompt leaves}", l.condition("prompts"), "{note leaves}", l.condition("session_notes"), "{approval leaves}", l.condition("approvals")).Replace(statements)
	if err := l.Exec(ctx, statements); err != nil {
		return err
	}
	view := fmt.Sprintf("CREATE OR REPLACE TEMP VIEW %s AS %s", strings.TrimPrefix(pushedKinds, "temp.main."), l.rows(tables.Named("file_kinds"), false))
	return l.Exec(ctx, view)
}

// hasPrivate reports whether some rows may stay here. Then rows without a project stay,
// too, because their owner is unknown.
func (l *selection) hasPrivate() bool { return len(l.out) > 0 || l.private.isAny() }

// listFolders fills the table of projects that stay.
func (l *selection) listFolders(ctx context.Context) error {
	folders := lists.Map(l.out, func(o LeftOut) string { return o.Project })
	return l.Exec(ctx, fmt.Sprintf("CREATE OR REPLACE TEMP TABLE %s AS SELECT unnest([%s]::VARCHAR[]) AS project", privateFolders, sqltext.Literals(folders)))
}

// countUnnamed counts the sessions that stay for lack of a project.
func (l *selection) countUnnamed(ctx context.Context) error {
	query := fmt.Sprintf("SELECT count(*) FROM %s.sessions SEMI JOIN (FROM %[1]s.sources WHERE %s) USING (source_id) WHERE coalesce(project, '') = ''", engine.StoreSchema, l.own)
	return l.Each(ctx, query, func(scan func(...any) error) error { return scan(&l.unnamed) })
}

// decideProjects decides about each project of this machine's logs.
func (l *selection) decideProjects(ctx context.Context) error {
	query := fmt.Sprintf(`SELECT project, coalesce(any_value(repository), '') FROM (
		SELECT project FROM (
			SELECT project, source_id FROM %[1]s.sessions UNION ALL SELECT project, source_id FROM %[1]s.part_sessions UNION ALL SELECT project, source_id FROM %[1]s.prompts
			UNION ALL SELECT project, source_id FROM %[1]s.clear_marks UNION ALL SELECT project, source_id FROM %[1]s.project_notes)
		SEMI JOIN (SELECT source_id FROM %[1]s.sources WHERE %[2]s) USING (source_id))
		LEFT JOIN (SELECT project, repository FROM store.main.projects) USING (project) WHERE project <> '' GROUP BY project ORDER BY project`, engine.StoreSchema, l.own)
	l.repositories = map[string]string{}
	err := l.Each(ctx, query, func(scan func(...any) error) error {
		var project, repository string
		err := scan(&project, &repository)
		l.projects = append(l.projects, project)
		if repository != project {
			l.repositories[project] = repository
		}
		return err
	})
	if err != nil {
		return err
	}
	l.private.decide(l.projects, l.repositories)
	l.out = l.private.leftOut(l.projects)
	return l.private.save()
}

// goingOn selects the sessions that belong to or begin with another session: subagents,
// forks, continuations, and copies of its messages.
const goingOn = `SELECT agent, session_id, parent_session_id AS of FROM {schema}.sessions WHERE parent_session_id IS NOT NULL
	UNION SELECT agent, session_id, forked_from FROM {schema}.sessions WHERE forked_from IS NOT NULL
	UNION SELECT agent, session_id, forked_from FROM {schema}.fork_marks
	UNION SELECT agent, session_id, continues FROM {schema}.continuations
	UNION SELECT agent, session_id, origin_session_id FROM {schema}.messages WHERE origin_session_id IS NOT NULL
	UNION SELECT c.agent, c.session_id, o.session_id FROM {schema}.messages c JOIN {schema}.messages o USING (agent, uuid) WHERE c.is_copy AND NOT o.is_copy`

// nothingPrivate replaces decisions if no project stays here.
const nothingPrivate = `CREATE OR REPLACE TEMP TABLE {sessions} (agent VARCHAR, session_id VARCHAR);
CREATE OR REPLACE TEMP TABLE {mixed} (source_id BIGINT);
CREATE OR REPLACE TEMP TABLE {sources} AS SELECT source_id, agent FROM {schema}.sources WHERE {own}`

const decisions = `CREATE OR REPLACE TEMP TABLE {sessions} AS
WITH RECURSIVE edges AS ({edges}),
out AS (
	SELECT agent, session_id, native_id FROM {schema}.sessions WHERE project IN (FROM {folders})
	UNION
	SELECT s.agent, s.session_id, s.native_id FROM out o
	JOIN edges e ON e.agent = o.agent AND e.of IN (o.session_id, o.native_id)
	JOIN {schema}.sessions s ON s.agent = e.agent AND s.session_id = e.session_id)
SELECT DISTINCT agent, unnest([session_id, coalesce(native_id, session_id)]) AS session_id
FROM (FROM out UNION ALL SELECT agent, session_id, native_id FROM {schema}.sessions WHERE coalesce(project, '') = '');

CREATE OR REPLACE TEMP TABLE {open} AS
SELECT agent, unnest([session_id, coalesce(native_id, session_id)]) AS session_id FROM {schema}.sessions
EXCEPT FROM {sessions};

CREATE OR REPLACE TEMP TABLE hindsql_push_held AS
SELECT source_id, bool_and(private) AS wholly, bool_or(private AND NOT note) AS partly FROM (
	SELECT source_id, (agent, session_id) IN (FROM {sessions}) AS private, false AS note FROM {schema}.sessions
	UNION ALL SELECT source_id, (agent, session_id) IN (FROM {sessions}), false FROM {schema}.part_sessions
	UNION ALL SELECT source_id, NOT coalesce({prompt leaves}, false), false FROM {schema}.prompts t
	UNION ALL SELECT source_id, NOT coalesce({note leaves}, false), true FROM {schema}.session_notes t
	UNION ALL SELECT source_id, NOT coalesce({approval leaves}, false), true FROM {schema}.approvals t
	UNION ALL SELECT source_id, coalesce(project IN (FROM {folders}), true), true FROM {schema}.project_notes)
GROUP BY source_id;

CREATE OR REPLACE TEMP TABLE {mixed} AS SELECT source_id FROM hindsql_push_held WHERE partly;

-- A log that holds nothing else stays: its path may name the project, and so may
-- its damage.
CREATE OR REPLACE TEMP TABLE {sources} AS
SELECT source_id, agent FROM {schema}.sources SEMI JOIN (FROM hindsql_push_held WHERE NOT wholly) USING (source_id) WHERE {own};
DROP TABLE hindsql_push_held`

// rows returns the query of a table's rows that leave, either copies or originals.
func (l *selection) rows(t *tables.Table, copies bool) string {
	if t.Has("is_copy") {
		return l.rowsWith(t, map[bool][]string{true: {"t.is_copy"}, false: {"NOT t.is_copy"}}[copies])
	}
	return l.rowsWith(t, nil)
}

// rowsWith returns the query of a table's rows that leave and meet conditions.
func (l *selection) rowsWith(t *tables.Table, conditions []string) string {
	all := slices.Concat([]string{"t.source_id IN (SELECT source_id FROM " + pushedSources + ")"}, conditions, l.exclusions(t))
	return "SELECT t.* FROM " + engine.StoreSchema + "." + t.Name + " AS t WHERE " + strings.Join(all, " AND ")
}

// exclusions returns the SQL conditions that exclude rows of private projects. They name
// columns without the table.
func (l *selection) exclusions(t *tables.Table) (conditions []string) {
	if !l.hasPrivate() {
		return nil
	}
	for _, column := range []string{"session_id", "next_session_id", "continues"} {
		if t.Has(column) {
			conditions = append(conditions, fmt.Sprintf("(%s IS NULL OR (agent, %[1]s) NOT IN (FROM %s))", column, outSessions))
		}
	}
	if t.Has("project") {
		conditions = append(conditions, fmt.Sprintf("(project IS NULL OR project NOT IN (FROM %s))", privateFolders))
	}
	if slices.Contains(namedElsewhere, t.Name) {
		named := ""
		if t.Has("project") {
			named = "project <> '' OR "
		}
		conditions = append(conditions, "("+named+"(agent, session_id) IN (FROM "+openSessions+"))")
	}
	if t.Name == "own_names" {
		conditions = append(conditions, "(session_id IS NOT NULL OR project <> '')")
	}
	if t.Name == "approvals" { // they name a session by the agent's own key
		conditions = append(conditions, fmt.Sprintf("(agent, key) IN (SELECT agent, approval_key FROM %s.own_names WHERE (agent, session_id) IN (FROM %s))", engine.StoreSchema, openSessions))
	}
	if t.Name == "problems" || t.Name == "project_notes" {
		conditions = append(conditions, "source_id NOT IN (FROM "+mixedSources+")")
	}
	return conditions
}

// namedElsewhere lists the tables whose rows may name a session that no other table
// has, because the session's log is gone.
var namedElsewhere = []string{"prompts", "clears", "clear_marks", "session_notes"}

// condition returns the exclusions as one SQL expression. The table must have
// conditions whenever rows may stay.
func (l *selection) condition(table string) string {
	return "(" + strings.Join(l.exclusions(tables.Named(table)), " AND ") + ")"
}

// Public is the scope of the rows of no private project, for a safe Store. The decision
// is a push's, about the rows of all machines. Unlike a push, a log that also holds
// private rows is out of scope: see [scope.Scope].
type Public struct {
	State    string   // as in Options
	Home     string   // as in Options
	LeaveOut []string // as in Options
	decided  atomic.Pointer[selection]
}

// Refresh finds the private projects, and remembers them for later pushes and reports.
func (p *Public) Refresh(ctx context.Context, rows scope.Rows) error {
	if err := makeFolder(p.State); err != nil {
		return err
	}
	private, err := readPrivacy(filepath.Join(p.State, privateName), p.Home, p.LeaveOut)
	if err != nil {
		return err
	}
	p.decided.Store(nil)
	l := &selection{Rows: rows, private: private, own: "true"}
	if err := l.decide(ctx); err != nil {
		return err
	}
	p.decided.Store(l)
	return nil
}

// Condition returns the condition for a table's row to be of no private project. Without
// a decision no row is.
func (p *Public) Condition(t *tables.Table) string {
	l := p.decided.Load()
	if l == nil {
		return "false"
	}
	conditions := append([]string{"source_id IN (SELECT source_id FROM " + pushedSources + ")"}, l.exclusions(t)...)
	if !t.Has("session_id") {
		conditions = append(conditions, "source_id NOT IN (FROM "+mixedSources+")")
	}
	return strings.Join(conditions, " AND ")
}
