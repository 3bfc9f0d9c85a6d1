// Package gemini reads the logs of Gemini CLI: the chats and the prompt logs below
// tmp/. README.md describes the rows, FORMAT.md the records.
package gemini

import (
	"bufio"
	"cmp"
	_ "embed" // fields.txt
	"path"
	"path/filepath"
	"strings"

	"hindsql/readers"
)

// Reader reads the logs of Gemini CLI, versions 0.4 to 0.61.
var Reader = &readers.Reader{
	Agent:      "gemini",
	Title:      "Gemini CLI",
	Version:    6,
	Env:        "GEMINI_CLI_HOME",
	EnvSub:     ".gemini",
	Roots:      func(host readers.Host) []string { return []string{filepath.Join(host.Home, ".gemini")} },
	Under:      []string{"tmp", projectsFile},
	IsLog:      func(rel string) bool { return placeOf(rel).kind != notLog },
	Unread:     "checkpoint*.json checkpoints/",
	Companions: "tool-outputs/ tool_outputs/ plans/ logs/ memory/ tracker/ tasks/ images/ bin/",
	Read:       read,
	Records:    readers.ParseFacts("refusals? waits reasons refused-diffs rule-refusals cascades? interruptions? partial-output system-stops compactions compaction-tokens? compaction-triggers? summaries clears prompts branches subagents tokens thinking exit-codes"),
	Fields:     readers.Fields(fields),
	Versions:   "0.4 to 0.61",
	Worktrees:  []string{"REPO/.gemini/worktrees/NAME"},
	Kept:       "Sessions are deleted after 30 days, or as `general.sessionRetention` of its settings says; older versions kept them.",
	Ended:      "For private users in June 2026. Its heir, Antigravity CLI, records no decisions, as far as other projects' samples of its logs show; it was not tried here, and isn't read.",
	Servers:    servers,
	Resume:     "gemini --resume ID",
	Skills:     readers.SkillFolders{User: skills, Project: []string{readers.SharedSkills, ".gemini/skills"}},
}

// skills returns the folders of a user's skills. Of two skills with one name, the skill
// in the shared folder counts (google-gemini/gemini-cli,
// packages/core/src/skills/skillManager.ts, config/storage.ts; utils/paths.ts for the
// variable).
func skills(host readers.Host) []string {
	home := cmp.Or(host.Getenv("GEMINI_CLI_HOME"), host.Home)
	return []string{filepath.Join(home, filepath.FromSlash(readers.SharedSkills)), filepath.Join(home, ".gemini", "skills")}
}

//go:embed fields.txt
var fields string

// logKind is the kind of a file below the root.
type logKind int

const (
	notLog logKind = iota
	chatDocument
	chatJournal
	promptLog
	projectList
)

// place is a log's path, split: tmp/<project>/chats/[<parent>/]<stem>.
type place struct {
	kind   logKind
	folder string // tmp/<project>
	parent string // folders between chats and the file; for a subagent, its parent
	stem   string
}

func placeOf(rel string) place {
	if rel == projectsFile {
		return place{kind: projectList}
	}
	parts := strings.Split(rel, "/")
	if len(parts) < 3 || parts[0] != "tmp" {
		return place{}
	}
	p := place{folder: path.Join(parts[:2]...)}
	base := parts[len(parts)-1]
	switch {
	case len(parts) == 3:
		if base == "logs.json" || strings.HasPrefix(base, "logs.json.") && strings.HasSuffix(base, ".bak") {
			p.kind = promptLog
		}
		return p
	case parts[2] != "chats":
		return p
	case strings.HasSuffix(base, ".jsonl"):
		p.kind = chatJournal
	case strings.HasSuffix(base, ".json"):
		p.kind = chatDocument
	}
	p.parent = strings.Join(parts[3:len(parts)-1], "/")
	p.stem = strings.TrimSuffix(strings.TrimSuffix(base, "l"), ".json")
	return p
}

func read(in *readers.Input) error {
	at := placeOf(in.Rel)
	switch at.kind {
	case promptLog:
		return readPrompts(in, at)
	case projectList:
		return readProjects(in)
	}
	return readers.Peek(in, func(head *bufio.Reader, in *readers.Input) error {
		f := newFile(in, at)
		defer f.finish()
		if at.kind == chatJournal && !isDocument(head) {
			return readers.JSONLines(in, starts, f.handleLine)
		}
		return readers.Document(in, "messages", f.handleDocument, f.handleMessage)
	})
}

// isDocument reports whether a file with a journal's name holds one JSON value over
// several lines.
func isDocument(r *bufio.Reader) bool {
	head, _ := r.Peek(8)
	text := strings.TrimPrefix(string(head), "\uFEFF")
	return strings.HasPrefix(text, "{\n  ") || strings.HasPrefix(text, "{\r\n  ")
}

// servers follows `gemini mcp add` and `remove` of 0.61.0, as run (package
// @google/gemini-cli of npm). Arguments that begin with -- need a -- after the program;
// a -- must not come before the program. In an untrusted folder no server is started,
// not even the user's, as `gemini mcp list` said. A session that changes a setting
// writes its old copy of the file, and drops keys added since
// (google-gemini/gemini-cli, packages/cli/src/utils/commentJson.ts, applyKeyDiff;
// packages/cli/src/config/settings.ts, saveSettings).
var servers = readers.Servers{
	Add:      strings.Fields("gemini mcp add --scope user NAME PROGRAM -- ARGS"),
	Remove:   strings.Fields("gemini mcp remove --scope user NAME"),
	Replaces: true,
	User:     readers.UserServers(settings, "settings.json"),
	Project:  []string{".gemini/settings.json"},
	Key:      []string{"mcpServers"},
	Entry:    `{"command": PROGRAM, "args": ARGS}`,
	Note:     "only trusted folders use the entry; end running sessions first, because a changed setting makes Gemini CLI write the file without the entry",
}

func settings(host readers.Host) string {
	return filepath.Join(readers.HomeFolder("GEMINI_CLI_HOME")(host), ".gemini")
}
