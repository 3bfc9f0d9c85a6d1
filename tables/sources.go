package tables

import "time"

type sourceRow struct {
	*File
	messages int
}

var sources = newSheet(Table{
	Name: "sources",
	Doc:  "One row per log file, and per part of one that holds many sessions side by side. Agents delete old logs; the rows that came from them stay until hindsql prune. What stands in the place of a log and can't be read, such as a named pipe, or a folder that can't be listed, has a row while it is there, with reader_version 0; so has a folder of logs while its disk gives no answer.",
	Key:  []string{"source_id"},
}, withOrigin(func(s *sourceRow) *Source { return &s.Source }, []column[sourceRow]{
	text("agent", "which agent wrote it", func(s *sourceRow) string { return s.Agent }),
	text("path", "where it lies", func(s *sourceRow) string { return s.Path }),
	text("part", "which part of the file, where it holds many sessions side by side; null for the file itself", func(s *sourceRow) string { return s.Part }),
	bigint("messages", "messages that came from it, copies included", func(s *sourceRow) int64 { return int64(s.messages) }),
	bigint("problems", "problems that came from it", func(s *sourceRow) int64 { return int64(len(s.problems)) }),
	bigint("size", "bytes when it was loaded; of a part, roughly", func(s *sourceRow) int64 { return s.Size }),
	instant("modified_at", "its time of modification when it was loaded; null for a part", func(s *sourceRow) time.Time { return s.ModifiedAt }),
	instant("loaded_at", "when it was loaded", func(s *sourceRow) time.Time { return s.LoadedAt }),
	linked[sourceRow]("gone_at", "TIMESTAMPTZ", "when the file was first missed; null while it is there"),
	linked[sourceRow]("unread_since", "TIMESTAMPTZ", "since when it can't be read, or its disk gives no answer; its rows are those of before; null while it can"),
	text("stamp", "what a part's last change is known by; of a file with parts, of their list", func(s *sourceRow) string { return s.Stamp }),
	bigint("reader_version", "version of the reader that loaded it; -1 for a log that was found, and never read, as its disk gives no answer", func(s *sourceRow) int64 { return int64(s.ReaderVersion) }),
	bigint("source_id", "id of the file, the same on every load", func(s *sourceRow) int64 { return s.id }),
}))

var prompts = newSheet(Table{
	Name: "prompts",
	Doc:  "One row per input in the agents' own history files, which outlive the sessions.",
}, withOrigin(func(p *inFile[Prompt]) *Source { return &p.f.Source }, []column[inFile[Prompt]]{
	instant("timestamp", "when it was typed", func(p *inFile[Prompt]) time.Time { return p.e.Timestamp }),
	text("agent", "which agent wrote the log", func(p *inFile[Prompt]) string { return p.f.Agent }),
	text("project", "working directory", func(p *inFile[Prompt]) string { return p.e.Project }),
	long(text("text", "what was typed, pastes included where they were kept", func(p *inFile[Prompt]) string { return p.e.Text })),
	boolean("is_command", "true for a slash command", func(p *inFile[Prompt]) bool { return p.e.IsCommand }),
	text("session_id", "session it was typed into; null in old versions", func(p *inFile[Prompt]) string { return p.e.SessionID }),
	boolean("is_copy", "true when another machine's history has it, too", func(p *inFile[Prompt]) bool { return false }),
	bigint("source_id", "the log file, see sources", func(p *inFile[Prompt]) int64 { return p.f.id }),
}))

var problems = newSheet(Table{
	Name: "problems",
	Doc:  "One row per line or file that could not be read, or not wholly: damage, and numbers that can't be true, such as 9e18 tokens, which are left out.",
}, withOrigin(func(p *inFile[Problem]) *Source { return &p.f.Source }, []column[inFile[Problem]]{
	text("agent", "which agent wrote the log", func(p *inFile[Problem]) string { return p.f.Agent }),
	text("path", "the log file", func(p *inFile[Problem]) string { return p.f.Path }),
	maybeBigint("line", "1-based line, null for the whole file", func(p *inFile[Problem]) Maybe[int64] { return Maybe[int64]{p.e.Line, p.e.Line > 0} }),
	text("what", "what is wrong", func(p *inFile[Problem]) string { return p.e.What }),
	text("excerpt", "the first bytes of the damage, 200 at most", func(p *inFile[Problem]) string { return p.e.Excerpt }),
	bigint("byte_offset", "where the damage begins, in bytes from the start of the file", func(p *inFile[Problem]) int64 { return p.e.ByteOffset }),
	bigint("source_id", "the log file, see sources", func(p *inFile[Problem]) int64 { return p.f.id }),
}))

var fileKinds = newSheet(Table{
	Name:     "file_kinds",
	Doc:      "One row per file and kind of record; record_kinds sums them up.",
	Internal: true,
}, []column[inFile[RecordKind]]{
	text("agent", "which agent wrote the log", func(k *inFile[RecordKind]) string { return k.f.Agent }),
	text("kind", "kind of record", func(k *inFile[RecordKind]) string { return k.e.Kind }),
	boolean("known", "false when the reader doesn't know the kind", func(k *inFile[RecordKind]) bool { return k.e.Known }),
	bigint("lines", "records", func(k *inFile[RecordKind]) int64 { return k.e.Lines }),
	text("first_version", "lowest version of the agent that wrote one", func(k *inFile[RecordKind]) string { return k.e.FirstVersion }),
	text("last_version", "highest version", func(k *inFile[RecordKind]) string { return k.e.LastVersion }),
	instant("first_seen", "earliest record", func(k *inFile[RecordKind]) time.Time { return k.e.FirstSeen }),
	instant("last_seen", "latest record", func(k *inFile[RecordKind]) time.Time { return k.e.LastSeen }),
	bigint("source_id", "the log file, see sources", func(k *inFile[RecordKind]) int64 { return k.f.id }),
})

// versionOrder is the SQL to order versions by their numbers.
const versionOrder = `list_transform(string_split(%[1]s, '.'), lambda n: coalesce(try_cast(regexp_extract(n, '^[0-9]+') AS INTEGER), 0))`

var recordKinds = &Table{
	Name: "record_kinds",
	Doc:  "One row per kind of record in the agents' logs. A kind that is not known came with a newer agent: its records are counted here and become no rows.",
	Key:  []string{"agent", "kind"},
	View: recordKindsView(),
	Columns: []Column{
		{"agent", "VARCHAR", "which agent wrote the log"},
		{"kind", "VARCHAR", "kind of record, in the agent's own words"},
		{"known", "BOOLEAN", "false when hindsql doesn't know the kind"},
		{"lines", "BIGINT", "records of the kind"},
		{"first_version", "VARCHAR", "lowest version of the agent that wrote one"},
		{"last_version", "VARCHAR", "highest version of the agent that wrote one"},
		{"first_seen", "TIMESTAMPTZ", "earliest record"},
		{"last_seen", "TIMESTAMPTZ", "latest record"},
	},
}
