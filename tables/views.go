package tables

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hindsql/internal/lists"
)

// Schema is the schema of the tables in a store, with copies and internal tables. Users
// query views over these tables, in schemas main and [WithCopies]. DuckDB resolves a
// view's names in the view's own file first, so the views work under any name of the
// attached file, unless a user's table has the same name. The schema's unusual name
// prevents such a clash.
const Schema = "hindsql_internal"

// WithCopies is the schema of the views with every row, including copies and inferred
// rows.
const WithCopies = "with_copies"

const isCopy = "is_copy"

// Views returns the tables as users see them, with their queries. First come the views
// that show each message once and leave out uncertain rows. Then come the views with
// every row, under names such as with_copies.messages.
func Views() []*Table {
	var list, whole []*Table
	for _, t := range All() {
		switch {
		case t.Internal:
		case t.UncountedSQL() != "":
			list, whole = append(list, t.countedView()), append(whole, t.fullView())
		default:
			v := *t
			v.View = cmp.Or(v.View, "FROM {schema}."+t.Name)
			list = append(list, &v)
		}
	}
	return append(list, whole...)
}

// Shown returns all tables for users: the store's views, with the lists before the views
// with copies.
func Shown() []*Table {
	list := Views()
	at := slices.IndexFunc(list, (*Table).ShowsCopies)
	return slices.Insert(list, at, listTables...)
}

// ShownNames returns the names of [Shown].
func ShownNames() []string {
	return lists.Map(Shown(), func(t *Table) string { return t.Name })
}

// HasCopies reports whether the table has column is_copy, because rows may also stand
// in an older session.
func (t *Table) HasCopies() bool { return t.Has(isCopy) }

// countedView returns the view of the rows that count.
func (t *Table) countedView() *Table {
	v := *t
	v.Columns = slices.DeleteFunc(slices.Clone(t.Columns), isMark)
	v.View = "SELECT " + columnNames(v.Columns) + " FROM {schema}." + t.Name + " AS t WHERE NOT " + strings.ReplaceAll(t.UncountedSQL(), " OR ", " AND NOT ")
	return &v
}

// fullView returns the view of all rows. In a table without copies, is_copy is always
// false.
func (t *Table) fullView() *Table {
	v := *t
	v.Name = WithCopies + "." + t.Name
	v.View = "FROM {schema}." + t.Name
	var extra []string
	if t.HasCopies() {
		extra = append(extra, "rows copied by resumed and forked sessions, or present in another file or on another machine (is_copy)")
	}
	if t.HasGuesses() {
		extra = append(extra, "rows that are only inferred (is_inferred)")
	}
	v.Doc = fmt.Sprintf("All rows of %s, including %s.", t.Name, strings.Join(extra, ", and "))
	if !t.HasCopies() {
		at := slices.IndexFunc(t.Columns, isMark)
		v.View = "SELECT " + columnNames(t.Columns[:at]) + ", false AS " + isCopy + ", " + columnNames(t.Columns[at:]) + " FROM {schema}." + t.Name
		v.Columns = slices.Insert(slices.Clone(t.Columns), at, Column{isCopy, "BOOLEAN", "false, because copies of a trace count as one " + strings.TrimSuffix(t.Name, "s")})
	}
	return &v
}

func columnNames(columns []Column) string { return strings.Join(Names(columns), ", ") }

// SchemaHash returns 16 hexadecimal digits for this build's tables, rows and links. A
// store with a different hash was written by another build.
//
// The value is a constant, because every command needs it, and making it took every
// command 4 to 7 ms. TestSchemaHash makes it, and compares.
func SchemaHash() string { return schemaHash }

// The same session may lie on several machines, because a home folder was copied or is
// synchronised. In a store with rows of many machines, a row found on two machines must
// count once. Identity defines which rows are the same.

// Pushed lists the tables pushed by machines, in the order of the docs.
func Pushed() (list []*Table) {
	names := []string{"sessions", "messages", "tool_calls", "rejections", "interruptions", "compactions", "clears", "prompts", "sources", "problems", "record_kinds"}
	for _, t := range All() {
		if slices.Contains(names, t.Name) {
			list = append(list, t)
		}
	}
	return list
}

