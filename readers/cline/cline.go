// Package cline reads the logs of Cline: the sessions that its command line, VS Code
// and JetBrains share, and the tasks of older extensions. README.md describes the rows,
// FORMAT.md the files; comments refer to its sections.
package cline

import (
	"cmp"
	_ "embed" // fields.txt
	"path"
	"path/filepath"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// Reader reads the logs of Cline 3's command line and of VS Code's extension.
var Reader = &readers.Reader{
	Agent:      "cline",
	Title:      "Cline",
	Version:    2,
	Roots:      roots,
	Under:      []string{sessionsFolder, tasksFolder, typedFile, "*_*"}, // a root may be a folder of sessions
	IsLog:      func(rel string) bool { return parsePlace(rel).kind != notLog },
	Companions: "*.json",
	Read:       read,
	Records:    readers.ParseFacts("refusals reasons refused-diffs rule-refusals grants~ cascades interruptions? partial-output system-stops compactions compaction-tokens compaction-triggers summaries clears~ prompts forks subagents tokens thinking exit-codes costs versions git-branches"),
	Fields:     readers.Fields(fields),
	Tested:     "3.0.65",
	Versions:   "3.0.65 of its command line; of the extensions before 4, only by their source",
	Kept:       "No version is known to delete any by itself.",
	Resume:     "cline --id ID",
	Servers:    servers,
	// cline/cline, sdk/packages/shared/src/storage/paths.ts, resolveSkillsConfigSearchPaths.
	Skills: readers.SkillFolders{
		User: func(host readers.Host) []string {
			return []string{filepath.Join(clineFolder(host), "skills"), filepath.Join(host.Home, filepath.FromSlash(readers.SharedSkills))}
		},
		Project: []string{".cline/skills", readers.SharedSkills},
	},
}

//go:embed fields.txt
var fields string

// Folders and files below a root (FORMAT.md §1).
const (
	sessionsFolder = "sessions"
	tasksFolder    = "tasks"
	typedFile      = "cache/user_input_history.jsonl"
	tasksFile      = "state/taskHistory.json"
	messagesSuffix = ".messages.json"
	shownFile      = "ui_messages.json"
	modelFile      = "api_conversation_history.json"
)

// clineFolder returns Cline's own folder (cline/cline,
// sdk/packages/shared/src/storage/paths.ts).
func clineFolder(host readers.Host) string { return readers.HomeFolder("CLINE_DIR", ".cline")(host) }

func dataFolder(host readers.Host) string {
	return cmp.Or(host.Getenv("CLINE_DATA_DIR"), filepath.Join(clineFolder(host), "data"))
}

// editors are the names of the settings folders of VS Code and its kin.
var editors = []string{"Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"}

// remotes are the folders in which servers of VS Code and its kin keep extensions on a
// remote machine.
var remotes = []string{".vscode-server", ".vscode-server-insiders", ".vscodium-server", ".cursor-server", ".windsurf-server"}

// roots returns Cline's data folder, the folder of sessions if it lies elsewhere, and the
// folders that editors give the extension.
func roots(host readers.Host) []string {
	list := []string{dataFolder(host)}
	if sessions := host.Getenv("CLINE_SESSION_DATA_DIR"); sessions != "" {
		list = append(list, sessions)
	}
	extension := filepath.Join("User", "globalStorage", "saoudrizwan.claude-dev")
	for _, name := range editors {
		list = append(list, filepath.Join(host.ConfigFolder(), name, extension))
	}
	for _, name := range remotes {
		list = append(list, filepath.Join(host.Home, name, "data", extension))
	}
	return list
}

// logKind is the kind of a file below a root.
type logKind int

const (
	notLog     logKind = iota
	sessionLog         // of the shared store
	taskLog            // of an older extension
	typedLog           // typed prompts
)

// place is a log's path, split: sessions/<folder>/<stem>.messages.json. If the root is a
// folder of sessions, the path begins with <folder>.
type place struct {
	kind         logKind
	folder, stem string
	sessions     string // path of the folder of sessions
}

// parsePlace accepts three kinds of names. Files beside them hold keys (FORMAT.md §1).
func parsePlace(rel string) place {
	if rel == typedFile {
		return place{kind: typedLog}
	}
	above, name := path.Split(rel)
	p := place{folder: path.Base(above), sessions: path.Dir(path.Dir(rel))}
	stem, isMessages := strings.CutSuffix(name, messagesSuffix)
	switch {
	case isMessages && stem != "" && (p.sessions == sessionsFolder || p.sessions == "." && strings.Contains(p.folder, "_")):
		p.kind, p.stem = sessionLog, stem
	case p.sessions == tasksFolder && name == shownFile:
		p.kind = taskLog
	}
	return p
}

func read(in *readers.Input) error {
	at := parsePlace(in.Rel)
	switch at.kind {
	case typedLog:
		return readTyped(in)
	case taskLog:
		return readTask(in, at)
	}
	return readSession(in, at)
}

// servers describes the file of cline/cline, sdk/packages/shared/src/storage/paths.ts,
// resolveMcpSettingsPath. `cline mcp install` asks in a terminal, so hindsql doesn't call
// it.
var servers = readers.Servers{
	User: readers.UserServers(func(host readers.Host) string {
		return filepath.Join(dataFolder(host), "settings")
	}, "cline_mcp_settings.json"),
	Key:   []string{"mcpServers"},
	Entry: `{"command": PROGRAM, "args": ARGS}`,
}

// maxWriteTime is more than it takes to write the file of typed prompts.
const maxWriteTime = time.Second

// readTyped reads the typed prompts of all projects (FORMAT.md §1.2). Nothing names
// their session or folder. Each new prompt rewrites the file, and gives all lines its own
// time, so the time of a line counts only if the next one is later.
func readTyped(in *readers.Input) error {
	kinds := readers.NewKinds(in)
	var last *tables.Prompt
	emit := func(next *tables.Prompt) {
		if last != nil {
			if next != nil && next.Timestamp.Sub(last.Timestamp) < maxWriteTime {
				last.Timestamp = time.Time{}
			}
			in.Emit(last)
		}
		last = next
	}
	defer func() { emit(nil); kinds.Emit(in.Emit) }()
	return readers.JSONLines(in, []string{`{"prompt":"`, `{"ts":`}, func(v *fastjson.Value, _ readers.Line) {
		at := readers.Time(v.Get("ts"))
		if !readers.Is(v.Get("prompt"), fastjson.TypeString) {
			kinds.Count("prompt (no prompt)", false, "", at)
			return
		}
		kinds.Record(v, "prompt", true, "", at)
		text := readers.Text(v, "prompt")
		emit(&tables.Prompt{Text: text, IsCommand: readers.IsCommand(text), Timestamp: at})
	})
}
