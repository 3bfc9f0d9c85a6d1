package conversation

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"hindsql/internal/words"
)

// Argument is a named text of a call: an argument, a question, or the reason of a
// refusal.
type Argument struct{ Name, Text string }

// String returns the argument on a line.
func (a Argument) String() string { return a.Name + ": " + a.Text }

// Indented returns the text. An object or a list has line breaks.
func (a Argument) Indented() string {
	var b bytes.Buffer
	if !strings.HasPrefix(a.Text, "{") && !strings.HasPrefix(a.Text, "[") || json.Indent(&b, []byte(a.Text), "", "  ") != nil {
		return a.Text
	}
	return b.String()
}

// Arguments returns a call's inputs without empty ones, the command and the file.
func (c *ToolCall) Arguments() []Argument {
	return slices.DeleteFunc(c.Inputs(), func(a Argument) bool { return a.Text == "" || a.Text == c.Command || a.Text == c.File })
}

// Inputs returns a call's input in order. Each question put to the user and each option is
// an argument of its own. Input other than an object is one argument.
func (c *ToolCall) Inputs() (list []Argument) {
	d := json.NewDecoder(strings.NewReader(c.Input))
	if token, err := d.Token(); err != nil || token != json.Delim('{') {
		if c.Input == "" || c.Input == "null" {
			return nil
		}
		return []Argument{{"input", c.Input}}
	}
	for d.More() {
		name, err := d.Token()
		var value json.RawMessage
		if err != nil || d.Decode(&value) != nil {
			break
		}
		if asked := questions(value); name == "questions" && asked != nil {
			list = append(list, asked...)
			continue
		}
		text := string(value)
		_ = json.Unmarshal(value, &text) // other values stay JSON
		if text != "null" {
			list = append(list, Argument{name.(string), text}) // JSON keys are strings
		}
	}
	return list
}

// questions returns an argument for each question put to the user, followed by its
// options; nil if the value isn't a list of questions.
func questions(value []byte) (list []Argument) {
	var asked []struct {
		Question string
		Options  []struct{ Label, Description, Preview string }
	}
	if json.Unmarshal(value, &asked) != nil {
		return nil
	}
	for _, a := range asked {
		if a.Question == "" {
			return nil
		}
		list = append(list, Argument{"question", a.Question})
		for _, o := range a.Options {
			list = append(list, Argument{"option", words.JoinNonempty(": ", o.Label, o.Description)}, Argument{"preview", o.Preview})
		}
	}
	return list
}

// ended maps a call's status to words. A call that went well has none.
var ended = map[string]string{
	"ok": "", "error": "failed", "rejected": "refused by you", "pending": "no result yet", "lost": "lost: its result is not in the log",
}

// State returns a call's end in words: the refuser or the failure, the user's permission,
// and the duration. State is empty for a short call that went well.
func (c *ToolCall) State() string {
	how, known := ended[c.Status]
	if !known {
		how = c.Status
	}
	var code, allowed, took string
	if c.Refusal != nil {
		how = c.Refusal.Who()
	}
	if c.ExitCode != nil && *c.ExitCode != 0 {
		code = fmt.Sprintf("exit code %d", *c.ExitCode)
	}
	if c.Decision == "granted" && c.DecidedBy == "user" {
		allowed = "allowed by you"
	}
	if c.Duration >= time.Second {
		took = words.Duration(c.Duration)
	}
	return words.JoinNonempty(" · ", how, code, allowed, took)
}

var deciders = map[string]string{
	"user": "you", "rule": "a rule", "hook": "a hook", "classifier": "a classifier", "mode": "the mode", "setting": "a setting",
	"sandbox": "the sandbox", "nobody": "nobody: no person answered", "system": "the system", "unknown": "unknown",
}

// Decider returns who decided about a call, or stopped one, in words.
func Decider(by string) string { return cmp.Or(deciders[by], by) }

// Who says who refused a call.
func (r *Refusal) Who() string {
	switch {
	case r.Cascaded:
		return "dropped: a call of the same batch was refused"
	case r.By == "nobody":
		return "refused: nobody answered"
	case r.By == "" || r.By == "unknown":
		return "refused"
	}
	return "refused by " + Decider(r.By)
}

// Why returns the reason of a refusal, and the user's next prompt if it is no repeated
// reason.
func (r *Refusal) Why() (said []Argument) {
	if r.Reason != "" {
		said = append(said, Argument{"because", r.Reason})
	}
	if r.Next != "" && r.ByUser() && r.Next != r.Reason {
		said = append(said, Argument{"what you typed next", r.Next})
	}
	return said
}

// RelativePath returns a path in a folder without the folder, and any other path as it
// is.
func RelativePath(folder, path string) string {
	if below, ok := strings.CutPrefix(path, folder+"/"); ok && folder != "" {
		return below
	}
	return path
}

// IsOfMessage reports whether a piece is part of a message, and not between messages.
func (p *Piece) IsOfMessage() bool {
	switch p.Kind {
	case Stop, Compaction, Clear, Copied, LeftOut:
		return false
	}
	return true
}

// Between says what happened between messages. A linked session follows the text.
func (p *Piece) Between() string {
	switch p.Kind {
	case Compaction:
		return words.JoinNonempty(": ", "compacted", p.What)
	case Clear:
		return words.JoinNonempty(" ", "cleared: "+p.What, map[bool]string{true: "→"}[p.Link != ""])
	case Copied:
		return words.Quantity(p.Count, "message") + " copied from" + map[bool]string{true: " an older session"}[p.Link == ""]
	case LeftOut:
		return words.Quantity(p.Count, "message") + " left out"
	}
	return p.What
}

// Facts says where and when a session ran.
func (s *Session) Facts() string {
	return words.JoinNonempty(" · ", s.Agent, cmp.Or(s.ProjectName, words.NoProject), s.Branch, s.Model, words.Span(s.StartedAt, s.EndedAt))
}

// Amounts says how much a session holds.
func (s *Session) Amounts() string {
	var refused, cost string
	if s.Refused > 0 {
		refused = words.Int(s.Refused) + " refused"
	}
	if s.CostUSD != nil {
		cost = words.Dollars(*s.CostUSD)
	}
	return words.JoinNonempty(" · ", words.Quantity(s.Prompts, "prompt"), words.Quantity(s.Tokens, "token"), refused, cost)
}
