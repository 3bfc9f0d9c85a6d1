package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"hindsql/tables"
)

// The tables that say, of the source, what is in scope.
const (
	scopeSessions = "temp.main.hindsql_scope_sessions"
	scopeSources  = "temp.main.hindsql_scope_sources"
)

// decideScope notes the sessions in scope, and the sources that hold nothing
// else: a line of a log may be that of any session in it.
func (c *copying) decideScope(ctx context.Context) error {
	if len(c.bounds.Projects) == 0 {
		return nil
	}
	mine := c.mine()
	return c.from.Exec(ctx, fmt.Sprintf(`CREATE OR REPLACE TEMP TABLE %[1]s AS SELECT DISTINCT agent, session_id FROM %[4]s.sessions WHERE %[3]s;
		CREATE OR REPLACE TEMP TABLE %[2]s AS SELECT source_id FROM (
			SELECT source_id, %[3]s AS mine FROM %[4]s.sessions UNION ALL SELECT source_id, %[3]s FROM %[4]s.prompts)
		GROUP BY source_id HAVING bool_and(mine)`,
		scopeSessions, scopeSources, mine, StoreSchema))
}

// mine is the condition that column project is one of the folders, or below.
func (c *copying) mine() string {
	var list []string
	for _, p := range c.bounds.Projects {
		folder := strings.TrimRight(p, `/\`)
		if !strings.ContainsAny(folder, `/\`) && folder != "" {
			list = append(list, `list_contains(string_split_regex(project, '[/\\]'), `+tables.Quote(folder)+")")
			continue
		}
		list = append(list, fmt.Sprintf("project = %[1]s OR starts_with(project, %[1]s || '/') OR starts_with(project, %[1]s || '\\')", tables.Quote(folder)))
	}
	return "coalesce(" + strings.Join(list, " OR ") + ", false)"
}

// scope is the condition that a table's row is in scope.
func (c *copying) scope(t *tables.Table) string {
	has := func(name string) bool {
		return slices.ContainsFunc(t.Columns, func(c tables.Column) bool { return c.Name == name })
	}
	switch {
	case len(c.bounds.Projects) == 0:
		return "true"
	case t.Name == "prompts":
		return c.mine()
	case has("session_id"):
		return "(agent, session_id) IN (FROM " + scopeSessions + ")"
	}
	return "source_id IN (FROM " + scopeSources + ")"
}
