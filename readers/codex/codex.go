// Package codex reads the logs of OpenAI's Codex CLI and of the editors and apps built
// on it: rollouts (one session's log file) in all four formats, and the prompt history.
// README.md describes how each kind of record becomes rows. FORMAT.md describes the
// format; comments cite its sections.
//
// Comments use these words: an item is a response_item line, or an object with a type
// in an item_completed event. An event is an event_msg line. A session's head is its
// session_meta line. A script is JavaScript that the model wrote and that makes tool
// calls (Codex's code mode). A frame is the lines that Codex writes before a tool's own
// output, for example "Exit code: 0".
package codex

import (
	_ "embed" // fields.txt
	"path"
	"path/filepath"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/internal/pattern"
	"hindsql/readers"
	"hindsql/readers/zstd"
	"hindsql/tables"
)

// Reader reads the logs of Codex, versions 0.0.2505 to 0.169.
var Reader = &readers.Reader{
	Agent:     "codex",
	Title:     "Codex",
	Version:   6,
	Env:       "CODEX_HOME",
	Roots:     func(host readers.Host) []string { return []string{filepath.Join(host.Home, ".codex")} },
	Under:     []string{"sessions", "archived_sessions", historyFile, indexFile},
	IsLog:     isLog,
	Appends:   true,
	Packed:    zstd.Suffix,
	NamedBy:   path.Base,
	Read:      read,
	Records:   readers.ParseFacts("refusals? refused-diffs rule-refusals grants? machine-grants~ waits cascades~ interruptions? partial-output system-stops? compactions compaction-tokens? compaction-triggers~ summaries clears? prompts branches forks subagents tokens thinking exit-codes versions git-branches"),
	Fields:    readers.Fields(fields),
	Versions:  "0.0.2505 to 0.169",
	Kept:      "Until you delete them. After a week they may be compressed; archived ones lie in another folder of the same root.",
	Tested:    "0.169.0",
	Worktrees: []string{"~/.codex/worktrees/NAME/REPO"},
	Servers:   servers,
	Resume:    "codex resume ID",
	// Codex's own folder, $CODEX_HOME/skills, is deprecated (openai/codex,
	// codex-rs/core-skills/src/loader.rs, skill_roots_from_layer_stack_inner).
	Skills: readers.SkillFolders{User: readers.HomeFolders(readers.SharedSkills), Project: []string{readers.SharedSkills}},
}

//go:embed fields.txt
var fields string

const (
	historyFile = "history.jsonl"
	indexFile   = "session_index.jsonl"
)

// rolloutName matches a rollout's file name. The id follows the local time, or the date
// in names of the TypeScript CLI (FORMAT.md §1).
var rolloutName = pattern.Lazy(`^rollout-(?:\d{4}-\d\d-\d\d(?:T\d\d-\d\d-\d\d)?-)?(.+?)\.json(?:l|l\.zst)?$`)

func isLog(rel string) bool {
	return rel == historyFile || rel == indexFile || rolloutName.MatchString(path.Base(rel))
}

func read(in *readers.Input) error {
	switch {
	case in.Rel == historyFile:
		return readHistory(in)
	case in.Rel == indexFile:
		return readIndex(in)
	case strings.HasSuffix(in.Rel, ".json"):
		return readDocument(in)
	case strings.HasSuffix(in.Rel, zstd.Suffix):
		return readRollout(zstd.Decompress(in))
	}
	return readRollout(in)
}

// servers: `codex mcp add` and `remove` of 0.169.0 were run (package @openai/codex of
// npm). Comments of config.toml stay, and an existing name is replaced. A running Codex
// changes single keys of the file as it finds it (openai/codex,
// codex-rs/core/src/config/edit.rs). Codex reads a repository's file only if the
// repository is trusted, which a run showed too.
var servers = readers.Servers{
	Add:         strings.Fields("codex mcp add NAME -- LINE"),
	Remove:      strings.Fields("codex mcp remove NAME"),
	Replaces:    true,
	User:        readers.UserServers(readers.HomeFolder("CODEX_HOME", ".codex"), "config.toml"),
	Project:     []string{".codex/config.toml"},
	Key:         []string{"mcp_servers"},
	Entry:       `{"command": PROGRAM, "args": ARGS}`,
	ProjectNote: "it counts where the repository is trusted",
}

// readHistory reads history.jsonl: one typed input a line, including drafts that were
// never sent (FORMAT.md §1).
func readHistory(in *readers.Input) error {
	kinds := readers.NewKinds(in)
	err := readers.JSONLines(in, []string{`{"session_id":"`}, func(v *fastjson.Value, _ readers.Line) {
		p := &tables.Prompt{SessionID: readers.Text(v, "session_id"), Text: readers.Text(v, "text"), Timestamp: secondsSince1970(v.Get("ts"))}
		if !v.Exists("text") {
			kinds.Count("history (no text)", false, "", p.Timestamp)
			return
		}
		kinds.Record(v, "history", true, "", p.Timestamp)
		p.IsCommand = readers.IsCommand(p.Text)
		in.Emit(p)
	})
	kinds.Emit(in.Emit)
	return err
}

func secondsSince1970(v *fastjson.Value) time.Time {
	if v == nil || v.Type() != fastjson.TypeNumber {
		return time.Time{}
	}
	s := v.GetFloat64()
	if !(s >= 1 && s < 4e9) {
		return time.Time{}
	}
	return time.Unix(int64(s), 0).UTC()
}

var indexStarts = []string{`{"id":"`}

// readIndex reads session_index.jsonl, the names of sessions. If an id has several
// lines, the last name is valid (FORMAT.md §1).
func readIndex(in *readers.Input) error {
	kinds := readers.NewKinds(in)
	notes := map[string]*tables.SessionNote{}
	err := readers.JSONLines(in, indexStarts, func(v *fastjson.Value, _ readers.Line) {
		at := readers.Time(v.Get("updated_at"))
		if v.Exists("thread_name") {
			kinds.Record(v, "session_index", true, "", at)
		} else {
			kinds.Count("session_index (no name)", false, "", at)
		}
		id := readers.Text(v, "id")
		if notes[id] == nil {
			notes[id] = &tables.SessionNote{SessionID: id}
			in.Emit(notes[id])
		}
		notes[id].Title = readers.Text(v, "thread_name")
	})
	kinds.Emit(in.Emit)
	return err
}
