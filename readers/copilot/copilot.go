// Package copilot reads the logs of GitHub Copilot CLI: the events of its sessions, and
// the history of typed prompts. README.md describes the rows, FORMAT.md the files;
// comments refer to its sections.
//
// Comments use these words: an event is one line of a session's log. A question asks
// the user, a hook or a rule whether a call may run. A thread is the conversation of
// the session or of one of its subagents.
package copilot

import (
	_ "embed" // fields.txt
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// Reader reads the logs of Copilot CLI, versions 0.0.36x and 1.0.10 to 1.0.102.
var Reader = &readers.Reader{
	Agent:      "copilot",
	Title:      "Copilot CLI",
	Version:    4,
	Env:        "COPILOT_HOME",
	Roots:      func(host readers.Host) []string { return []string{filepath.Join(host.Home, ".copilot")} },
	Under:      []string{stateFolder, oldStateFolder, historyFile},
	IsLog:      isLog,
	Unread:     "session_*.json",
	Companions: "rewind-file-snapshots/ checkpoints/ files/ research/ session.db",
	Read: func(in *readers.Input) error {
		if in.Rel == historyFile {
			return readHistory(in)
		}
		return readSession(in)
	},
	Records:   readers.ParseFacts("refusals? reasons refused-diffs rule-refusals grants? machine-grants? waits cascades~ interruptions system-stops compactions compaction-tokens? compaction-triggers summaries clears? prompts forks subagents tokens thinking exit-codes versions git-branches"),
	Fields:    readers.Fields(fields),
	Versions:  "0.0.36x, and 1.0.10 to 1.0.102",
	Worktrees: []string{"~/copilot-worktrees/REPO/NAME"},
	Kept:      "No version is known to delete any. /rewind cuts what it undoes out of the log.",
	Tested:    "1.0.102",
	Servers:   servers,
	Resume:    "copilot --resume=ID",
	// docs.github.com, "Adding agent skills for GitHub Copilot CLI" (github/docs,
	// content/copilot/how-tos/copilot-cli/customize-copilot/add-skills.md).
	Skills: readers.SkillFolders{
		User:    readers.HomeFolders(readers.SharedSkills, ".claude/skills", ".copilot/skills"),
		Project: []string{readers.SharedSkills, ".claude/skills", ".github/skills"},
	},
}

//go:embed fields.txt
var fields string

const (
	stateFolder    = "session-state"
	oldStateFolder = "history-session-state" // of old versions
	historyFile    = "command-history-state.json"
	eventsFile     = "events.jsonl"
	workspaceFile  = "workspace.yaml"
)

// isLog accepts the history, and each session's events: in a folder, or, for old
// versions, in a file (FORMAT.md §1). Saved permissions, settings and databases are
// never opened.
func isLog(rel string) bool {
	if rel == historyFile {
		return true
	}
	folders := strings.Split(rel, "/")
	if folders[0] != stateFolder && folders[0] != oldStateFolder {
		return false
	}
	switch len(folders) {
	case 2:
		return strings.HasSuffix(rel, ".jsonl")
	case 3:
		return folders[2] == eventsFile
	}
	return false
}

// servers follows `copilot mcp add`, `remove` and `list` of 1.0.102, run with and
// without $COPILOT_HOME (package @github/copilot of npm). Adding an existing name ends
// with 1. `add` writes entries of type "local" and drops comments; entries of type
// "stdio" are read alike. A repository's .mcp.json counts only in a trusted folder
// (github/copilot-cli, issue 4542).
var servers = readers.Servers{
	Add:         strings.Fields("copilot mcp add NAME -- LINE"),
	Remove:      strings.Fields("copilot mcp remove NAME"),
	User:        readers.UserServers(readers.HomeFolder("COPILOT_HOME", ".copilot"), "mcp-config.json"),
	Project:     []string{".mcp.json", ".github/mcp.json"},
	Key:         []string{"mcpServers"},
	Entry:       `{"type": "stdio", "command": PROGRAM, "args": ARGS}`,
	ProjectNote: "it counts where the folder is trusted",
}

// historyList is the only key of the history.
const historyList = "commandHistory"

// readHistory reads the typed prompts, which the file lists newest first. They have no
// times, sessions and folders, and repeated prompts are there once (FORMAT.md §1).
func readHistory(in *readers.Input) error {
	kinds := readers.Kinds{}
	err := readers.WholeDocument(in, func(v *fastjson.Value) {
		v.GetObject().Visit(func(key []byte, _ *fastjson.Value) {
			kinds.Count("history/"+string(key), string(key) == historyList, "", time.Time{})
		})
		for _, typed := range slices.Backward(v.GetArray(historyList)) {
			if typed.Type() != fastjson.TypeString {
				kinds.Count("history/("+typed.Type().String()+")", false, "", time.Time{})
				continue
			}
			text := readers.Text(typed)
			kinds.Count("prompt", true, "", time.Time{})
			in.Emit(&tables.Prompt{Text: text, IsCommand: readers.IsCommand(text)})
		}
	})
	kinds.Emit(in.Emit)
	return err
}
