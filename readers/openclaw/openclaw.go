// Package openclaw reads the sessions of OpenClaw: the database that each agent has, the
// approvals in the database that all agents share, and the files of lines that older
// versions kept. README.md says what becomes of each kind of record, FORMAT.md what the
// records are. The package pilines reads the lines.
package openclaw

import (
	_ "embed" // fields.txt
	"fmt"
	"hash/fnv"
	"path"
	"path/filepath"
	"strings"
	"time"

	"hindsql/readers"
	"hindsql/readers/pilines"
	"hindsql/readers/sqlite"
)

// Reader reads the sessions of OpenClaw 2026.9, and the lines of older versions.
var Reader = &readers.Reader{
	Agent:    "openclaw",
	Title:    "OpenClaw",
	Version:  7,
	Env:      "OPENCLAW_STATE_DIR",
	Roots:    readers.HomeFolders(".openclaw", ".clawdbot", ".moltbot"),                         // of the state; the later two by earlier names (FORMAT.md §1)
	Under:    []string{"agents/*/agent", "agents/*/sessions", "*/agent", "*/sessions", "state"}, // a root may be the folder agents
	IsLog:    isLog,
	Suffixes: sqlite.Suffixes,
	Read:     read,
	Parts:    partsOf, PartsOnly: true,
	Records:    readers.ParseFacts(pilines.Facts + "grants? clears subagents versions compaction-tokens? compaction-triggers~"),
	Unread:     "*.trajectory.jsonl",
	Companions: "*.json",
	Fields:     readers.Fields(fields),
	Tested:     "2026.9.6",
	Versions:   "2026.9.6; the files of lines before 2026.8 only by the source of 2026.2 to 2026.4; the folders `~/.clawdbot` and `~/.moltbot` are assumed",
	Kept: "A deleted session stays as an archive, in the database and beside it. " +
		"OpenClaw's own maintenance, `session.maintenance` of its settings, may delete old ones.",
	Servers:  servers,
	Settings: settings,
	Skills:   readers.SkillFolders{User: skills, Project: []string{readers.SharedSkills, "skills"}},
}

//go:embed fields.txt
var fields string

func read(in *readers.Input) error {
	switch {
	case isLineFile(in.Rel):
		return readFile(in)
	case in.Part == "":
		return nil // its parts have it all
	case in.Part == tablesPart:
		return readTables(in)
	case isAgentDatabase(in.Rel):
		return readWindow(in)
	}
	return readApproval(in)
}

func partsOf(in *readers.Input) (parts []readers.Part, err error) {
	switch {
	case isAgentDatabase(in.Rel):
		err = sqlite.View(in, func(db *sqlite.DB) error {
			parts, err = listWindows(db)
			parts = append(parts, tablesOf(db, agentTables))
			return err
		})
	case isStateDatabase(in.Rel):
		err = sqlite.View(in, func(db *sqlite.DB) error {
			parts, err = listApprovals(db)
			parts = append(parts, tablesOf(db, stateTables))
			return err
		})
	}
	return parts, err
}

func settings(host readers.Host) []string {
	if state := host.Getenv("OPENCLAW_STATE_DIR"); state != "" {
		return []string{state}
	}
	return readers.HomeFolders(".openclaw")(host)
}

const (
	agentFile = "openclaw-agent.sqlite" // an agent's database, in its folder agent
	stateFile = "state/openclaw.sqlite" // the database of all agents
	extension = ".jsonl"
	// checkpoint stands in the name of a copy of a session's file, which OpenClaw makes
	// before a compaction.
	checkpoint = ".checkpoint."
)

// isLog accepts the databases, by their names alone: locks and files with keys lie beside
// them.
func isLog(rel string) bool { return isAgentDatabase(rel) || isStateDatabase(rel) || isLineFile(rel) }

func isAgentDatabase(rel string) bool {
	return path.Base(rel) == agentFile && path.Base(path.Dir(rel)) == "agent"
}

func isStateDatabase(rel string) bool { return rel == stateFile }

// isLineFile accepts sessions in files of lines, renamed files of reset and deleted
// sessions included. A trajectory file repeats a session.
func isLineFile(rel string) bool {
	if path.Base(path.Dir(rel)) != "sessions" || strings.HasSuffix(rel, ".trajectory.jsonl") {
		return false
	}
	_, archived, is := strings.Cut(path.Base(rel), extension)
	return is && (archived == "" || strings.HasPrefix(archived, ".reset.") || strings.HasPrefix(archived, ".deleted."))
}

// skills returns OpenClaw's folders of skills. With OPENCLAW_STATE_DIR, OpenClaw ignores
// the home folder (openclaw/openclaw, docs/tools/skills.md).
func skills(host readers.Host) []string {
	if state := host.Getenv("OPENCLAW_STATE_DIR"); state != "" {
		return []string{filepath.Join(state, "skills")}
	}
	return readers.HomeFolders(readers.SharedSkills, ".openclaw/skills")(host)
}

