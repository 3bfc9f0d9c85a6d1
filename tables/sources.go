package tables

import (
	"fmt"
	"time"
)

type sourceRow struct {
	*File
	messages int
}

var sources = newRowTable(Table{
	Name: "sources",
	Doc:  "One row per log file, and per part of a file with many sessions side by side. Agents delete old logs; the rows of a deleted log stay until hindsql prune. An unreadable path in place of a log, such as a named pipe or a folder that can't be listed, has a row with reader_version 0 as long as the path exists. A folder of logs has such a row while the disk gives no answer.",
	Key:  []string{"source_id"},
}, withOrigin(func(s *sourceRow) *Source { return &s.Source }, []column[sourceRow]{
	text("agent", "agent that wrote the log", func(s *sourceRow) string { return s.Agent }),
	text("path", "path of the file", func(s *sourceRow) string { return s.Path }),
	text("part", "part of a file with many sessions side by side; trimmed lines: what a history of prompts lost at its beginning; null for the whole file", func(s *sourceRow) string { return s.Part }),
	bigint("messages", "messages from the log, copies included", func(s *sourceRow) int64 { return int64(s.messages) }),
	bigint("problems", "rows of the log in problems", func(s *sourceRow) int64 { return int64(len(s.problems)) }),
	bigint("size", "bytes at the time of the load; approximate for a part", func(s *sourceRow) int64 { return s.Size }),
	instant("modified_at", "modification time of the file at the load; null for a part", func(s *sourceRow) time.Time { return s.ModifiedAt }),
	instant("loaded_at", "time of the load", func(s *sourceRow) time.Time { return s.LoadedAt }),
	linked[sourceRow]("gone_at", "TIMESTAMPTZ", "time when the file was first missing, or, of trimmed lines, the first lines; null while the file exists"),
	linked[sourceRow]("unread_since", "TIMESTAMPTZ", "when the log became unreadable, or the disk gave no answer; the older rows stay; null while the log can be read"),
	text("stamp", "mark that changes with a part; for a file with parts, with the list of parts", func(s *sourceRow) string { return s.Stamp }),
	text("beginning", "number of bytes at the log's beginning, hash of the first line, and hash of the bytes: a moved log is recognised by them; null for a database or a document", func(s *sourceRow) string { return s.Beginning }),
	bigint("reader_version", "version of the reader at the load; -1 for a log found but never read, because the disk gives no answer", func(s *sourceRow) int64 { return int64(s.ReaderVersion) }),
	bigint("source_id", "id of the file, the same on every load, and after a move that was recognised", func(s *sourceRow) int64 { return s.id }),
}))

var prompts = newRowTable(Table{
	Name: "prompts",
	Doc:  "One row per input in the agents' own history files, which outlive the sessions.",
}, withOrigin(func(p *inFile[Prompt]) *Source { return &p.f.Source }, []column[inFile[Prompt]]{
	instant("timestamp", "time of the input", func(p *inFile[Prompt]) time.Time { return p.e.Timestamp }),
	text("agent", "agent that wrote the log", func(p *inFile[Prompt]) string { return p.f.Agent }),
	text("project", "working directory", func(p *inFile[Prompt]) string { return p.e.Project }),
	long(text("text", "typed text, including pastes if kept", func(p *inFile[Prompt]) string { return p.e.Text })),
	boolean("is_command", "true for a slash command", func(p *inFile[Prompt]) bool { return p.e.IsCommand }),
	text("session_id", "session of the input; null for old versions of the agent", func(p *inFile[Prompt]) string { return p.e.SessionID }),
	linked[inFile[Prompt]]("native_id", "VARCHAR", "session id in the history, if it is another session's: some agents keep the first id after a clear"),
	boolean("is_copy", "true if another history, perhaps of another machine, has the input, too", func(p *inFile[Prompt]) bool { return false }),
	bigint("source_id", "the log file, see sources", func(p *inFile[Prompt]) int64 { return p.f.id }),
}))

