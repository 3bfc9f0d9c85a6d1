// Package qwen reads the logs of Qwen Code: chats and subagents below projects/, the
// typed history below tmp/, and the list of ended sessions. README.md describes the
// rows, FORMAT.md the records.
package qwen

import (
	"cmp"
	_ "embed" // fields.txt
	"path/filepath"
	"strings"

	"hindsql/readers"
)

// Reader reads the logs of Qwen Code 0.24, and the chats of versions to 0.4.
var Reader = &readers.Reader{
	Agent:      "qwen",
	Title:      "Qwen Code",
	Version:    3,
	Env:        "QWEN_RUNTIME_DIR",
	Roots:      func(host readers.Host) []string { return []string{home(host)} },
	Under:      []string{"projects", "tmp", usageFile},
	IsLog:      func(rel string) bool { return placeOf(rel).kind != notLog },
	Appends:    true,
	Read:       read,
	Unread:     "checkpoint*.json checkpoints/",
	Companions: "*.runtime.json *.meta.json memory/ tool-outputs/",
	// Only versions to 0.4 record waits. A hook's grant looks like a person's, and nothing marks the stop of an answer.
	Records:  readers.ParseFacts("refusals refused-diffs rule-refusals grants? waits interruptions? partial-output system-stops compactions compaction-tokens? compaction-triggers summaries clears? prompts branches forks subagents tokens thinking exit-codes versions git-branches"),
	Fields:   readers.Fields(fields),
	Tested:   "0.24.4",
	Versions: "to 0.4, and 0.24.4",
	Kept:     "No version is known to delete any.",
	Servers:  servers,
	Resume:   "qwen --resume ID",
	// https://qwenlm.github.io/qwen-code-docs/en/users/features/skills/: the shared folder
	// isn't named there.
	Skills: readers.SkillFolders{
		User:    func(host readers.Host) []string { return []string{filepath.Join(home(host), "skills")} },
		Project: []string{".qwen/skills"},
	},
}

//go:embed fields.txt
var fields string

// home returns Qwen Code's folder (FORMAT.md §1).
func home(host readers.Host) string {
	return cmp.Or(host.Getenv("QWEN_HOME"), filepath.Join(host.Home, ".qwen"))
}

// logKind is the kind of a file below the root.
type logKind int

const (
	notLog logKind = iota
	chatLog
	subagentLog
	promptLog
	usageLog
	oldChat
)

// ReadOldChat reads a chat of versions to 0.4, which has Gemini CLI's format (FORMAT.md
// §1). Package all sets it to Gemini CLI's reader, because agents don't import each other.
var ReadOldChat func(*readers.Input) error

// usageFile has a line for each ended session (FORMAT.md §1).
const usageFile = "usage_record.jsonl"

// place is a log's path, split (FORMAT.md §1).
type place struct {
	kind    logKind
	folder  string // projects/<p> or tmp/<hash>
	session string // id of the main session; empty if the file is no session's
	agent   string // id of the subagent; empty for a main session
}

// placeOf accepts only named files. Credentials and settings lie in the same folders.
func placeOf(rel string) place {
	parts := strings.Split(rel, "/")
	base, isLines := strings.CutSuffix(parts[len(parts)-1], ".jsonl")
	agent, isAgent := strings.CutPrefix(base, "agent-")
	switch {
	case rel == usageFile:
		return place{kind: usageLog}
	case len(parts) == 3 && parts[0] == "tmp" && base == "logs.json":
		return place{kind: promptLog, folder: "tmp/" + parts[1]}
	case len(parts) == 4 && parts[0] == "tmp" && parts[2] == "chats" && strings.HasPrefix(base, "session-") && strings.HasSuffix(base, ".json"):
		return place{kind: oldChat}
	case !isLines || parts[0] != "projects" || base == "":
	case len(parts) == 4 && parts[2] == "chats":
		return place{chatLog, "projects/" + parts[1], base, ""}
	case len(parts) == 5 && parts[2] == "subagents" && isAgent:
		return place{subagentLog, "projects/" + parts[1], parts[3], agent}
	}
	return place{}
}

// id returns the session's id in the rows.
func (p place) id() string {
	if p.agent != "" {
		return p.session + "/" + p.agent
	}
	return p.session
}

// chatFile returns the path of the main session's file.
func (p place) chatFile() string { return p.folder + "/chats/" + p.session + ".jsonl" }

func read(in *readers.Input) error {
	switch at := placeOf(in.Rel); at.kind {
	case promptLog:
		return readPrompts(in, at)
	case usageLog:
		return readUsage(in)
	case oldChat:
		return ReadOldChat(in)
	default:
		return readSession(in, at)
	}
}

// servers follows `qwen mcp add` and `remove` of 0.15.10, as run (package
// @qwen-code/qwen-code of npm). Arguments that begin with -- need a -- after the program.
// settings.json of the user and of a repository:
// https://qwenlm.github.io/qwen-code-docs/en/users/features/mcp/.
var servers = readers.Servers{
	Add:      strings.Fields("qwen mcp add --scope user NAME PROGRAM -- ARGS"),
	Remove:   strings.Fields("qwen mcp remove --scope user NAME"),
	Replaces: true,
	User:     readers.UserServers(home, "settings.json"),
	Project:  []string{".qwen/settings.json"},
	Key:      []string{"mcpServers"},
	Entry:    `{"command": PROGRAM, "args": ARGS}`,
}
