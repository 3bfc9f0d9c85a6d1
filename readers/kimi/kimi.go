// Package kimi reads the logs of Kimi Code: the wire of each agent of a session, the
// history of typed inputs, and the index of sessions. README.md describes the rows,
// FORMAT.md the files; comments refer to its sections.
//
// Comments use these words: a wire is an agent's log, wire.jsonl. A step is a request to
// the model, with the answer and the results of the answer's calls. An ask is a dialog
// in which a person decides about a call.
package kimi

import (
	"crypto/md5"
	_ "embed" // fields.txt
	"encoding/hex"
	"path"
	"path/filepath"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// Reader reads the logs of Kimi Code 2.x, and of versions since protocol 1.0.
var Reader = &readers.Reader{
	Agent:      "kimi",
	Title:      "Kimi Code",
	Version:    2,
	Env:        "KIMI_CODE_HOME",
	Roots:      func(host readers.Host) []string { return []string{home(host)} },
	Under:      []string{sessionsFolder, historyFolder, indexFile},
	IsLog:      isLog,
	Companions: "state.json notify/ tasks/ logs/ plans/ plan/ file-history/",
	Appends:    true,
	Read:       read,
	Records:    readers.ParseFacts("refusals reasons refused-diffs rule-refusals grants machine-grants~ waits interruptions partial-output system-stops compactions compaction-tokens~ compaction-triggers summaries clears? prompts branches forks subagents tokens thinking exit-codes"),
	Fields:     readers.Fields(fields),
	Versions:   "2.1.0, wire protocol 1.5",
	Kept:       "No version is known to delete any. /undo deletes no line.",
	Servers:    servers,
	Resume:     "kimi --session ID",
	// MoonshotAI/kimi-code, docs/en/customization/skills.md at d723cc47.
	Skills: readers.SkillFolders{
		User: func(host readers.Host) []string {
			return append(readers.HomeFolders(readers.SharedSkills)(host), filepath.Join(home(host), "skills"))
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

// readHistory reads user-history/KEY.jsonl: a folder's typed inputs, without times and
// sessions. KEY is the folder's hash; the index names the folder (FORMAT.md §1).
func readHistory(in *readers.Input) error {
	in.Emit(&tables.FileProject{Keys: []string{strings.TrimSuffix(path.Base(in.Rel), ".jsonl")}})
	h := &history{in: in, kinds: readers.NewKinds(in), emitted: readers.Set{}}
	err := readers.JSONLines(in, []string{`{"content":"`}, h.handleInput)
	h.kinds.Emit(in.Emit)
	return err
}

type history struct {
	in      *readers.Input
	kinds   readers.Kinds
	cleared bool        // a clear was typed, and since then only commands
	emitted readers.Set // first prompts after a clear that was emitted
}

func (h *history) handleInput(v *fastjson.Value, _ readers.Line) {
	content := v.Get("content")
	if content == nil || content.Type() != fastjson.TypeString {
		h.kinds.Count("user-history (no content)", false, "", time.Time{})
		return
	}
	h.kinds.Record(v, "user-history", true, "", time.Time{})
	text := readers.Text(content)
	command := readers.IsCommand(text)
	h.in.Emit(&tables.Prompt{Text: text, IsCommand: command})
	h.emitClear(text, command)
}

// Confidence of a clear, which only the order of the inputs shows (FORMAT.md §7).
const clearedByOrder = 0.8

// emitClear emits a clear: a prompt typed after /new began another session. No log of a
// session shows the clear. Kimi Code also writes /clear as /new.
func (h *history) emitClear(text string, command bool) {
	word, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	switch {
	case word == "/new" || word == "/clear":
		h.cleared = true
	case h.cleared && !command:
		if h.cleared = false; h.emitted[text] {
			return
		}
		h.emitted[text] = true
		h.in.Emit(&tables.Clear{
			NextPrompt: text, Trigger: tables.ClearByCommand, Command: "/new",
			Evidence: tables.EvidenceInferred, Confidence: clearedByOrder,
		})
	}
}

// readIndex reads session_index.jsonl, which names the folder of each session.
func readIndex(in *readers.Input) error {
	kinds := readers.NewKinds(in)
	emitted := readers.Set{}
	err := readers.JSONLines(in, []string{`{"sessionId":"`}, func(v *fastjson.Value, _ readers.Line) {
		folder := readers.Text(v, "workDir")
		if folder == "" {
			kinds.Count("session_index (no workDir)", false, "", time.Time{})
			return
		}
		kinds.Record(v, "session_index", true, "", time.Time{})
		if !emitted[folder] {
			sum := md5.Sum([]byte(folder)) // names the folder's history file
			emitted[folder] = true
			in.Emit(&tables.ProjectNote{Key: hex.EncodeToString(sum[:]), Project: readers.Folder(folder)})
		}
	})
	kinds.Emit(in.Emit)
	return err
}
