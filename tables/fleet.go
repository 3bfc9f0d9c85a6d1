package tables

import (
	"fmt"
	"slices"
	"strings"
)

// A session may lie on several machines: a home that was copied, or a folder that
// is synchronised. Where rows of many machines lie side by side, what lies on two
// counts once: a row's identity tells.

// Landed lists the tables that machines push, in the order of the docs.
func Landed() (list []*Table) {
	names := []string{"sessions", "messages", "tool_calls", "rejections", "interruptions", "compactions", "clears", "prompts", "sources", "problems", "record_kinds"}
	for _, t := range All() {
		if slices.Contains(names, t.Name) {
			list = append(list, t)
		}
	}
	return list
}

// Beside lists the internal tables that machines push beside them: what only a pull
// needs. Neighbours stay where they are: who pulls reads no log.
func Beside() (list []*Table) {
	for _, t := range Loaded() {
		if t.Internal && t != pulled && t != neighbours.Table {
			list = append(list, t)
		}
	}
	return list
}

// identities are the columns, or SQL that any engine takes, by which a row is the
// same on two machines. A table without is of what each machine has of its own.
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

// Identity is the SQL, of columns only, that has the same values for the same row
// on several machines; nil where each machine's rows are its own.
func (t *Table) Identity() []string { return identities[t.Name] }

// Once is the query of the rows, each once, where those of several machines stand
// in a relation: of a row that lies on several, the oldest machine's, whose id is
// the lowest; of a session, the longest; of a call, one that has its result. Two
// rows of one machine both stay; what is only inferred doesn't. It is SQL of all engines but for how they quote
// the names of columns.
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
	if t.HasGuesses() { // of which machines of older versions don't say that they are
		once += " AND NOT " + GuessSQL("evidence", "confidence")
	}
	return once
}

// Holder is the SQL of the machine whose row counts, of those that have a row's
// identity. A row whose session isn't told, as its id is no plain word and no text
// may leave, is its machine's own. Where each machine's rows are its own it is the row's machine.
func (t *Table) Holder() string {
	if t.Identity() == nil {
		return "machine"
	}
	order := "machine"
	switch t { // a machine may have a log as it was before it went on elsewhere
	case sessions.Table:
		order = "message_count DESC, machine"
	case toolCalls.Table:
		order = "CASE WHEN result_message_index IS NULL THEN 1 ELSE 0 END, machine"
	}
	parts := strings.Join(t.Identity(), ", ")
	if t != clears { // whose time tells, too
		parts += ", CASE WHEN session_id IS NULL THEN machine END"
	}
	return fmt.Sprintf("first_value(machine) OVER (PARTITION BY %s ORDER BY %s)", parts, order)
}
