package openclaw

import (
	"path"
	"path/filepath"
	"strings"

	"hindsql/readers"
	"hindsql/readers/sqlite"
)

// roots returns the folders of OpenClaw's state: today's, and those of its earlier names
// (FORMAT.md §1).
func roots(host readers.Host) []string {
	return readers.HomeFolders(".openclaw", ".clawdbot", ".moltbot")(host)
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
	deflated  = ".zst"
)

// isLog accepts the databases, by their names alone: locks and files with keys lie beside
// them.
func isLog(rel string) bool {
	return isAgentDatabase(rel) || isStateDatabase(rel) || isLines(rel)
}

func isAgentDatabase(rel string) bool {
	return path.Base(rel) == agentFile && path.Base(path.Dir(rel)) == "agent"
}

func isStateDatabase(rel string) bool { return rel == stateFile }

// isLines accepts sessions in files of lines, renamed files of reset and deleted sessions
// included. A trajectory file repeats a session.
func isLines(rel string) bool {
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

// clawServers describes OpenClaw's registry, which its own commands change
// (openclaw/openclaw, docs/cli/mcp.md). OpenClaw's gateway writes the file while
// running. hindsql can't read all forms of its JSON.
var clawServers = readers.Servers{
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

// windows lists the sessions of an agent's database. Each lookup of a last event uses an
// index, because the list must stay cheap in a large database.
func windows(db *sqlite.DB) (parts []readers.Part, err error) {
	take := func(row *sqlite.Row) error {
		last, _ := row.Int(2)
		parts = append(parts, readers.Part{Name: strings.Clone(row.Text(0)), Stamp: row.Text(1), Size: (last + 1) * 1024})
		return nil
	}
	if db.Columns("session_windows") == nil || db.Columns("transcript_events") == nil {
		return nil, nil
	}
	err = db.Query(take, windowsOf(db))
	if err != nil || db.Columns("session_transcript_archives") == nil {
		return parts, err
	}
	err = db.Query(take, `SELECT session_id, 'archive ' || max(created_at), sum(octet_length(archive_blob)) / 1024
		FROM session_transcript_archives AS a WHERE NOT EXISTS (SELECT 1 FROM session_windows AS w WHERE w.session_id = a.session_id) GROUP BY session_id`)
	return parts, err
}

// windowsOf returns the statement that lists sessions with stamps. A stamp holds the number
// of the last event, of the last run's event, the last rewrite, and the columns that rows
// are made of.
func windowsOf(db *sqlite.DB) string {
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
	add("session_nodes", `coalesce((SELECT coalesce(n.archived_at, 0) || ' ' || coalesce(n.label, '') || ' ' || coalesce(n.display_name, '') || ' ' || (n.current_session_id = w.session_id)
		FROM session_nodes AS n WHERE n.session_key = w.session_key), '')`, "archived_at", "label", "display_name", "current_session_id", "session_key")
	return "SELECT w.session_id, " + strings.Join(stamp, " || '.' || ") + ", " + stamp[1] + " FROM session_windows AS w ORDER BY w.rowid"
}