// PushedInternal lists the internal tables pushed along with [Pushed], needed only for a
// pull. Tables neighbours and forgotten_logs are not pushed, because a pulling machine
// reads no logs.
func PushedInternal() []*Table {
	return lists.Filter(Loaded(), func(t *Table) bool {
		return t.Internal && t != pulled && t != neighbours.Table && t != forgottenLogs.Table
	})
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

// DistinctSQL returns a query that selects each row of a relation once. If several
// machines have the row, it selects the row of the machine with the lowest id, the
// oldest. For a session it selects the longest copy, for a call a copy with a result.
// Two equal rows of one machine both stay. Inferred rows are left out. The SQL is valid
// in all engines, except that each engine quotes column names in its own way.
func (t *Table) DistinctSQL(relation string, quote func(string) string) string {
	if t.Name == recordKinds.Name {
		return "SELECT agent, kind, max(known) AS known, sum(lines) AS lines, min(first_version) AS first_version, max(last_version) AS last_version, " +
			"min(first_seen) AS first_seen, max(last_seen) AS last_seen FROM " + relation + " GROUP BY agent, kind"
	}
	columns := lists.Join(t.Columns, ", ", func(c Column) string { return quote(c.Name) })
	if t.Identity() == nil {
		return fmt.Sprintf("SELECT %s FROM %s", columns, relation)
	}
	once := fmt.Sprintf("SELECT %s FROM (SELECT *, %s AS of_machine FROM %s) AS t WHERE machine = of_machine", columns, t.CountedMachineSQL(), relation)
	if t.HasGuesses() { // older versions push these rows unmarked
		once += " AND NOT " + GuessSQL("evidence", "confidence")
	}
	return once
}

// CountedMachineSQL returns an SQL expression for the machine whose row counts among the
// rows with the same identity. A push without texts sends no session_id, unless the id
// is a plain word. Without session_id, each machine's row counts. For a table without an
// identity, CountedMachineSQL returns column machine.
func (t *Table) CountedMachineSQL() string {
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

const isInferred = "is_inferred"

// isInferredDoc is the prose of column is_inferred in each table.
const isInferredDoc = "true if only inferred: evidence is inferred, text or wording, and confidence is below 0.9"

// minShownConfidence is the confidence from which an inferred row is shown like recorded
// rows. Rows below it are shown only in with_copies: fewer than nine in ten of them
// were right.
const minShownConfidence = 0.9

var uncertainEvidence = []string{EvidenceInferred, EvidenceText, EvidenceWording}

// isGuess reports whether a row with this evidence and confidence is shown only in
// with_copies.
func isGuess(evidence string, confidence float64) bool {
	return slices.Contains(uncertainEvidence, evidence) && confidence < minShownConfidence
}

// GuessSQL returns isGuess as SQL valid in all engines. A null confidence counts as 0.
func GuessSQL(evidence, confidence string) string {
	return fmt.Sprintf("(coalesce(%s IN ('%s'), false) AND coalesce(%s, 0) < %g)", evidence, strings.Join(uncertainEvidence, "', '"), confidence, minShownConfidence)
}

// HasGuesses reports whether the table has column is_inferred, because some rows are
// only inferred.
func (t *Table) HasGuesses() bool { return t.Has(isInferred) }

// Has reports whether the table has a column.
func (t *Table) Has(column string) bool {
	return slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Name == column })
}

// UncountedSQL returns the SQL condition for the rows of table t that only with_copies
// shows; empty if all rows are shown everywhere.
func (t *Table) UncountedSQL() string {
	var marks []string
	for _, c := range t.Columns {
		if isMark(c) {
			marks = append(marks, "t."+c.Name)
		}
	}
	return strings.Join(marks, " OR ")
}

// isMark reports whether column c is is_copy or is_inferred.
func isMark(c Column) bool { return c.Name == isCopy || c.Name == isInferred }
