package codex

import (
	"slices"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/internal/pattern"
	"hindsql/readers"
	"hindsql/tables"
)

// findAsking returns the script's first command that asked to leave the sandbox and is not
// matched to a call. If there is none and everything is true, it returns the first
// command not matched to a call, or nil.
func (s *script) findAsking(everything bool) *scriptCommand {
	var other *scriptCommand
	for _, c := range s.commands {
		switch {
		case c.isMatched:
		case c.asks:
			return c
		case other == nil && everything:
			other = c
		}
	}
	return other
}

// scriptRefusal is a command's refusal found in a script's output.
type scriptRefusal struct {
	refusal
	text string
	sure bool // Codex stated the refusal, as an error of the script's call
}

// emitScriptRefusals emits the refused commands of a script. A command that ran has an
// item. A refused command has no item, only an error that Codex returned to the script.
// The script passes this error on in its output, or fails with it. Text in the output
// of a command that ran is never taken for a refusal.
//
// In a log without items, a script may have read the same text from a file and printed
// it. Such a refusal is emitted with an unknown author.
func (t *rollout) emitScriptRefusals(r *record, s *script, f *framedOutput) {
	for _, d := range t.findScriptRefusals(s, f) {
		c, a := s.findAsking(true), t.answerWithin(s, r.at, (*answer).isCommandDenial)
		switch {
		case d.by == tables.ByUser && a != nil: // the answer is kept
		case isPrinted(s.children, d.text):
			continue // the words are data
		case c == nil && !loops.MatchString(s.code):
			continue // every command is known to have run
		case c == nil, !d.sure, !t.ordered, s.quotes, isPrinted(t.callList, d.text):
			d.refusal = d.byWording()
		}
		if d.by != tables.ByUser {
			a = nil
		}
		info := t.addAnsweredCall(s, c, a)
		t.emitChildResult(r, info, d.status(), d.text)
		t.emitRefusal(r, info, d.refusal)
	}
}

// emitDeniedCalls emits commands and patches of a script that a person refused, as the
// answers in Codex's database show. The script's output doesn't mention these refusals.
func (t *rollout) emitDeniedCalls(r *record, s *script) {
	for a := t.answerWithin(s, r.at, (*answer).isDenial); a != nil; a = t.answerWithin(s, r.at, (*answer).isDenial) {
		info := t.addAnsweredCall(s, s.commandOfAnswer(a), a)
		at := *r
		at.at = a.at
		t.emitChildResult(&at, info, tables.StatusRejected, "")
		t.emitRefusal(&at, info, recordedRefusal(tables.ByUser))
	}
}

// emitGrantedCalls emits the script's calls that a person granted and that were still
// running when the user stopped the script. Their items may still come. It reports
// whether it found any.
func (t *rollout) emitGrantedCalls(r *record, s *script) (any bool) {
	for a := t.answerWithin(s, r.at, (*answer).isGrant); a != nil; a = t.answerWithin(s, r.at, (*answer).isGrant) {
		info := t.addAnsweredCall(s, s.commandOfAnswer(a), a)
		t.emitChildResult(r, info, tables.StatusInterrupted, "")
		any = true
	}
	return any
}

// refusalQuoted matches words of a refusal in a script's own text.
var refusalQuoted = pattern.Lazy(`Rejected\(|rejected by|rejected due`)

// isPrinted reports whether one of the calls has the words in its output: then the words
// may be data that a script printed. The caller may pass calls of older scripts, too,
// because a script may keep their output.
func isPrinted(calls []*call, words string) bool {
	words = strings.TrimSpace(words)
	first := firstRecent(len(calls), func(i int) string { return calls[i].resultText() })
	return slices.ContainsFunc(calls[first:], func(c *call) bool {
		return c.ToolKind != tables.ToolScript && !c.refused && strings.Contains(c.resultText(), words)
	})
}

// resultText returns the call's output; empty if it has no result yet.
func (c *call) resultText() string {
	if c.result == nil {
		return ""
	}
	return c.result.Output
}

// catches matches script code that goes on after one of the script's calls failed.
var catches = pattern.Lazy(`\bcatch\b|\ballSettled\b|\.then\s*\(`)

// stackLine matches the last line of an error's stack trace: the script caught the
// error and threw it again.
var stackLine = pattern.Lazy(`\n\s+at [^\n]*$`)

func (t *rollout) findScriptRefusals(s *script, f *framedOutput) []scriptRefusal {
	var found []scriptRefusal
	if text, ok := afterLast(f.text, scriptError); ok && f.script == "failed" {
		text = strings.TrimSpace(text)
		plain := strings.TrimPrefix(stackLine.ReplaceAllString(text, ""), "Error: ")
		if d, ok := parseCommandRefusal(plain); ok {
			return append(found, scriptRefusal{d, plain, plain == text})
		}
	}
	if !catches.MatchString(s.code) {
		return found // an uncaught refusal would have ended the script
	}
	settled := strings.Contains(s.code, "allSettled")
	for _, part := range s.parts {
		if d, ok := parseCommandRefusal(part); ok {
			found = append(found, scriptRefusal{d, part, false})
		}
		if v, err := t.parser.Parse(part); err == nil && settled {
			found = appendRefused(found, v, 0)
		}
	}
	return found
}

// appendRefused adds the refused calls of a Promise.allSettled result.
func appendRefused(found []scriptRefusal, v *fastjson.Value, depth int) []scriptRefusal {
	if reason := readers.Text(v, "reason"); readers.Text(v, "status") == "rejected" {
		if d, ok := parseCommandRefusal(reason); ok {
			found = append(found, scriptRefusal{d, reason, true})
		}
	}
	if v.Type() == fastjson.TypeArray && depth < 3 {
		for _, e := range v.GetArray() {
			found = appendRefused(found, e, depth+1)
		}
	}
	return found
}

// parseCommandRefusal reads the error of a script's refused command.
func parseCommandRefusal(text string) (refusal, bool) {
	if !strings.HasPrefix(strings.TrimSpace(text), "exec_command failed") {
		return refusal{}, false
	}
	return refusalIn(text)
}
