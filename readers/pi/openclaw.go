package pi

import (
	"path"
	"path/filepath"
	"strings"

	"hindsql/readers"
	"hindsql/readers/pilines"
)

// OpenClaw reads the logs of OpenClaw, whose agents have a folder each.
var OpenClaw = pilines.New(pilines.Kin{
	Agent: "openclaw", Title: "OpenClaw", Version: version, Versions: assumed, Under: "*/sessions", IsLog: isClawLog,
	Kept:  "Its own maintenance, `session.maintenance` of its settings, may delete old ones.",
	Roots: below(".openclaw", "agents"), Settings: below(".openclaw"), Fields: readers.Fields(fields),
	Skills:  readers.SkillFolders{User: clawSkills, Project: []string{readers.SharedSkills, "skills"}},
	Servers: clawServers,
})

// isClawLog accepts the sessions. OpenClaw renames reset and deleted sessions, and keeps
// a record of its runs beside the sessions, which repeats them.
func isClawLog(rel string) bool {
	if strings.HasSuffix(rel, ".trajectory.jsonl") {
		return false
	}
	_, archived, is := strings.Cut(path.Base(rel), ".jsonl")
	return is && (archived == "" || strings.HasPrefix(archived, ".reset.") || strings.HasPrefix(archived, ".deleted."))
}

// clawSkills returns OpenClaw's folders of skills. With OPENCLAW_STATE_DIR, OpenClaw
// ignores the home folder (openclaw/openclaw, docs/tools/skills.md).
func clawSkills(host readers.Host) []string {
	if state := host.Getenv("OPENCLAW_STATE_DIR"); state != "" {
		return []string{filepath.Join(state, "skills")}
	}
	return readers.HomeFolders(readers.SharedSkills, ".openclaw/skills")(host)
}

// clawServers describes OpenClaw's registry, which its own commands change
// (openclaw/openclaw, docs/cli/mcp.md). OpenClaw's gateway writes the file while
// running, and other programs can't read all forms of its JSON.
var clawServers = readers.Servers{
	Add:      strings.Fields("openclaw mcp set NAME ENTRY"),
	Remove:   strings.Fields("openclaw mcp unset NAME"),
	Replaces: true,
	User: func(host readers.Host) []readers.ServerFile {
		return []readers.ServerFile{{Paths: []string{filepath.Join(host.Home, ".openclaw", "openclaw.json")}, ReadOnly: true}}
	},
	Key:   []string{"mcp", "servers"},
	Entry: `{"command": PROGRAM, "args": ARGS}`,
	Note:  "its agents work in folders of their own: --all or --project says what they may ask about",
}
