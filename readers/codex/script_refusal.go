package codex

import (
	"cmp"
	"slices"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/internal/pattern"
	"hindsql/readers"
	"hindsql/tables"
)

// findAsking returns the script's commands that asked to leave the sandbox and are not
// matched to a call. If there is none and everything is true, it returns all commands not
// matched to a call.
func (s *script) findAsking(everything bool) []*scriptCommand {
	left := slices.DeleteFunc(slices.Clone(s.commands), func(c *scriptCommand) bool { return c.isMatched })
	asking := slices.DeleteFunc(slices.Clone(left), func(c *scriptCommand) bool { return !c.asks })
	if len(asking) == 0 && everything {
		return left
	}
	return asking
}

// areKnown reports whether the script's text shows these commands whole, and none of
// them may have run more than once.
func (s *script) areKnown(commands []*scriptCommand) bool {
	once := len(s.commands)
	if at := loops.FindStringSubmatchIndex(s.code); at != nil {
		once = len(findCommands(s.code[:at[0]]))
	}
	return !slices.ContainsFunc(commands, func(c *scriptCommand) bool {
		return !c.literal || slices.Index(s.commands, c) >= once
	})
}

// callAsked returns the call that Codex asked about, given a person's answer and how many
// decisions like it have no call yet. It is a new call for the script's command if no
// other command may be meant, and the script itself otherwise: no field ties an answer
// to a command, and Codex asks about parallel commands in any order (FORMAT.md §10).
func (t *rollout) callAsked(s *script, asking []*scriptCommand, a *answer, decisions int) *call {
	if a != nil {
		a.isAssigned, s.answer = true, a
	}
	if a != nil && a.kind != tables.ToolCommand {
		asking = []*scriptCommand{nil} // a patch, whose text no answer has
	} else if len(asking) != decisions || !s.areKnown(asking) {
		return s.call
	}
	info := t.newCommandCall(s, asking[0])
	t.assignAnswer(info, a)
	return info
}

// emitScriptRefusal emits the refusal of info, a script's command or, if the command is
// unknown, the script.
func (t *rollout) emitScriptRefusal(r *record, s *script, info *call, d refusal, status, text string) {
	switch {
	case info != s.call:
		t.emitChildResult(r, t.addUnrecordedCall(s, info), status, text)
	case s.refused:
		return // one refusal of a script says all that is known
	}
	t.emitRefusal(r, info, d)
}

// setRefused makes the script itself refused. Words in an output alone leave its end.
func (s *script) setRefused(e *tables.Rejection, status string) {
	e.RejectionType = cmp.Or(e.RejectionType, tables.RejectCommand)
	if s.result != nil && e.Evidence != tables.EvidenceWording {
		s.result.Status, s.result.ErrorType = status, ""
	}
	s.setAsked()
}

// setAsked keeps the commands of a refused script that may be meant.
func (s *script) setAsked() {
	var asked []string
	for _, c := range s.findAsking(true) {
		if c.literal {
			asked = append(asked, c.command)
		}
	}
	if asked != nil {
		s.extra.Set("asked", asked)
		s.Extra = readers.Object(s.extra)
	}
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
	found := t.findScriptRefusals(s, f)
	for i, d := range found {
		asking, a := s.findAsking(true), firstOf(t.answersWithin(s, r.at, (*answer).isCommandDenial))
		switch {
		case d.by == tables.ByUser && a != nil: // the answer is kept
		case isPrinted(s.children, d.text):
			continue // the words are data
		case len(asking) == 0 && !loops.MatchString(s.code):
			continue // every command is known to have run
		case len(asking) == 0, !d.sure, !t.ordered, s.quotes, isPrinted(t.callList, d.text):
			d.refusal = d.byWording()
		}
		if d.by != tables.ByUser {
			a = nil
		}
		t.emitScriptRefusal(r, s, t.callAsked(s, asking, a, len(found)-i), d.refusal, d.status(), d.text)
	}
}

// emitDeniedCalls emits commands and patches of a script that a person refused, as the
// answers in Codex's database show. The script's output doesn't mention these refusals.
func (t *rollout) emitDeniedCalls(r *record, s *script) {
	for _, a := range t.answersWithin(s, r.at, (*answer).isDenial) {
		at := *r
		at.at = a.at
		t.emitScriptRefusal(&at, s, t.callAsked(s, s.findAsking(true), a, 1), recordedRefusal(tables.ByUser), tables.StatusRejected, "")
	}
}

// refusalQuoted matches words of a refusal in a script's own text.
var refusalQuoted = pattern.Lazy(`Rejected\(|rejected by|rejected due|blocked by`)

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
	if text = strings.TrimSpace(text); !strings.HasPrefix(text, "exec_command failed") && !strings.HasPrefix(text, "Command blocked by PreToolUse hook: ") {
		return refusal{}, false
	}
	return refusalIn(text)
}
