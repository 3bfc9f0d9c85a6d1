package codex

import (
	"slices"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/internal/pattern"
	"hindsql/readers"
	"hindsql/tables"
)

// asking returns the script's first command that asked to leave the sandbox and is not
// matched to a call. If there is none and everything is true, it returns the first
// command not matched to a call, or nil.
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
	sure bool // Codex stated the refusal, as an error of the script's call
}

// declines emits the refused commands of a script. A command that ran has an item. A
// refused command has no item, only an error that Codex returned to the script. The
// script passes this error on in its output, or fails with it. Text in the output of a
// command that ran is never taken for a refusal.
//
// In a log without items, a script may have read the same text from a file and printed
// it. Such a refusal is emitted with an unknown author.
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

// deniedWithin emits commands and patches of a script that a person refused, as the
// answers in Codex's database show. The script's output doesn't mention these refusals.
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

// grantedWithin emits the script's calls that a person granted and that were still
// running when the user stopped the script. Their items may still come. It reports
// whether it found any.
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
var refusalQuoted = pattern.Lazy(`Rejected\(|rejected by|rejected due`)

// printed reports whether one of the calls has the words in its output: then the words
// may be data that a script printed. The caller may pass calls of older scripts, too,
// because a script may keep their output.
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

// caught matches script code that goes on after one of the script's calls failed.
var caught = pattern.Lazy(`\bcatch\b|\ballSettled\b|\.then\s*\(`)

// stackLine matches the last line of an error's stack trace: the script caught the
// error and threw it again.
var stackLine = pattern.Lazy(`\n\s+at [^\n]*$`)

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
