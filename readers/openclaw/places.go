package openclaw

import (
	"path"
	"path/filepath"
	"strings"

	"hindsql/readers"
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
