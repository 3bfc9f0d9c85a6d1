package tables

import "time"

type sourceRow struct {
	*File
	messages int
}

var sources = newSheet(Table{
	Name: "sources",
	Doc:  "One row per log file, and per part of a file with many sessions side by side. Agents delete old logs; the rows of a deleted log stay until hindsql prune. An unreadable path in place of a log, such as a named pipe or a folder that can't be listed, has a row with reader_version 0 as long as the path exists. A folder of logs has such a row while the disk gives no answer.",
	Key:  []string{"source_id"},
}, withOrigin(func(s *sourceRow) *Source { return &s.Source }, []column[sourceRow]{
	text("agent", "agent that wrote the log", func(s *sourceRow) string { return s.Agent }),
	text("path", "path of the file", func(s *sourceRow) string { return s.Path }),
	text("part", "part of a file with many sessions side by side; null for the whole file", func(s *sourceRow) string { return s.Part }),
	bigint("messages", "messages from the log, copies included", func(s *sourceRow) int64 { return int64(s.messages) }),
	bigint("problems", "rows of the log in problems", func(s *sourceRow) int64 { return int64(len(s.problems)) }),
	bigint("size", "bytes at the time of the load; approximate for a part", func(s *sourceRow) int64 { return s.Size }),
	instant("modified_at", "modification time of the file at the load; null for a part", func(s *sourceRow) time.Time { return s.ModifiedAt }),
	instant("loaded_at", "time of the load", func(s *sourceRow) time.Time { return s.LoadedAt }),
	linked[sourceRow]("gone_at", "TIMESTAMPTZ", "time when the file was first missing; null while the file exists"),
	linked[sourceRow]("unread_since", "TIMESTAMPTZ", "when the log became unreadable, or the disk gave no answer; the older rows stay; null while the log can be read"),
	text("stamp", "mark that changes with a part; for a file with parts, with the list of parts", func(s *sourceRow) string { return s.Stamp }),
	bigint("reader_version", "version of the reader at the load; -1 for a log found but never read, because the disk gives no answer", func(s *sourceRow) int64 { return int64(s.ReaderVersion) }),
	bigint("source_id", "id of the file, the same on every load", func(s *sourceRow) int64 { return s.id }),
}))

var prompts = newSheet(Table{
	Name: "prompts",
	Doc:  "One row per input in the agents' own history files, which outlive the sessions.",
}, withOrigin(func(p *inFile[Prompt]) *Source { return &p.f.Source }, []column[inFile[Prompt]]{
	instant("timestamp", "time of the input", func(p *inFile[Prompt]) time.Time { return p.e.Timestamp }),
	text("agent", "agent that wrote the log", func(p *inFile[Prompt]) string { return p.f.Agent }),
	text("project", "working directory", func(p *inFile[Prompt]) string { return p.e.Project }),
	long(text("text", "typed text, including pastes if kept", func(p *inFile[Prompt]) string { return p.e.Text })),
	boolean("is_command", "true for a slash command", func(p *inFile[Prompt]) bool { return p.e.IsCommand }),
	text("session_id", "session of the input; null for old versions of the agent", func(p *inFile[Prompt]) string { return p.e.SessionID }),
	boolean("is_copy", "true if another machine's history has the input, too", func(p *inFile[Prompt]) bool { return false }),
	bigint("source_id", "the log file, see sources", func(p *inFile[Prompt]) int64 { return p.f.id }),
}))

var problems = newSheet(Table{
	Name: "problems",
	Doc:  "One row per unreadable or partly unreadable line or file: damage, and impossible numbers, such as 9e18 tokens, which are left out.",
}, withOrigin(func(p *inFile[Problem]) *Source { return &p.f.Source }, []column[inFile[Problem]]{
	text("agent", "agent that wrote the log", func(p *inFile[Problem]) string { return p.f.Agent }),
	text("path", "the log file", func(p *inFile[Problem]) string { return p.f.Path }),
	maybeBigint("line", "1-based line, null for the whole file", func(p *inFile[Problem]) Maybe[int64] { return Maybe[int64]{p.e.Line, p.e.Line > 0} }),
	text("what", "description of the problem", func(p *inFile[Problem]) string { return p.e.What }),
	text("excerpt", "the first bytes of the damage, 200 at most", func(p *inFile[Problem]) string { return p.e.Excerpt }),
	bigint("byte_offset", "start of the damage, in bytes from the start of the file", func(p *inFile[Problem]) int64 { return p.e.ByteOffset }),
	bigint("source_id", "the log file, see sources", func(p *inFile[Problem]) int64 { return p.f.id }),
}))

var fileKinds = newSheet(Table{
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
