package claudefiles

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// ReadHistory reads history.jsonl, one typed input a line (readers/claude/FORMAT.md §8.3).
func ReadHistory(in *readers.Input) error {
	h := &history{in: in, kinds: readers.NewKinds(in), cleared: map[string]*tables.Clear{}}
	err := readers.JSONLines(in, []string{`{"display":"`}, h.handleInput)
	h.kinds.Emit(in.Emit)
	return err
}

type history struct {
	in      *readers.Input
	kinds   readers.Kinds
	cleared map[string]*tables.Clear // last clear by project, until a prompt names the next session
}

func (h *history) handleInput(v *fastjson.Value, _ readers.Line) {
	display := v.Get("display")
	if display == nil {
		h.kinds.Count("history (no display)", false, "", readers.Time(v.Get("timestamp")))
		return
	}
	p := &tables.Prompt{
		SessionID: readers.Text(v, "sessionId"),
		Project:   readers.Folder(readers.Text(v, "project")),
		Text:      readers.Text(display) + h.readPastes(v.Get("pastedContents")),
		Timestamp: readers.Time(v.Get("timestamp")),
	}
	p.IsCommand = readers.IsCommand(p.Text)
	h.kinds.Record(v, "history", true, "", p.Timestamp)
	h.in.Emit(p)
	h.handleClear(p)
}

// handleClear handles a /clear. The line of /clear has the old session's id; the next
// input in the same project has the new id (readers/claude/FORMAT.md §8.3). The new session's first
// prompt may also stand in the same input, on lines after /clear.
func (h *history) handleClear(p *tables.Prompt) {
	if c := h.cleared[p.Project]; c != nil && p.SessionID != c.SessionID {
		c.NextSessionID = p.SessionID
		delete(h.cleared, p.Project)
	}
	command := FirstWord(p.Text)
	if !IsClear(command) {
		return
	}
	c := readers.HistoryClear(p, command)
	if p.SessionID != "" { // 2.0.x wrote no id: the next line with one may be a later version's
		h.cleared[p.Project] = c
	}
	h.in.Emit(c)
}

// readPastes returns the pasted texts, ordered by number. A text moved to paste-cache/ is
// read from the file there, while the file exists.
func (h *history) readPastes(v *fastjson.Value) string {
	o := v.GetObject()
	if o == nil {
		return ""
	}
	var out strings.Builder
	for _, k := range sortedKeys(o) {
		if text := h.readPaste(o.Get(k)); text != "" {
			out.WriteString("\n\n" + text)
		}
	}
	return out.String()
}

// sortedKeys returns an object's keys, which are numbers, in order.
func sortedKeys(o *fastjson.Object) []string {
	var keys []string
	o.Visit(func(k []byte, _ *fastjson.Value) { keys = append(keys, string(k)) })
	slices.SortFunc(keys, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
	return keys
}

func (h *history) readPaste(v *fastjson.Value) string {
	if readers.Text(v, "type") != "text" {
		return ""
	}
	hash := readers.Text(v, "contentHash")
	if hash == "" {
		return readers.Text(v, "content")
	}
	text, err := h.in.ReadFile(path.Join("paste-cache", path.Base(hash)+".txt"))
	if err != nil {
		return ""
	}
	return string(text)
}

// IsClear reports whether a command is /clear or an alias of /clear (readers/claude/FORMAT.md §8.2).
func IsClear(command string) bool {
	return command == "/clear" || command == "/new" || command == "/reset"
}

// FirstWord returns the first word of a text, which is the command in an input like
// "/clear NEXT PROMPT". The prompt may follow on the same line or on the next one.
func FirstWord(text string) string {
	words := strings.Fields(text)
	if len(words) == 0 {
		return ""
	}
	return words[0]
}
