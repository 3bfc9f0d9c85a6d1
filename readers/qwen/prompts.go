package qwen

import (
	"path"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// history reads logs.json: every prompt and command typed in a folder (FORMAT.md §6.2).
type history struct {
	in      *readers.Input
	kinds   readers.Kinds
	met     map[string]bool // session ids met
	cleared *tables.Clear   // last clear, until an input names the next session
	opened  *tables.Clear   // last clear with a next session, until a prompt is typed in that session
}

// readPrompts reads logs.json. Its folder's name is a hash of the project, which the
// list of ended sessions names.
func readPrompts(in *readers.Input, at place) error {
	h := &history{in: in, kinds: readers.NewKinds(in), met: map[string]bool{}}
	in.Emit(&tables.FileProject{Keys: []string{path.Base(at.folder)}})
	err := readers.Document(in, "", func(*fastjson.Value, []byte) {}, h.input)
	h.kinds.Emit(in.Emit)
	return err
}

func (h *history) input(v *fastjson.Value) {
	at := readers.Time(v.Get("timestamp"))
	text := v.Get("message")
	if text == nil || text.Type() != fastjson.TypeString {
		h.kinds.Count("prompt (no message)", false, "", at)
		return
	}
	h.kinds.Record(v, "prompt", true, "", at)
	p := &tables.Prompt{SessionID: readers.Text(v, "sessionId"), Text: readers.Text(text), Timestamp: at}
	p.IsCommand = readers.IsCommand(p.Text)
	h.in.Emit(p)
	h.clear(p)
}

// clear notes a clear. Its line has the ended session's id. The next new id is that of
// the session which the clear opened; a known id belongs to another terminal.
func (h *history) clear(p *tables.Prompt) {
	isNew := p.SessionID != "" && !h.met[p.SessionID]
	h.met[p.SessionID] = true
	if c := h.cleared; c != nil && isNew {
		c.NextSessionID = p.SessionID
		h.cleared, h.opened = nil, c
	}
	if c := h.opened; c != nil && c.NextSessionID == p.SessionID && !p.IsCommand {
		c.NextPrompt, h.opened = p.Text, nil
	}
	command, _, _ := strings.Cut(strings.TrimSpace(p.Text), " ")
	if !clears[command] {
		return
	}
	h.cleared = &tables.Clear{
		SessionID:  p.SessionID,
		Trigger:    tables.ClearByCommand,
		Command:    command,
		Timestamp:  p.Timestamp,
		Evidence:   tables.EvidenceHistory,
		Confidence: 1,
	}
	h.in.Emit(h.cleared)
}

var clears = readers.SetOf(`/clear /new /reset`)