var problems = newRowTable(Table{
	Name: "problems",
	Doc:  "One row per unreadable or partly unreadable line or file: damage, and impossible numbers, such as 9e18 tokens, which are left out. A log that got shorter and lost prompts, refusals or stops has a row, too.",
}, withOrigin(func(p *inFile[Problem]) *Source { return &p.f.Source }, []column[inFile[Problem]]{
	text("agent", "agent that wrote the log", func(p *inFile[Problem]) string { return p.f.Agent }),
	text("path", "the log file", func(p *inFile[Problem]) string { return p.f.Path }),
	maybeBigint("line", "1-based line, null for the whole file", func(p *inFile[Problem]) Maybe[int64] { return Maybe[int64]{p.e.Line, p.e.Line > 0} }),
	text("what", "description of the problem", func(p *inFile[Problem]) string { return p.e.What }),
	text("excerpt", "the first bytes of the damage, 200 at most", func(p *inFile[Problem]) string { return p.e.Excerpt }),
	bigint("byte_offset", "start of the damage, in bytes from the start of the file", func(p *inFile[Problem]) int64 { return p.e.ByteOffset }),
	bigint("source_id", "the log file, see sources", func(p *inFile[Problem]) int64 { return p.f.id }),
}))

var fileKinds = newRowTable(Table{
	Name:     "file_kinds",
	Doc:      "One row per file and kind of record; table record_kinds has the sums.",
	Internal: true,
}, []column[inFile[RecordKind]]{
	text("agent", "agent that wrote the log", func(k *inFile[RecordKind]) string { return k.f.Agent }),
	text("kind", "kind of record", func(k *inFile[RecordKind]) string { return k.e.Kind }),
	boolean("known", "false if the reader doesn't know the kind", func(k *inFile[RecordKind]) bool { return k.e.Known }),
	bigint("lines", "records", func(k *inFile[RecordKind]) int64 { return k.e.Lines }),
	text("first_version", "lowest version of the agent with the kind", func(k *inFile[RecordKind]) string { return k.e.FirstVersion }),
	text("last_version", "highest version", func(k *inFile[RecordKind]) string { return k.e.LastVersion }),
	instant("first_seen", "earliest record", func(k *inFile[RecordKind]) time.Time { return k.e.FirstSeen }),
	instant("last_seen", "latest record", func(k *inFile[RecordKind]) time.Time { return k.e.LastSeen }),
	bigint("source_id", "the log file, see sources", func(k *inFile[RecordKind]) int64 { return k.f.id }),
})

// versionOrder is the SQL to order versions by their numbers.
const versionOrder = `list_transform(string_split(%[1]s, '.'), lambda n: coalesce(try_cast(regexp_extract(n, '^[0-9]+') AS INTEGER), 0))`

var recordKinds = &Table{
	Name: "record_kinds",
	Doc:  "One row per kind of record in the agents' logs. An unknown kind came with a newer agent: the records are only counted here, and make no rows in other tables.",
	Key:  []string{"agent", "kind"},
	View: recordKindsView(),
	Columns: []Column{
		{"agent", "VARCHAR", "agent that wrote the log"},
		{"kind", "VARCHAR", "kind of record, in the agent's own words"},
		{"known", "BOOLEAN", "false if hindsql doesn't know the kind"},
		{"lines", "BIGINT", "records of the kind"},
		{"first_version", "VARCHAR", "lowest version of the agent with the kind"},
		{"last_version", "VARCHAR", "highest version of the agent with the kind"},
		{"first_seen", "TIMESTAMPTZ", "earliest record"},
		{"last_seen", "TIMESTAMPTZ", "latest record"},
	},
}

var fileFields = newRowTable(Table{
	Name:     "file_fields",
	Doc:      "One row per file, kind of record and unknown field; table record_fields has the sums.",
	Internal: true,
}, []column[inFile[RecordField]]{
	text("agent", "agent that wrote the log", func(r *inFile[RecordField]) string { return r.f.Agent }),
	text("kind", "kind of record", func(r *inFile[RecordField]) string { return r.e.Kind }),
	text("field", "path of the field", func(r *inFile[RecordField]) string { return r.e.Field }),
	bigint("lines", "occurrences", func(r *inFile[RecordField]) int64 { return r.e.Lines }),
	text("first_version", "lowest version of the agent with the field", func(r *inFile[RecordField]) string { return r.e.FirstVersion }),
	text("example", "type and length of the first occurrence", func(r *inFile[RecordField]) string { return r.e.Example }),
	bigint("source_id", "the log file, see sources", func(r *inFile[RecordField]) int64 { return r.f.id }),
})

