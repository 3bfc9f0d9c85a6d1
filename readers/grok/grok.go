// Package grok reads the logs of Grok Build, xAI's agent for the terminal: the updates
// of its sessions, with the events and chats beside them, and the history of typed
// prompts. README.md describes the rows, FORMAT.md the files; comments refer to its
// sections.
//
// Comments use these words: an update is a line of updates.jsonl, an event a line of
// events.jsonl. An ask is the pair of events about one call's permission. A turn begins
// with a prompt, and ends with the update turn_completed.
package grok

import (
	_ "embed" // fields.txt
	"path/filepath"
	"strings"

	"hindsql/readers"
)

// Reader reads the logs of Grok Build 1.0.
var Reader = &readers.Reader{
	Agent:      "grok",
	Title:      "Grok Build",
	Version:    3,
	Env:        homeVariable,
	Roots:      func(host readers.Host) []string { return []string{filepath.Join(host.Home, homeFolder)} },
	Under:      []string{sessionsFolder},
	IsLog:      isLog,
	Companions: "*.json chat_history.jsonl rewind_points.jsonl compaction_checkpoints/ subagents/",
	Appends:    true,
	Read:       read,
	Records:    readers.ParseFacts("refusals reasons refused-diffs rule-refusals grants~ waits cascades interruptions partial-output system-stops? compactions compaction-tokens compaction-triggers? summaries clears~ prompts branches forks subagents tokens thinking exit-codes costs git-branches"),
	Fields:     readers.Fields(fields),
	Versions:   "1.0.41",
	Kept:       "No version is known to delete any. /delete deletes a session, and a rewind or a compaction rewrites what the model gets, not the log.",
	Servers:    servers,
	Skills:     skills,
	Resume:     "grok --resume ID",
}

//go:embed fields.txt
var fields string

// home returns Grok Build's folder (FORMAT.md §1).
var home = readers.HomeFolder(homeVariable, homeFolder)

const (
	homeVariable   = "GROK_HOME"
	homeFolder     = ".grok"
	sessionsFolder = "sessions"
	updatesFile    = "updates.jsonl"
	eventsFile     = "events.jsonl"
	chatFile       = "chat_history.jsonl"
	summaryFile    = "summary.json"
	historyFile    = "prompt_history.jsonl"
)

// isLog accepts a session's updates and events, and a folder's history of prompts
// (FORMAT.md §1). Keys, settings and databases are never opened.
func isLog(rel string) bool {
	folders := strings.Split(rel, "/")
	switch {
	case folders[0] != sessionsFolder:
		return false
	case len(folders) == 3:
		return folders[2] == historyFile
	case len(folders) == 4:
		return folders[3] == updatesFile || folders[3] == eventsFile
	}
	return false
}

func read(in *readers.Input) error {
	switch rel := in.Rel; {
	case strings.HasSuffix(rel, "/"+historyFile):
		return readHistory(in)
	case strings.HasSuffix(rel, "/"+eventsFile):
		return readEvents(in)
	}
	return readUpdates(in)
}

// servers: the user guide of xai-org/grok-build at 19d42e35, 07-mcp-servers.md. The
// commands were not run here.
var servers = readers.Servers{
	Add:         strings.Fields("grok mcp add NAME -- LINE"),
	Remove:      strings.Fields("grok mcp remove NAME"),
	User:        readers.UserServers(home, "config.toml"),
	Project:     []string{".grok/config.toml"},
	Key:         []string{"mcp_servers"},
	Entry:       `{"command": PROGRAM, "args": ARGS}`,
	ProjectNote: "it counts once the folder is trusted",
}

// skills: the same guide, 08-skills.md.
var skills = readers.SkillFolders{
	User: func(host readers.Host) []string {
		return append([]string{filepath.Join(home(host), "skills")}, readers.HomeFolders(readers.SharedSkills, ".claude/skills", ".cursor/skills")(host)...)
	},
	Project: []string{".grok/skills", readers.SharedSkills, ".claude/skills", ".cursor/skills"},
}
