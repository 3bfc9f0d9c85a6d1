// Package claude reads the logs of Claude Code: the transcripts under projects/ and the
// prompt history. FORMAT.md describes the files, README.md how each kind of record
// becomes rows.
//
// Comments use these words: a marker is the line "[Request interrupted by user]" or
// "[Request interrupted by user for tool use]", which Claude Code writes when the user
// presses Esc. A batch is the tool calls of one message of the model. A stamp is a
// field that Claude Code writes beside a tool's result, for example toolDenialKind. A
// frame is what Claude Code puts around a tool's own words, for example "Exit code 2"
// or <tool_use_error>.
package claude

import (
	"cmp"
	_ "embed" // fields.txt
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

// Reader reads the logs of Claude Code, versions 1.0.17 to 2.1.332.
var Reader = &readers.Reader{
	Agent:      "claude",
	Title:      "Claude Code",
	Version:    6,
	Env:        "CLAUDE_CONFIG_DIR",
	Roots:      roots,
	Under:      append([]string{"projects", historyFile}, coworkProjects()...),
	IsLog:      isLog,
	Companions: "sessions-index.json custom-title.json *.meta.json journal.jsonl audit.jsonl memory/ tool-results/ session-memory/ workflows/",
	Appends:    true,
	NamedBy:    namedBy,
	Read:       read,
	Records:    readers.ParseFacts("refusals? reasons refused-diffs rule-refusals? grants? machine-grants? waits cascades? interruptions? partial-output system-stops? compactions compaction-tokens compaction-triggers summaries clears prompts branches forks subagents tokens thinking exit-codes costs versions git-branches"),
	Fields:     readers.Fields(fields),
	Versions:   "1.0.17 to 2.1.332",
	Kept:       "Transcripts are deleted after 30 days, or after `cleanupPeriodDays` of its settings. The history of prompts lives longer.",
	Tested:     "2.1.332",
	Worktrees:  []string{"REPO/.claude/worktrees/NAME"},
	Retention:  retention,
	Servers:    servers,
	Resume:     "claude --resume ID",
	Skills:     readers.SkillFolders{User: skills, Project: []string{".claude/skills"}},
}

//go:embed fields.txt
var fields string

const historyFile = "history.jsonl"

// roots returns ~/.claude, the folder claude in the XDG config folder (which some
// set-ups use on every system), and Claude Desktop's data folders.
func roots(host readers.Host) []string {
	return append([]string{filepath.Join(host.Home, ".claude"), filepath.Join(host.XDGConfig(), "claude")}, desktopRoots(host)...)
}

// skills returns the folder of a user's skills: in CLAUDE_CONFIG_DIR, or
// ~/.claude/skills (code.claude.com/docs, "Skills"; DataDog/pup#622 for the variable).
// Claude Code doesn't read the shared folder (anthropics/claude-code#22902).
func skills(host readers.Host) []string {
	config, _, _ := strings.Cut(host.Getenv("CLAUDE_CONFIG_DIR"), ",")
	return []string{filepath.Join(cmp.Or(strings.TrimSpace(config), filepath.Join(host.Home, ".claude")), "skills")}
}

// isLog reports whether a file is a transcript. A workflow's journal.jsonl isn't read,
// because it repeats the transcripts of the workflow's agents.
func isLog(rel string) bool {
	if strings.HasPrefix(rel, coworkFolder+"/") && !isCoworkLog(rel) {
		return false
	}
	return strings.HasSuffix(rel, ".jsonl") && path.Base(rel) != "journal.jsonl"
}

// namedBy leaves out the project's folder, which has no facts: a transcript's lines name
// the project. An agent's transcript takes its session from the folder's name, and a file
// beside a folder of Cowork names the project.
func namedBy(rel string) string {
	if strings.Contains(rel, inCowork) {
		return rel
	}
	if folder, _, ok := strings.Cut(rel, "/subagents/"); ok {
		return strings.TrimPrefix(rel, strings.TrimSuffix(folder, path.Base(folder)))
	}
	return path.Base(rel)
}

func read(in *readers.Input) error {
	if path.Base(in.Rel) == historyFile {
		return readHistory(in)
	}
	return readTranscript(in)
}

// servers: `claude mcp add` and `remove` of 2.1.197 were run (package
// @anthropic-ai/claude-code of npm). Adding an existing name exits with 1. User scope
// is mcpServers of ~/.claude.json, or of .claude.json in $CLAUDE_CONFIG_DIR; every
// session rewrites the file. Project scope is .mcp.json. Its approval:
// code.claude.com/docs/en/mcp, "Project server approvals".
var servers = readers.Servers{
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

// retention reads cleanupPeriodDays of the user's settings.
func retention(root string) (readers.Retention, error) {
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
// a ~/.claude of its own (FORMAT.md §1.3).
const coworkFolder = "local-agent-mode-sessions"

// inCowork follows the folder of a Cowork session in the path of a transcript.
const inCowork = "/.claude/projects/"

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

// notOfCowork lists names below coworkFolder that hold no transcripts. audit.jsonl
// repeats a session in the form in which a calling program receives it.
var notOfCowork = []string{"skills-plugin", "uploads", "outputs", "audit.jsonl"}

// isCoworkLog reports whether a file lies below a session's own projects/ folder.
func isCoworkLog(rel string) bool {
	_, below, ok := strings.Cut(rel, inCowork)
	if !ok || path.Base(below) == "audit.jsonl" {
		return false
	}
	parts := strings.Split(strings.TrimSuffix(rel, below), "/")
	return !slices.ContainsFunc(parts, func(part string) bool { return slices.Contains(notOfCowork, part) })
}
