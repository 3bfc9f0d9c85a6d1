package term

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"hindsql/internal/printable"
	"hindsql/internal/words"
	"hindsql/queries/conversation"
)

// call writes a tool call: its tool and file, its arguments, and the end of its output.
// A refused call has a diff, who refused it, and the reason, instead of the output.
func (p *page) call(c *conversation.Piece) {
	call := c.Call
	refused := call.Refusal
	p.who(c, "agent")
	mark, look := "▸ ", bold
	if refused != nil && !refused.Cascaded {
		mark, look = "✗ ", red
	}
	about := []string{printable.Line(call.Tool)}
	if call.File != "" {
		about = append(about, printable.Line(p.path(call.File)))
	}
	p.line(indent + p.paint(look, mark+joined(" ", about...)) + p.paint(dim, status(call)))
	p.input(call)
	if call.Subagent != "" {
		p.line(indent + p.paint(dim, "→ session ") + p.paint(cyan, p.shortId(call.Subagent)))
	}
	if refused == nil {
		p.tail(call.Output, outputLines)
		return
	}
	p.refusal(refused)
}

// refusal writes who refused a call, and why.
func (p *page) refusal(r *conversation.Refusal) {
	who := "refused by " + printable.Line(r.By)
	switch {
	case r.Cascaded:
		p.line(indent + p.paint(dim, "dropped: a call of the same batch was refused"))
		return
	case r.By == "user":
		who = "you refused"
	}
	p.line(indent + p.paint(red, who))
	switch {
	case r.Reason != "":
		p.text("because: "+r.Reason, 0, bold)
	case r.Next != "" && r.By == "user":
		p.text("next: "+r.Next, noteLines, plain)
	}
}

// status describes the outcome of a call; empty for a short call that went well.
func status(c *conversation.ToolCall) string {
	var parts []string
	if c.Status != "ok" && c.Refusal == nil {
		parts = append(parts, c.Status)
	}
	if c.ExitCode != nil && *c.ExitCode != 0 {
		parts = append(parts, fmt.Sprintf("exit code %d", *c.ExitCode))
	}
	if c.Duration >= time.Second {
		parts = append(parts, words.Duration(c.Duration))
	}
	if len(parts) == 0 {
		return ""
	}
	return "  " + printable.Line(strings.Join(parts, ", "))
}

// input writes a call's arguments: the diff of a refused edit, or the command, or each
// argument with its name.
func (p *page) input(c *conversation.ToolCall) {
	switch {
	case c.Refusal != nil && c.Refusal.Diff != "":
		p.diff(c.Refusal.Diff)
		return
	case c.Command != "":
		p.text("$ "+c.Command, inputLines, plain)
		return
	}
	for _, a := range arguments(c) {
		p.text(a, noteLines, plain)
	}
}

// arguments returns a line for each argument of a call, except the file already named
// in the call's first line.
func arguments(c *conversation.ToolCall) (list []string) {
	var fields map[string]json.RawMessage
	if json.Unmarshal([]byte(c.Input), &fields) != nil {
		if c.Input == "" || c.Input == "null" {
			return nil
		}
		return []string{c.Input}
	}
	for _, name := range fieldNames(c.Input) {
		if asked := questions(fields[name]); name == "questions" && asked != nil {
			list = append(list, asked...)
			continue
		}
		value := string(fields[name])
		var text string
		if json.Unmarshal(fields[name], &text) == nil {
			value = text
		}
		if value != "" && value != "null" && (value != c.File || c.File == "") {
			list = append(list, name+": "+value)
		}
	}
	return list
}

// questions returns a line for each question put to the user, followed by its options;
// nil if the value isn't a list of questions.
func questions(value []byte) (list []string) {
	var asked []struct {
		Question string
		Options  []struct{ Label, Description string }
	}
	if json.Unmarshal(value, &asked) != nil {
		return nil
	}
	for _, a := range asked {
		if a.Question == "" {
			return nil
		}
		list = append(list, "question: "+a.Question)
		for _, o := range a.Options {
			list = append(list, strings.TrimSuffix("option: "+o.Label+": "+o.Description, ": "))
		}
	}
	return list
}

// fieldNames returns the names of an object's fields in order.
func fieldNames(object string) (names []string) {
	d := json.NewDecoder(strings.NewReader(object))
	depth, isName := 0, false
	for {
		token, err := d.Token()
		if err != nil {
			return names
		}
		switch t := token.(type) {
		case json.Delim:
			if t == '{' || t == '[' {
				depth++
			} else {
				depth--
			}
			isName = depth == 1
			continue
		case string:
			if depth == 1 && isName && !slices.Contains(names, t) {
				names = append(names, t)
				isName = false
				continue
			}
		}
		isName = depth == 1
	}
}
