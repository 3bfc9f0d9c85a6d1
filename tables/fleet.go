package tables

import (
	"fmt"
	"slices"
	"strings"
)

// The same session may lie on several machines, because a home folder was copied or is
// synchronised. In a store with rows of many machines, a row found on two machines must
// count once. Identity tells which rows are the same.

// Landed lists the tables pushed by machines, in the order of the docs.
func Landed() (list []*Table) {
	names := []string{"sessions", "messages", "tool_calls", "rejections", "interruptions", "compactions", "clears", "prompts", "sources", "problems", "record_kinds"}
	for _, t := range All() {
		if slices.Contains(names, t.Name) {
			list = append(list, t)
		}
	}
	return list
}

// Beside lists the internal tables pushed along with [Landed], needed only for a pull.
// Tables neighbours and forgotten_logs are not pushed, because a pulling machine reads
// no logs.
func Beside() (list []*Table) {
	for _, t := range Loaded() {
		if t.Internal && t != pulled && t != neighbours.Table && t != forgottenLogs.Table {
			list = append(list, t)
		}
	}
	return list
}

// identities holds, by table, columns or SQL expressions that are equal for the same
// row on two machines. A table without an entry has rows that belong to one machine
// only.
var identities = map[string][]string{
	"sessions":      {"agent", "session_id"},
	"messages":      {"agent", "session_id", "coalesce(uuid, message_id)", "CASE WHEN uuid IS NULL AND message_id IS NULL THEN message_index END"},
	"tool_calls":    {"agent", "session_id", "tool_use_id", "CASE WHEN tool_use_id IS NULL THEN message_index END"},
	"rejections":    {"agent", "session_id", "tool_use_id", "CASE WHEN tool_use_id IS NULL THEN message_index END"},
	"interruptions": {"agent", "session_id", "message_index", "type"},
	"compactions":   {"agent", "session_id", "uuid", "CASE WHEN uuid IS NULL THEN after_message_index END"},
	"prompts":       {"agent", "session_id", "timestamp", "CASE WHEN timestamp IS NULL THEN machine END"},
	"clears":        {"agent", "session_id", "next_session_id", "timestamp"},
}

// Identity returns the SQL, made of columns only, with equal values for the same row on
// several machines; nil if each machine's rows are its own.
func (t *Table) Identity() []string { return identities[t.Name] }

// Once returns a query that selects each row of a relation once. If several machines
// have the row, it selects the row of the machine with the lowest id, the oldest. For a
// session it selects the longest copy, for a call a copy with a result. Two equal rows
// of one machine both stay. Inferred rows are left out. The SQL is valid in all
// engines, except that each engine quotes column names in its own way.
func (t *Table) Once(relation string, quote func(string) string) string {
	if t.Name == recordKinds.Name {
		return "SELECT agent, kind, max(known) AS known, sum(lines) AS lines, min(first_version) AS first_version, max(last_version) AS last_version, " +
			"min(first_seen) AS first_seen, max(last_seen) AS last_seen FROM " + relation + " GROUP BY agent, kind"
	}
	list := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		list[i] = quote(c.Name)
	}
	columns := strings.Join(list, ", ")
	if t.Identity() == nil {
		return fmt.Sprintf("SELECT %s FROM %s", columns, relation)
	}
	once := fmt.Sprintf("SELECT %s FROM (SELECT *, %s AS of_machine FROM %s) AS t WHERE machine = of_machine", columns, t.Holder(), relation)
	if t.HasGuesses() { // older versions push these rows unmarked
		once += " AND NOT " + GuessSQL("evidence", "confidence")
	}
	return once
}

// Holder returns an SQL expression for the machine whose row counts among the rows with
// the same identity. A push without texts sends no session_id, unless the id is a plain
// word. Without session_id, each machine's row counts. For a table without an identity,
// Holder returns column machine.
func (t *Table) Holder() string {
	if t.Identity() == nil {
		return "machine"
	}
	order := "machine"
	switch t { // a machine may hold an older, shorter state of a log
	case sessions.Table:
		order = "message_count DESC, machine"
	case toolCalls.Table:
		order = "CASE WHEN result_message_index IS NULL THEN 1 ELSE 0 END, machine"
	}
	parts := strings.Join(t.Identity(), ", ")
	if t != clears { // clears are told apart by time, too
		parts += ", CASE WHEN session_id IS NULL THEN machine END"
	}
	return fmt.Sprintf("first_value(machine) OVER (PARTITION BY %s ORDER BY %s)", parts, order)
}
