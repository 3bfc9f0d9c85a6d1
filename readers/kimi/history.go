package kimi

import (
	"crypto/md5"
	"encoding/hex"
	"path"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// readHistory reads user-history/KEY.jsonl: a folder's typed inputs, without times and
// sessions. KEY is the folder's hash; the index names the folder (FORMAT.md §1).
func readHistory(in *readers.Input) error {
	in.Emit(&tables.FileProject{Keys: []string{strings.TrimSuffix(path.Base(in.Rel), ".jsonl")}})
	h := &history{in: in, kinds: readers.NewKinds(in), told: readers.Set{}}
	err := readers.JSONLines(in, []string{`{"content":"`}, h.input)
	h.kinds.Emit(in.Emit)
	return err
}

type history struct {
	in      *readers.Input
	kinds   readers.Kinds
	cleared bool        // a clear was typed, and since then only commands
	told    readers.Set // first prompts after a clear that was emitted
}

func (h *history) input(v *fastjson.Value, _ readers.Line) {
	content := v.Get("content")
	if content == nil || content.Type() != fastjson.TypeString {
		h.kinds.Count("user-history (no content)", false, "", time.Time{})
		return
	}
	h.kinds.Record(v, "user-history", true, "", time.Time{})
	text := readers.Text(content)
	command := readers.IsCommand(text)
	h.in.Emit(&tables.Prompt{Text: text, IsCommand: command || strings.HasPrefix(text, "!")})
	h.clear(text, command)
}

// Confidence of a clear, which only the order of the inputs tells (FORMAT.md §7).
const clearedByOrder = 0.8

// clear emits a clear: a prompt typed after /new began another session. No log of a
// session tells of the clear. Kimi Code also writes /clear as /new.
func (h *history) clear(text string, command bool) {
	word, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	switch {
	case word == "/new" || word == "/clear":
		h.cleared = true
	case h.cleared && !command:
		if h.cleared = false; h.told[text] {
			return
		}
		h.told[text] = true
		h.in.Emit(&tables.Clear{
			NextPrompt: text, Trigger: tables.ClearByCommand, Command: "/new",
			Evidence: tables.EvidenceInferred, Confidence: clearedByOrder,
		})
	}
}

// readIndex reads session_index.jsonl, which names the folder of each session.
func readIndex(in *readers.Input) error {
	kinds := readers.NewKinds(in)
	told := readers.Set{}
	err := readers.JSONLines(in, []string{`{"sessionId":"`}, func(v *fastjson.Value, _ readers.Line) {
		folder := readers.Text(v, "workDir")
		if folder == "" {
			kinds.Count("session_index (no workDir)", false, "", time.Time{})
			return
		}
		kinds.Record(v, "session_index", true, "", time.Time{})
		if !told[folder] {
			told[folder] = true
			in.Emit(&tables.ProjectNote{Key: keyOf(folder), Project: readers.Folder(folder)})
		}
	})
	kinds.Emit(in.Emit)
	return err
}

// keyOf returns the name of a folder's history file.
func keyOf(folder string) string {
	sum := md5.Sum([]byte(folder))
	return hex.EncodeToString(sum[:])
}