// servers describes OpenClaw's registry, which its own commands change
// (openclaw/openclaw, docs/cli/mcp.md). OpenClaw's gateway writes the file while
// running. hindsql can't read all forms of its JSON.
var servers = readers.Servers{
	Add:      strings.Fields("openclaw mcp set NAME ENTRY"),
	Remove:   strings.Fields("openclaw mcp unset NAME"),
	Replaces: true,
	User: func(host readers.Host) []readers.ServerFile {
		return []readers.ServerFile{{Paths: []string{filepath.Join(host.Home, ".openclaw", "openclaw.json")}}}
	},
	Key:   []string{"mcp", "servers"},
	Entry: `{"command": PROGRAM, "args": ARGS}`,
	Note:  "its agents work in folders of their own: --all or --project says what they may ask about",
}

// listWindows lists the sessions of an agent's database. Each lookup of a last event
// uses an index, because the list must stay cheap in a large database.
func listWindows(db *sqlite.DB) (parts []readers.Part, err error) {
	add := func(row *sqlite.Row) error {
		last, _ := row.Int(2)
		parts = append(parts, readers.Part{Name: strings.Clone(row.Text(0)), Stamp: row.Text(1), Size: (last + 1) * 1024})
		return nil
	}
	if db.Columns("session_windows") == nil || db.Columns("transcript_events") == nil {
		return nil, nil
	}
	err = db.Query(add, windowsStatement(db))
	if err != nil || db.Columns("session_transcript_archives") == nil {
		return parts, err
	}
	err = db.Query(add, `SELECT session_id, 'archive ' || max(created_at), sum(octet_length(archive_blob)) / 1024
		FROM session_transcript_archives AS a WHERE NOT EXISTS (SELECT 1 FROM session_windows AS w WHERE w.session_id = a.session_id) GROUP BY session_id`)
	return parts, err
}

// windowsStatement returns the statement that lists sessions with stamps. A stamp holds
// the number of the last event, of the last run's event, the last rewrite, and the
// columns that rows are made of.
func windowsStatement(db *sqlite.DB) string {
	stamp := []string{"w.updated_at", "coalesce((SELECT max(seq) FROM transcript_events AS e WHERE e.session_id = w.session_id), -1)"}
	add := func(table, term string, columns ...string) {
		if known := db.Select(table, columns...); !strings.Contains(known, "NULL") {
			stamp = append(stamp, term)
		}
	}
	add("session_windows", "coalesce(w.transcript_updated_at, 0)", "transcript_updated_at")
	add("trajectory_runtime_events", "coalesce((SELECT max(seq) FROM trajectory_runtime_events AS r WHERE r.session_id = w.session_id), -1)", "session_id", "seq")
	add("transcript_rewrite_watermarks", "coalesce((SELECT generation FROM transcript_rewrite_watermarks AS g WHERE g.session_id = w.session_id), '')", "session_id", "generation")
	add("session_transcript_cold_archives", "coalesce((SELECT generation FROM session_transcript_cold_archives AS c WHERE c.session_id = w.session_id), '')", "session_id", "generation")
	for _, column := range strings.Fields("archived_at label display_name current_session_id fork_source_session_id spawned_by created_via") {
		value := "n." + column
		if column == "current_session_id" {
			value += " = w.session_id"
		}
		add("session_nodes", "coalesce((SELECT "+value+" FROM session_nodes AS n WHERE n.session_key = w.session_key), '')", "session_key", column)
	}
	return "SELECT w.session_id, " + strings.Join(stamp, " || '.' || ") + ", " + stamp[1] + " FROM session_windows AS w ORDER BY w.rowid"
}

// agentTables and stateTables list the tables that the package reads. Statements name the
// columns. Other tables hold secrets: keys of devices, tokens, accounts.
var (
	agentTables = []string{
		"session_nodes", "session_windows", "transcript_events", "trajectory_runtime_events",
		"session_transcript_archives", "session_transcript_cold_archives", "transcript_rewrite_watermarks", "transcript_event_identities",
	}
	stateTables = []string{"operator_approvals"}
)

// tablesPart names the part with a database's unknown columns.
const tablesPart = "(tables)" // never a session's id

// tablesOf returns the part tablesPart, whose stamp changes with the columns.
func tablesOf(db *sqlite.DB, names []string) readers.Part {
	all := fnv.New64a()
	for _, table := range names {
		fmt.Fprintln(all, table, db.Columns(table))
	}
	return readers.Part{Name: tablesPart, Stamp: fmt.Sprintf("%x", all.Sum64()), Size: 512}
}

// readTables counts the tables, and records unknown columns.
func readTables(in *readers.Input) error {
	names, columns := agentTables, map[string][]string{}
	if isStateDatabase(in.Rel) {
		names = stateTables
	}
	err := sqlite.View(in, func(db *sqlite.DB) error {
		for _, table := range names {
			columns[table] = db.Columns(table)
		}
		return nil
	})
	if err != nil {
		return err
	}
	kinds := readers.NewKinds(in)
	for _, table := range names {
		if columns[table] == nil {
			continue
		}
		kinds.Count("table/"+table, true, "", time.Time{})
		kinds.RecordColumns(table, columns[table])
	}
	kinds.Emit(in.Emit)
	return nil
}
