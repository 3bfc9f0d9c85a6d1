// Package opencode reads the sessions of opencode and of Kilo, a fork with the same
// formats: sessions in a SQLite database, older sessions in a tree of JSON files, and
// the typed history. README.md lists what each kind of record becomes, FORMAT.md
// describes the records.
package opencode

import (
	"cmp"
	_ "embed" // fields.txt
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/readers/sqlite"
	"hindsql/tables"
)

// Reader reads the sessions of opencode, 1.1 to 1.18.
var Reader = reader("opencode", "opencode", "OPENCODE_DB", "1.1.65 and 1.18.33, and what is known of 1.2 to 1.15", "1.18.33")

// Kilo reads the sessions of Kilo's command line.
var Kilo = reader("kilo", "Kilo", "KILO_DB", "none: it is read as what it was made of", "")

//go:embed fields.txt
var fields string

func reader(agent, title, database, versions, tested string) *readers.Reader {
	return &readers.Reader{
		Agent:    agent,
		Title:    title,
		Version:  3,
		Roots:    func(host readers.Host) []string { return roots(host, agent, database) },
		Under:    slices.Compact([]string{"opencode*.db", agent + "*.db", sessionFolder, historyFile}), // Kilo's first databases kept opencode's name
		IsLog:    isLog,
		Appends:  true,
		Suffixes: sqlite.Suffixes,
		Read:     func(in *readers.Input) error { return read(in, agent+".db") },
		Parts:    listSessions,
		Records:  readers.ParseFacts("refusals? waits reasons refused-diffs rule-refusals? cascades interruptions partial-output system-stops compactions compaction-tokens compaction-triggers summaries prompts branches forks subagents tokens thinking exit-codes costs versions"),
		Fields:   readers.Fields(fields),
		Versions: versions,
		Kept: "No version is known to delete any. What /undo takes back leaves its tables with the next prompt, and is read from its events. " +
			"The JSON files of old versions stay when a newer one has copied them.",
		Tested:    tested,
		Worktrees: []string{"REPO/.kilo/worktrees/NAME", "REPO/.kilocode/worktrees/NAME"}, // only Kilo makes worktrees
		Servers:   servers(agent),
		Resume:    agent + " --session ID",
		Settings:  func(host readers.Host) []string { return []string{filepath.Join(host.XDGConfig(), agent)} },
		Skills:    skills(agent),
	}
}

// skills returns the folders of skills, from anomalyco/opencode and Kilo-Org/kilocode,
// packages/opencode/src/skill/skill.ts.
func skills(agent string) readers.SkillFolders {
	return readers.SkillFolders{
		User: func(host readers.Host) []string {
			shared := readers.HomeFolders(readers.SharedSkills, ".claude/skills")(host)
			return append(shared, filepath.Join(host.XDGConfig(), agent, "skills"))
		},
		Project: []string{readers.SharedSkills, ".claude/skills", ".opencode/skills"},
	}
}

// roots returns the data folder and the state folder, which are the same on every
// system, and the database that the variable names (FORMAT.md §1).
func roots(host readers.Host, agent, database string) []string {
	data := filepath.Join(cmp.Or(host.Getenv("XDG_DATA_HOME"), filepath.Join(host.Home, ".local", "share")), agent)
	state := filepath.Join(cmp.Or(host.Getenv("XDG_STATE_HOME"), filepath.Join(host.Home, ".local", "state")), agent)
	list := []string{data, state}
	switch name := host.Getenv(database); {
	case name == "", name == ":memory:":
	case filepath.IsAbs(name):
		list = append(list, name)
	default:
		list = append(list, filepath.Join(data, name))
	}
	return list
}

const (
	sessionFolder = "storage/session"
	historyFile   = "prompt-history.jsonl"
)

// isLog reports whether a file is a database or the history directly below a root, or a
// session of the tree, storage/session/PROJECT/SESSION.json. A session's messages and
// parts are read with the session.
func isLog(rel string) bool {
	project, inTree := strings.CutPrefix(path.Dir(rel), sessionFolder+"/")
	return rel == historyFile || isDatabase(rel) || inTree && !strings.Contains(project, "/") && path.Ext(rel) == extension
}

func isDatabase(rel string) bool {
	switch path.Ext(rel) {
	case ".db", ".sqlite", ".sqlite3":
		return !strings.Contains(rel, "/")
	}
	return false
}

func read(in *readers.Input, database string) error {
	switch {
	case in.Rel == historyFile:
		return readHistory(in)
	case isDatabase(in.Rel):
		return readDatabase(in)
	}
	return readTree(in, database)
}

// servers returns the server settings of opencode or Kilo. The settings are JSON with
// comments, and the agent reads all files with these names together. Checked by running
// `opencode mcp list` of 1.18.33 and `kilo mcp list` of 7.7.9 (packages opencode-ai and
// @kilocode/cli of npm). hindsql doesn't call their `mcp add`: older versions ask
// questions (anomalyco/opencode, issue 29827), and no version can remove an entry.
// Kilo's file names: Kilo-Org/kilocode,
// packages/kilo-docs/pages/automate/mcp/using-in-kilo-code.md.
func servers(agent string) readers.Servers {
	names, project := []string{"opencode.json", "opencode.jsonc", "config.json"}, []string{"opencode.json", "opencode.jsonc"}
	if agent == "kilo" {
		names = []string{"kilo.jsonc", "kilo.json"}
		project = []string{".kilo/kilo.jsonc", ".kilo/kilo.json", "kilo.jsonc", "kilo.json"}
	}
	folder := func(host readers.Host) string { return filepath.Join(host.XDGConfig(), agent) }
	return readers.Servers{
		User:    readers.UserServers(folder, names...),
		Project: project,
		Key:     []string{"mcp"},
		Entry:   `{"type": "local", "command": LINE}`,
	}
}

// readHistory reads the typed prompts, which have no times, sessions and projects
// (FORMAT.md §1).
func readHistory(in *readers.Input) error {
	kinds := readers.NewKinds(in)
	err := readers.JSONLines(in, []string{`{"input":`, `{"parts":`, `{"mode":`}, func(v *fastjson.Value, _ readers.Line) {
		kinds.Record(v, "prompt", true, "", time.Time{})
		text := textWithPastes(v)
		if readers.Text(v, "mode") == "shell" {
			text = "!" + text
		}
		if text != "" {
			in.Emit(&tables.Prompt{Text: text, IsCommand: readers.IsCommand(text)})
		}
	})
	kinds.Emit(in.Emit)
	return err
}

// textWithPastes returns the text of an input with its pastes. The input has a
// placeholder for each paste.
func textWithPastes(v *fastjson.Value) string {
	text := readers.Text(v, "input")
	for _, part := range v.GetArray("parts") {
		pasted, instead := readers.Text(part, "text"), readers.Text(part, "source", "text", "value")
		if readers.Text(part, "type") == "text" && pasted != "" && instead != "" && len(pasted)+len(text) < maxInput {
			text = strings.Replace(text, instead, pasted, 1)
		}
	}
	return text
}

// maxInput is the longest text in bytes that pastes are inserted into.
const maxInput = 16 << 20
