package gemini

import (
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// promptsFile is logs.json, which holds every interactive input (FORMAT.md §5).
type promptsFile struct {
	in      *readers.Input
	kinds   readers.Kinds
	project string
	moved   map[string]bool          // ids under which the log goes on although another session began
	cleared map[string]*tables.Clear // last clear under such an id, until a prompt begins the next session
}

func readPrompts(in *readers.Input, at place) error {
	p := &promptsFile{in: in, kinds: readers.NewKinds(in), moved: map[string]bool{}, cleared: map[string]*tables.Clear{}}
	var keys []string
	if p.project, keys = projectOf(in, at, "", nil); keys != nil {
		in.Emit(&tables.FileProject{Project: p.project, Keys: keys})
	}
	err := readers.Document(in, "", func(*fastjson.Value, []byte) {}, p.input)
	p.kinds.Emit(in.Emit)
	return err
}

func (p *promptsFile) input(v *fastjson.Value) {
	at := readers.Time(v.Get("timestamp"))
	if !readers.Is(v.Get("message"), fastjson.TypeString) {
		p.kinds.Count("prompt (no message)", false, "", at)
		return
	}
	p.kinds.Record(v, "prompt", true, "", at)
	e := &tables.Prompt{
		SessionID: readers.Text(v, "sessionId"),
		Project:   p.project,
		Text:      readers.Text(v, "message"),
		Timestamp: at,
	}
	e.IsCommand = readers.IsCommand(e.Text)
	p.in.Emit(e)
	if c := p.cleared[e.SessionID]; c != nil && !e.IsCommand {
		c.NextPrompt = e.Text // typed in the same process, whose next session has another id
		delete(p.cleared, e.SessionID)
	}
	p.clear(e)
}

// clear handles a /clear. The log keeps the process's first id. So only the first clear
// of a process names the session that it ended, and only if no other session was
// resumed before.
func (p *promptsFile) clear(e *tables.Prompt) {
	command, rest, _ := strings.Cut(strings.TrimSpace(e.Text), " ")
	switch {
	case command == "/resume" && strings.TrimSpace(rest) == "":
		p.moved[e.SessionID] = true
	case command == "/clear" || command == "/new":
		c := &tables.Clear{
			SessionID:  e.SessionID,
			Trigger:    tables.ClearByCommand,
			Command:    command,
			Project:    p.project,
			Timestamp:  e.Timestamp,
			Evidence:   tables.EvidenceHistory,
			Confidence: 1,
		}
		if p.moved[e.SessionID] {
			c.SessionID = ""
		}
		p.moved[e.SessionID], p.cleared[e.SessionID] = true, c
		p.in.Emit(c)
	}
}
