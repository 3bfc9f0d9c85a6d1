package codex

import (
	"slices"
	"strings"

	"hindsql/readers"
	"hindsql/tables"

	"github.com/valyala/fastjson"
)

// asking is a command of the script that no item tells of, and that had to be
// asked about; where everything is, any. Nil for none.
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

// declined is a refusal of a command that a script's output tells of.
type declined struct {
	refusal
	text string
	sure bool // the program stated it, as an error of the script's call
}

// declines tells of the commands that were refused. No item does: there is the
// error that the command's call ended in, which the script passes on or dies of.
// A command whose item is there was carried out, so that what it printed is
// never taken for its refusal.
//
// Without items nothing tells the error from what a script read in a file: then
// nobody is known to have refused anything.
func (t *rollout) declines(r *record, s *script, f *framed) {
	for _, d := range t.declinedIn(s, f) {
		c, a := s.asking(true), t.answerWithin(s, r.at, (*answer).deniesCommand)
		switch {
		case d.by == tables.ByUser && a != nil: // the answer is kept
		case printed(s.children, d.text):
			continue // the words are data
		case c == nil && !repeats.MatchString(s.code):
			continue // all that it ran is known to have run
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

// deniedWithin tells of the commands that a person refused, and of which the
// script tells nothing: only the answers are kept.
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

// grantedWithin tells of the calls of a script that a person granted, and that
// ran when the script was cut: an item of theirs may come yet. It says whether
// there were any.
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

// refusalQuoted is what a script's text has that makes up a refusal's words.
var refusalQuoted = readers.Lazy(`Rejected\(|rejected by|rejected due`)

// printed says whether one of the calls gave the words. A script may keep what one
// of an older script gave.
func printed(calls []*call, words string) bool {
	words = strings.TrimSpace(words)
	first := recent(len(calls), func(i int) string { return calls[i].gave() })
	return slices.ContainsFunc(calls[first:], func(c *call) bool {
		return c.ToolKind != tables.ToolScript && !c.refused && strings.Contains(c.gave(), words)
	})
}

// gave is the call's output; empty for none so far.
func (c *call) gave() string {
	if c.result == nil {
		return ""
	}
	return c.result.Output
}

// caught is code that goes on after an error of a call.
var caught = readers.Lazy(`\bcatch\b|\ballSettled\b|\.then\s*\(`)

// stackLine is where in a script an error was thrown again.
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
		return found // a call that was refused would have ended the script
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

// appendDeclined takes the calls of Promise.allSettled that were refused.
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

// commandRefusal reads the error that a refused command of a script ends in.
func commandRefusal(text string) (refusal, bool) {
	if !strings.HasPrefix(strings.TrimSpace(text), "exec_command failed") {
		return refusal{}, false
	}
	return refusalIn(text)
}
