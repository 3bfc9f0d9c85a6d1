// Package claudefiles knows where Claude Code and Claude Desktop keep their logs, and reads
// what lies beside a transcript: the history of typed inputs, and the files that were
// saved before a change (readers/claude/FORMAT.md).
package claudefiles

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"hindsql/readers"
)

// HistoryFile is the history of typed inputs, below a root.
const HistoryFile = "history.jsonl"

// Roots returns ~/.claude, the folder claude in the XDG config folder (which some
// set-ups use on every system), and Claude Desktop's data folders.
func Roots(host readers.Host) []string {
	return append([]string{filepath.Join(host.Home, ".claude"), filepath.Join(host.XDGConfig(), "claude")}, desktopRoots(host)...)
}

// Skills returns the folder of a user's skills: in CLAUDE_CONFIG_DIR, or
// ~/.claude/skills (code.claude.com/docs, "Skills"; DataDog/pup#622 for the variable).
// Claude Code doesn't read the shared folder (anthropics/claude-code#22902).
func Skills(host readers.Host) []string {
	config, _, _ := strings.Cut(host.Getenv("CLAUDE_CONFIG_DIR"), ",")
	return []string{filepath.Join(cmp.Or(strings.TrimSpace(config), filepath.Join(host.Home, ".claude")), "skills")}
}

// IsLog reports whether a file is a transcript. A workflow's journal.jsonl isn't read,
// because it repeats the transcripts of the workflow's agents.
func IsLog(rel string) bool {
	if strings.HasPrefix(rel, coworkFolder+"/") && !isCoworkLog(rel) {
		return false
	}
	return strings.HasSuffix(rel, ".jsonl") && path.Base(rel) != "journal.jsonl"
}

// NamedBy leaves out the project's folder, which has no facts: a transcript's lines name
// the project. An agent's transcript takes its session from the folder's name, and a file
// beside a folder of Cowork names the project.
func NamedBy(rel string) string {
	if strings.Contains(rel, InCowork) {
		return rel
	}
	if folder, _, ok := strings.Cut(rel, "/subagents/"); ok {
		return strings.TrimPrefix(rel, strings.TrimSuffix(folder, path.Base(folder)))
	}
	return path.Base(rel)
}

// Servers: `claude mcp add` and `remove` of 2.1.197 were run (package
// @anthropic-ai/claude-code of npm). Adding an existing name exits with 1. User scope
// is mcpServers of ~/.claude.json, or of .claude.json in $CLAUDE_CONFIG_DIR; every
// session rewrites the file. Project scope is .mcp.json. Its approval:
// code.claude.com/docs/en/mcp, "Project server approvals".
var Servers = readers.Servers{
	Add:         strings.Fields("claude mcp add --scope user NAME -- LINE"),
	Remove:      strings.Fields("claude mcp remove --scope user NAME"),
	User:        userServers,
	Project:     []string{".mcp.json"},
	Key:         []string{"mcpServers"},
	Entry:       `{"type": "stdio", "command": PROGRAM, "args": ARGS}`,
	ProjectNote: "it asks once whether the server may be started",
}

// userServers returns one file for each configuration folder.
func userServers(host readers.Host) (list []readers.ServerFile) {
	for folder := range strings.SplitSeq(cmp.Or(host.Getenv("CLAUDE_CONFIG_DIR"), host.Home), ",") {
		if folder = strings.TrimSpace(folder); folder != "" {
			list = append(list, readers.ServerFile{Paths: []string{filepath.Join(folder, ".claude.json")}})
		}
	}
	return list
}

// defaultDays is how long transcripts are kept if no setting says otherwise.
const defaultDays = 30

// Retention reads cleanupPeriodDays of the user's settings.
func Retention(root string) (readers.Retention, error) {
	r := readers.Retention{Days: defaultDays, Setting: "cleanupPeriodDays", File: filepath.Join(root, "settings.json")}
	text, err := readers.ReadFile(r.File)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return r, err
	}
	var settings struct {
		Days *float64 `json:"cleanupPeriodDays"`
	}
	if err := json.Unmarshal(text, &settings); err != nil {
		return r, fmt.Errorf("%s: %w", r.File, err)
	}
	if settings.Days != nil {
		r.Days, r.Set = int(*settings.Days), true
	}
	return r, nil
}

// coworkFolder is the folder in which Claude Desktop keeps Cowork's sessions. Each has
// a ~/.claude of its own (readers/claude/FORMAT.md §1.3).
const coworkFolder = "local-agent-mode-sessions"

// InCowork follows the folder of a Cowork session in the path of a transcript.
const InCowork = "/.claude/projects/"

// desktopRoots returns Claude Desktop's data folders.
func desktopRoots(host readers.Host) []string {
	list := []string{filepath.Join(host.ConfigFolder(), "Claude")}
	if host.OS == "windows" {
		local := cmp.Or(host.Getenv("LOCALAPPDATA"), filepath.Join(host.Home, "AppData", "Local"))
		list = append(list, filepath.Join(local, "Packages", "Claude_pzs8sxrjxfjjc", "LocalCache", "Roaming", "Claude")) // from the Store
	}
	return list
}

// coworkProjects returns patterns of the folders with Cowork's transcripts, relative to
// Claude Desktop's data folder. The patterns match no folders of plugins, and no files
// that the user gave to a session or that a session made.
func coworkProjects() []string {
	return []string{
		coworkFolder + "/*/*/local_*/.claude/projects",
		coworkFolder + "/*/*/agent/local_*/.claude/projects",
	}
}

// Under returns patterns of the folders with logs, below a root.
func Under() []string { return append([]string{"projects", HistoryFile}, coworkProjects()...) }

// notOfCowork lists names below coworkFolder that hold no transcripts. audit.jsonl
// repeats a session in the form in which a calling program receives it.
var notOfCowork = []string{"skills-plugin", "uploads", "outputs", "audit.jsonl"}

// isCoworkLog reports whether a file lies below a session's own projects/ folder.
func isCoworkLog(rel string) bool {
	_, below, ok := strings.Cut(rel, InCowork)
	if !ok || path.Base(below) == "audit.jsonl" {
		return false
	}
	parts := strings.Split(strings.TrimSuffix(rel, below), "/")
	return !slices.ContainsFunc(parts, func(part string) bool { return slices.Contains(notOfCowork, part) })
}
