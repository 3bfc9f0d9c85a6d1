package grok

import (
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// toolCall handles a call: the title is the tool's name (FORMAT.md §2). A command that
// the user typed has such a line, too.
func (l *log) toolCall(u *update) {
	t, id := l.current(u), readers.Text(u.Value, "toolCallId")
	c := &call{native: id}
	typed := t.shell != "" && t.response == nil && readers.Text(u.Value, "rawInput", "command") == t.shell
	if typed || u.GetBool("_meta", "bash_mode") || strings.HasPrefix(id, "bash-mode-") {
		c.shell, t.shell = true, ""
		l.calls[id] = c
		return
	}
	own := u.GetStringBytes("_meta", "x.ai/tool", "name") // the title may be a client's name for it
	name := u.GetStringBytes("title")
	if len(name) == 0 {
		name = own
	}
	c.fill(l.words.Of(name), string(own), u.Get("rawInput"))
	c.ToolUseID, c.Timestamp, c.Line = id, u.at, u.line
	if l.calls[id] != nil {
		c.ToolUseID = id + "@" + u.id // some servers number calls anew
	}
	m := l.part(t, u)
	if c.response = t.response; m == t.response {
		m.UUID = u.id
		l.say(m)
	} else {
		l.toResponse(t.response, u)
	}
	if id != "" {
		l.calls[id] = c
	}
	t.calls = append(t.calls, c)
	l.in.Emit(&c.ToolCall)
}

// backgrounded is the signal of a command that went to the background: the model got an
// answer, and the line has no status.
const backgrounded = "backgrounded"

// toolCallUpdate handles what becomes of a call: first its details, then its end.
func (l *log) toolCallUpdate(u *update) {
	c := l.calls[readers.Text(u.Value, "toolCallId")]
	status := readers.Text(u.Value, "status")
	if status != "completed" && status != "failed" && readers.Text(u.Value, "rawOutput", "signal") != backgrounded {
		if c != nil && !c.ended {
			c.details(u)
		}
		return
	}
	switch {
	case c == nil:
		id := readers.Text(u.Value, "toolCallId")
		c = &call{native: id, ended: true} // its line is damaged
		c.ToolUseID = id
		l.end(c, u)
	case c.shell:
		l.shellEnded(u)
	default:
		l.end(c, u)
	}
}

// details keeps the file and the edit that the user is asked about.
func (c *call) details(u *update) {
	if c.FilePath == "" {
		if places := u.GetArray("locations"); len(places) > 0 {
			c.FilePath = readers.Text(places[0], "path")
		}
	}
	if edits := diffsIn(u.GetArray("content")); len(edits) > 0 {
		c.Edits = func() []tables.Edit { return edits }
	}
}

// shellEnded handles the output of a command that the user typed.
func (l *log) shellEnded(u *update) {
	m := u.message(tables.RoleUser, tables.KindCommandOutput, textOf(u.GetArray("content")))
	if exit := readers.Int(u.Value, "rawOutput", "exit_code"); exit.OK {
		m.Extra = readers.Object(map[string]any{"exit_code": exit.Value})
	}
	l.say(l.side(m))
}

// textOf joins the texts of an update's content.
func textOf(content []*fastjson.Value) string {
	var b strings.Builder
	for _, part := range content {
		if readers.Text(part, "type") != "content" {
			continue
		}
		text, _ := contentOf(part.Get("content"))
		if text != "" && b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(text)
	}
	return b.String()
}