// fieldsOfVersion is the maximum number of fields shown for a version.
const fieldsOfVersion = 500

var recordFields = &Table{
	Name: "record_fields",
	Doc:  "One row per field unknown to hindsql, by kind of record: written by an agent newer than hindsql, and left out of all tables. A row of kind (version) names a version of the agent newer than all versions tested with hindsql. At most 500 rows a version. Without new fields and versions, the table is empty.",
	Key:  []string{"agent", "kind", "field"},
	View: recordFieldsView(),
	Columns: []Column{
		{"agent", "VARCHAR", "agent that wrote the log"},
		{"kind", "VARCHAR", "kind of record, as in record_kinds; (version) for a version"},
		{"field", "VARCHAR", "path of at most three keys; [] stands for a list's elements, * for keys that are data"},
		{"lines", "BIGINT", "number of occurrences"},
		{"first_version", "VARCHAR", "lowest version of the agent with the field; null if no record names a version"},
		{"example", "VARCHAR", "type and length of an example; never a value"},
	},
}

func recordFieldsView() string {
	order := fmt.Sprintf(versionOrder, "first_version")
	return fmt.Sprintf(`FROM (
  SELECT agent, kind, field, sum(lines)::BIGINT AS lines, arg_min(first_version, %s) AS first_version, min(example) AS example
  FROM {schema}.file_fields GROUP BY agent, kind, field)
QUALIFY row_number() OVER (PARTITION BY agent, first_version ORDER BY kind, field) <= %d`, order, fieldsOfVersion)
}

// Neighbour is another file that a log's reader opened or looked for. The log's rows
// may depend on the neighbour, so a change of the neighbour counts as a change of the
// log.
type Neighbour struct {
	Path       string // absolute
	WasRead    bool   // true if the reader read the content; false if only existence matters
	Exists     bool
	Size       int64     // bytes; zero if missing
	ModifiedAt time.Time // zero if missing
}

var neighbours = newRowTable(Table{
	Name:     "neighbours",
	Doc:      "One row per log file and neighbour: a file opened or looked for to read the log, with the state just before. A log is read again after a change of a neighbour.",
	Internal: true,
}, []column[inFile[Neighbour]]{
	text("agent", "agent that wrote the log", func(n *inFile[Neighbour]) string { return n.f.Agent }),
	text("path", "path of the neighbour", func(n *inFile[Neighbour]) string { return n.e.Path }),
	boolean("existed", "true if the neighbour existed", func(n *inFile[Neighbour]) bool { return n.e.Exists }),
	maybeBigint("size", "bytes; null if the neighbour didn't exist, or if only its existence mattered", func(n *inFile[Neighbour]) Maybe[int64] {
		return Maybe[int64]{n.e.Size, n.e.Exists && n.e.WasRead}
	}),
	instant("modified_at", "modification time; null in the same cases", func(n *inFile[Neighbour]) time.Time {
		if !n.e.WasRead {
			return time.Time{}
		}
		return n.e.ModifiedAt
	}),
	bigint("source_id", "the log file, see sources", func(n *inFile[Neighbour]) int64 { return n.f.id }),
})

// Neighbour records a file that the reader opened or looked for. If the reader looked
// several times, the first record is kept. If the file changed between two looks, a
// later sync then sees the change.
func (f *File) Neighbour(n Neighbour) {
	if known := f.byPath[n.Path]; known != nil {
		known.WasRead = known.WasRead || n.WasRead
		return
	}
	if f.byPath == nil {
		f.byPath = map[string]*Neighbour{}
	}
	f.byPath[n.Path] = &n
	f.neighbours = append(f.neighbours, &n)
}

func recordKindsView() string {
	order := func(column string) string { return fmt.Sprintf(versionOrder, column) }
	return fmt.Sprintf(`SELECT agent, kind, bool_and(known) AS known, sum(lines)::BIGINT AS lines,
  arg_min(first_version, %s) AS first_version, arg_max(last_version, %s) AS last_version,
  min(first_seen) AS first_seen, max(last_seen) AS last_seen
FROM {schema}.file_kinds GROUP BY ALL`, order("first_version"), order("last_version"))
}
