// Package neovate reads the logs of Neovate Code: the sessions below projects/ and the
// typed history in data.json. README.md describes the rows, FORMAT.md the records.
package neovate

import (
	_ "embed" // fields.txt
	"path"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/internal/pattern"
	"hindsql/readers"
	"hindsql/tables"
)

// Reader reads the logs of Neovate Code, versions 0.9 to 0.28 and the known parts of
// 2026's.
var Reader = &readers.Reader{
	Agent:   "neovate",
	Title:   "Neovate Code",
	Version: 4,
	// The lines of ~/.takumi are only counted: up to 0.8 the program had another name and
	// another format.
	Roots:      readers.HomeFolders(".neovate", ".takumi"),
	Under:      []string{"projects", dataFile},
	IsLog:      isLog,
	Unread:     "requests/",
	Companions: "file-history/",
	Appends:    true,
	Read: func(in *readers.Input) error {
		if path.Base(in.Rel) == dataFile {
			return readData(in)
		}
		return readSession(in)
	},
	Records:  readers.ParseFacts("refusals waits reasons refused-diffs cascades? interruptions system-stops compactions compaction-triggers~ summaries clears~ prompts branches forks subagents tokens thinking exit-codes"),
	Fields:   readers.Fields(fields),
	Versions: "0.9 to 0.28",
	Kept:     "No version is known to delete any.",
	Servers:  servers,
	Resume:   "neovate --resume ID",
	// neovateai/neovate-code, src/skill.ts, loadSkills: the shared folder isn't read.
	Skills: readers.SkillFolders{
		User:    readers.HomeFolders(".neovate/skills", ".claude/skills"),
		Project: []string{".neovate/skills", ".claude/skills"},
	},
}

//go:embed fields.txt
var fields string

// dataFile holds the typed prompts, by project.
const dataFile = "data.json"

// isLog accepts data.json and the files right below a project's folder. Files in
// requests/, which hold API keys, and in file-history/ are never opened.
func isLog(rel string) bool {
	folders := strings.Split(rel, "/")
	return rel == dataFile || len(folders) == 3 && folders[0] == "projects" && strings.HasSuffix(rel, ".jsonl")
}

// servers describes ~/.neovate/config.json and a repository's .neovate/config.json,
// read as strict JSON (neovateai/neovate-code, src/config.ts, ConfigManager). hindsql
// doesn't call `neovate mcp add`: setConfig of 0.17 merges lists by joining them, which
// doubles the arguments of existing servers.
var servers = readers.Servers{
	User:    readers.UserServers(readers.HomeFolder("", ".neovate"), "config.json"),
	Project: []string{".neovate/config.json"},
	Key:     []string{"mcpServers"},
	Entry:   `{"type": "stdio", "command": PROGRAM, "args": ARGS}`,
}

var dataKeys = readers.SetOf(`projects recentModels`)

// readData reads data.json: each project's typed prompts, newest last, without times
// and sessions (FORMAT.md §1.2).
func readData(in *readers.Input) error {
	kinds := readers.Kinds{}
	err := readers.WholeDocument(in, func(v *fastjson.Value) {
		v.GetObject().Visit(func(key []byte, _ *fastjson.Value) {
			kinds.Count("data/"+string(key), dataKeys[string(key)], "", time.Time{})
		})
		for _, p := range parseProjects(v) {
			in.Emit(&tables.ProjectNote{Key: slugOf(p.path), Project: p.path})
			for _, text := range p.history {
				kinds.Count("prompt", true, "", time.Time{})
				in.Emit(&tables.Prompt{Project: p.path, Text: text, IsCommand: readers.IsCommand(text)})
			}
			p.emitClears(in.Emit)
		}
	})
	kinds.Emit(in.Emit)
	return err
}

// project is a working directory and its typed history.
type project struct {
	path    string
	history []string
}

// emitClears emits the project's clears. Only the typed history records a /clear. The
// next prompt in the history is the first one of the new session.
func (p *project) emitClears(emit func(tables.Event)) {
	cleared, emitted := false, map[string]bool{}
	for _, text := range p.history {
		if cleared && !emitted[text] && !readers.IsCommand(text) {
			emitted[text] = true
			emit(&tables.Clear{
				NextPrompt: text,
				Trigger:    tables.ClearByCommand,
				Command:    "/clear",
				Project:    p.path,
				Evidence:   tables.EvidenceInferred,
				Confidence: 0.6,
			})
		}
		cleared = text == "/clear" || cleared && readers.IsCommand(text)
	}
}

func parseProjects(data *fastjson.Value) []project {
	var list []project
	data.GetObject("projects").Visit(func(key []byte, v *fastjson.Value) {
		p := project{path: string(key)}
		for _, text := range v.GetArray("history") {
			if text.Type() == fastjson.TypeString {
				p.history = append(p.history, readers.Text(text))
			}
		}
		list = append(list, p)
	})
	return list
}

var notInSlug = pattern.Lazy(`[^a-zA-Z0-9]+`)

// slugOf returns the name of a project's folder of sessions (FORMAT.md §1.1).
func slugOf(folder string) string {
	return strings.ToLower(strings.Trim(notInSlug.ReplaceAllString(folder, "-"), "-"))
}
