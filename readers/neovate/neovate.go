// Package neovate reads the logs of Neovate Code: the sessions below projects/ and the
// typed history in data.json. README.md describes the rows, FORMAT.md the records.
package neovate

import (
	_ "embed" // fields.txt
	"path"
	"path/filepath"
	"strings"

	"hindsql/readers"
)

// Reader reads the logs of Neovate Code, versions 0.9 to 0.28 and the known parts of
// 2026's.
var Reader = &readers.Reader{
	Agent:    "neovate",
	Title:    "Neovate Code",
	Version:  3,
	Roots:    roots,
	Under:    []string{"projects", dataFile},
	IsLog:    isLog,
	Read:     read,
	Records:  readers.Says("refusals waits reasons refused-diffs grants cascades? interruptions system-stops compactions compaction-triggers~ summaries clears~ prompts branches forks subagents tokens thinking exit-codes"),
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

// roots returns ~/.neovate, and ~/.takumi, whose lines are only counted: up to 0.8 the
// program had another name and another format.
func roots(host readers.Host) []string {
	return []string{filepath.Join(host.Home, ".neovate"), filepath.Join(host.Home, ".takumi")}
}

// isLog accepts data.json and the files right below a project's folder. Files in
// requests/, which hold API keys, and in file-history/ are never opened.
func isLog(rel string) bool {
	folders := strings.Split(rel, "/")
	return rel == dataFile || len(folders) == 3 && folders[0] == "projects" && strings.HasSuffix(rel, ".jsonl")
}

func read(in *readers.Input) error {
	if path.Base(in.Rel) == dataFile {
		return readData(in)
	}
	return readSession(in)
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
