package codex

import (
	"slices"
	"strings"

	"hindsql/readers"
	"hindsql/tables"

	"github.com/valyala/fastjson"
)

// asking returns the script's first command that has no item and asked to leave the
// sandbox. If everything is true, any command without an item will do. It returns nil
// if there is none.
func (s *script) asking(everything bool) *scriptCommand {
	var other *scriptCommand
	for _, c := range s.commands {
		switch {
		case c.taken:
		case c.asks:
			return c
		case other == nil && everything:
			other = c
		}
	}
	return other
}

// declined is a command's refusal found in a script's output.
type declined struct {
	refusal
	text string
	sure bool // the program stated it, as an error of the script's call
}

// declines emits the refused commands of a script. A refused command has no item, only
// an error of the call. The script passes this error on or fails with it. A command
// with an item was carried out, so text in the command's output is never taken for a
// refusal.
//
// In a file without items, such an error looks like text that a script read from a
// file: the refusal's author is then unknown.
func (t *rollout) declines(r *record, s *script, f *framed) {
	for _, d := range t.declinedIn(s, f) {
		c, a := s.asking(true), t.answerWithin(s, r.at, (*answer).deniesCommand)
		switch {
		case d.by == tables.ByUser && a != nil: // the answer is kept
		case printed(s.children, d.text):
			continue // the words are data
		case c == nil && !repeats.MatchString(s.code):
			continue // every command is known to have run
		case c == nil, !d.sure, !t.ordered, s.quotes, printed(t.made, d.text):
			d.refusal = d.byWording()
		}
		info := t.commandCall(s, c)
		if d.by == tables.ByUser {
			t.give(info, a)
		}
		t.makeUp(s, c, info)
		t.endChild(r, info, d.status(), d.text)
		t.refuse(r, info, d.refusal)
	}
}

// deniedWithin emits commands refused by a person that the script's output doesn't
// mention. Only the answers are kept.
func (t *rollout) deniedWithin(r *record, s *script) {
	for a := t.answerWithin(s, r.at, (*answer).denies); a != nil; a = t.answerWithin(s, r.at, (*answer).denies) {
		c := s.commandOf(a)
		info := t.commandCall(s, c)
		t.give(info, a)
		t.makeUp(s, c, info)
		at := *r
		at.at = a.at
		t.endChild(&at, info, tables.StatusRejected, "")
		t.refuse(&at, info, recorded(tables.ByUser))
	}
}

// grantedWithin emits the script's calls that a person granted and that ran when the
// script was cut. Their items may still come. It reports whether any call was found.
func (t *rollout) grantedWithin(r *record, s *script) (any bool) {
	for a := t.answerWithin(s, r.at, (*answer).grants); a != nil; a = t.answerWithin(s, r.at, (*answer).grants) {
		c := s.commandOf(a)
		info := t.commandCall(s, c)
		t.give(info, a)
		t.makeUp(s, c, info)
		t.endChild(r, info, tables.StatusInterrupted, "")
		any = true
	}
	return any
}

// refusalQuoted matches words of a refusal in a script's own text.
var refusalQuoted = readers.Lazy(`Rejected\(|rejected by|rejected due`)

// printed reports whether a call's output holds the words. Calls of older scripts count
// too, because a script may keep their output.
func printed(calls []*call, words string) bool {
	words = strings.TrimSpace(words)
	first := recent(len(calls), func(i int) string { return calls[i].gave() })
	return slices.ContainsFunc(calls[first:], func(c *call) bool {
		return c.ToolKind != tables.ToolScript && !c.refused && strings.Contains(c.gave(), words)
	})
}

// gave returns the call's output; empty if it has no result yet.
func (c *call) gave() string {
	if c.result == nil {
		return ""
	}
	return c.result.Output
}

// caught matches code that goes on after a call's error.
var caught = readers.Lazy(`\bcatch\b|\ballSettled\b|\.then\s*\(`)

// stackLine matches the line of a stack trace where the script threw an error again.
var stackLine = readers.Lazy(`\n\s+at [^\n]*$`)

func (t *rollout) declinedIn(s *script, f *framed) []declined {
	var found []declined
	if text, ok := afterLast(f.text, scriptError); ok && f.script == "failed" {
		text = strings.TrimSpace(text)
		plain := strings.TrimPrefix(stackLine.ReplaceAllString(text, ""), "Error: ")
		if d, ok := commandRefusal(plain); ok {
			return append(found, declined{d, plain, plain == text})
		}
	}
	if !caught.MatchString(s.code) {
		return found // an uncaught refusal would have ended the script
	}
	settled := strings.Contains(s.code, "allSettled")
	for _, part := range s.parts {
		if d, ok := commandRefusal(part); ok {
			found = append(found, declined{d, part, false})
		}
		if v, err := t.parser.Parse(part); err == nil && settled {
			found = appendDeclined(found, v, 0)
		}
	}
	return found
}

// appendDeclined adds the refused calls of a Promise.allSettled result.
func appendDeclined(found []declined, v *fastjson.Value, depth int) []declined {
	if reason := readers.Text(v, "reason"); readers.Text(v, "status") == "rejected" {
		if d, ok := commandRefusal(reason); ok {
			found = append(found, declined{d, reason, true})
		}
	}
	if v.Type() == fastjson.TypeArray && depth < 3 {
		for _, e := range v.GetArray() {
			found = appendDeclined(found, e, depth+1)
		}
	}
	return found
}

// commandRefusal reads the error of a script's refused command.
func commandRefusal(text string) (refusal, bool) {
	if !strings.HasPrefix(strings.TrimSpace(text), "exec_command failed") {
		return refusal{}, false
	}
	return refusalIn(text)
}
