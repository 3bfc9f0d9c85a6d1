// Package neovate reads the logs of Neovate Code: the sessions below projects/
// and the typed history in data.json. README.md says what becomes of each kind
// of record, FORMAT.md what the records are.
package neovate

import (
	_ "embed" // fields.txt
	"path"
	"path/filepath"
	"strings"

	"hindsql/readers"
)

// Reader reads the logs of Neovate Code, versions 0.9 to 0.28 and what is
// known of 2026's.
var Reader = &readers.Reader{
	Agent:    "neovate",
	Title:    "Neovate Code",
	Version:  3,
	Roots:    roots,
	Under:    []string{"projects", dataFile},
	IsLog:    isLog,
	Read:     read,
	Records:  records,
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

// Readers are those of the agents that this package knows.
func Readers() []*readers.Reader { return []*readers.Reader{Reader} }

//go:embed fields.txt
var fields string

// dataFile holds what was typed, by project.
const dataFile = "data.json"

// roots are ~/.neovate, and ~/.takumi, whose lines are only counted: up to 0.8
// the program had another name and another format.
func roots(host readers.Host) []string {
	return []string{filepath.Join(host.Home, ".neovate"), filepath.Join(host.Home, ".takumi")}
}

// isLog takes data.json and the files right below a project's folder. Those in
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
