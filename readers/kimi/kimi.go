// Package kimi reads the logs of Kimi Code: the wire of each agent of a session, the
// history of typed inputs, and the index of sessions. README.md describes the rows,
// FORMAT.md the files; comments refer to its sections.
//
// Comments use these words: a wire is an agent's log, wire.jsonl. A step is a request to
// the model, with the answer and the results of the answer's calls. An ask is a dialog
// in which a person decides about a call.
package kimi

import (
	_ "embed" // fields.txt
	"path"
	"path/filepath"
	"strings"

	"hindsql/readers"
)

// Reader reads the logs of Kimi Code 2.x, and of versions since protocol 1.0.
var Reader = &readers.Reader{
	Agent:    "kimi",
	Title:    "Kimi Code",
	Version:  1,
	Env:      "KIMI_CODE_HOME",
	Roots:    func(host readers.Host) []string { return []string{home(host)} },
	Under:    []string{sessionsFolder, historyFolder, indexFile},
	IsLog:    isLog,
	Read:     read,
	Records:  readers.Says("refusals reasons refused-diffs rule-refusals grants machine-grants~ waits interruptions partial-output system-stops compactions compaction-tokens~ compaction-triggers summaries clears? prompts branches forks subagents tokens thinking exit-codes"),
	Fields:   readers.Fields(fields),
	Versions: "2.1.0, wire protocol 1.5",
	Kept:     "No version is known to delete any. /undo deletes no line.",
	Servers:  servers,
	Resume:   "kimi --session ID",
	// MoonshotAI/kimi-code, docs/en/customization/skills.md at d723cc47.
	Skills: readers.SkillFolders{
		User: func(host readers.Host) []string {
			return append(readers.HomeFolders(readers.SharedSkills)(host), skills(host))
		},
		Project: []string{readers.SharedSkills, ".kimi-code/skills"},
	},
}

//go:embed fields.txt
var fields string

const (
	sessionsFolder = "sessions"
	historyFolder  = "user-history"
	indexFile      = "session_index.jsonl"
	wireFile       = "wire.jsonl"
	stateFile      = "state.json"
	agentsFolder   = "agents"
)

// isLog accepts the wire of each agent of a session, the files of typed inputs, and the
// index of sessions (FORMAT.md §1). Credentials, settings and copies of files are never
// opened.
func isLog(rel string) bool {
	folders := strings.Split(rel, "/")
	switch {
	case rel == indexFile:
		return true
	case folders[0] == historyFolder:
		return len(folders) == 2 && strings.HasSuffix(rel, ".jsonl")
	}
	return len(folders) == 6 && folders[0] == sessionsFolder && folders[3] == agentsFolder && folders[5] == wireFile
}

func read(in *readers.Input) error {
	switch {
	case in.Rel == indexFile:
		return readIndex(in)
	case path.Dir(in.Rel) == historyFolder:
		return readHistory(in)
	}
	return readWire(in)
}

// home returns Kimi Code's folder, on every operating system (FORMAT.md §1).
func home(host readers.Host) string { return readers.HomeFolder("KIMI_CODE_HOME", ".kimi-code")(host) }

func skills(host readers.Host) string { return filepath.Join(home(host), "skills") }

// servers describes mcp.json in Kimi Code's folder and in a repository. The program has
// no command that adds a server (MoonshotAI/kimi-code, docs/en/customization/mcp.md at
// d723cc47; package @moonshot-ai/kimi-code 2.1.0 of npm has no command mcp).
var servers = readers.Servers{
	User:        readers.UserServers(home, "mcp.json"),
	Project:     []string{".kimi-code/mcp.json"},
	Key:         []string{"mcpServers"},
	Entry:       `{"command": PROGRAM, "args": ARGS}`,
	ProjectNote: "it counts where the folder is trusted",
}
