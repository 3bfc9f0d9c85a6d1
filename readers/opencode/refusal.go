package opencode

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/internal/lists"
	"hindsql/readers"
	"hindsql/tables"
)

// The sentences of refusals (FORMAT.md §5). A refused call has no other mark.
const (
	rejectedText  = "The user rejected permission to use this specific tool call."
	rejectedWords = "The user rejected permission to use this specific tool call with the following feedback: "
	ruleText      = "The user has specified a rule which prevents you from using this specific tool call. Here are some of the relevant rules "
	dismissedText = "The user dismissed this question"
)

// wordingOnly is the highest confidence of a refusal that only a sentence shows. Other
// programs can write the same sentence.
const wordingOnly = 0.7

// inferRefusals finds the calls that were refused, and the calls that the same refusal
// ended.
func (c *session) inferRefusals() {
	asksAlways := false // a setting: opencode asks the model again after any refusal
	for i, e := range c.entries {
		for _, t := range e.calls {
			t.inferRefusal()
			if c.isRun {
				t.inferRefuser()
			}
			asksAlways = asksAlways || t.isBuiltIn && t.isRefusedByUser() && !t.hasReason && c.asksAgain(i)
		}
		if e.errorName == abortedError {
			e.interruptOpenCalls()
		}
	}
	for i, e := range c.entries {
		if !asksAlways && c.asksAgain(i) {
			e.clearClaims()
		}
		e.groupRefusals()
	}
}

// asksAgain reports whether opencode asked the model again for the same prompt. After a
// refusal without words, opencode doesn't.
func (c *session) asksAgain(at int) bool {
	e := c.entries[at]
	if at+1 == len(c.entries) || e.parent == "" {
		return false
	}
	next := c.entries[at+1]
	return next.role == tables.RoleAssistant && next.parent == e.parent && !next.isSummaryTurn
}

// clearClaims turns refusals into errors if another program's tool wrote the sentence:
// opencode asked the model again, which it doesn't do after a refusal.
func (e *entry) clearClaims() {
	for _, t := range e.calls {
		if !t.isBuiltIn && t.isRefusedByUser() && !t.hasReason {
			t.refusal, t.result.Status, t.result.ErrorType = nil, tables.StatusError, tables.ErrorOther
			t.extra.Set("claimed_denial", true)
		}
	}
}

// interruptOpenCalls marks the calls without an end of their own as interrupted, in a
// message that the user stopped.
func (e *entry) interruptOpenCalls() {
	for _, t := range e.calls {
		if t.Open || t.errorText == abortedText {
			t.Open = false
			t.markInterrupted()
		}
	}
}

// inferRefusal reads a call's error as a refusal. The whole text or its fixed beginning
// must match. For opencode's own tools, opencode wrote the text. Other tools can write
// the same text, so the refuser and the reason are then unknown.
func (t *call) inferRefusal() {
	if t.state != "error" || t.result.Status != tables.StatusError {
		return
	}
	r := &tables.Rejection{
		ToolUseID:  t.ToolUseID,
		DecidedBy:  tables.ByUser,
		Evidence:   tables.EvidenceRecorded,
		Confidence: 1,
		Timestamp:  t.result.Timestamp,
	}
	words, withWords := strings.CutPrefix(t.errorText, rejectedWords)
	rules, byRule := strings.CutPrefix(t.errorText, ruleText)
	switch {
	case t.errorText == rejectedText:
	case withWords:
		r.Reason = words
	case byRule && isList(rules):
		r.DecidedBy, r.RejectionType = tables.ByRule, tables.RejectPermission
	case t.errorText == dismissedText && (t.ToolKind == tables.ToolQuestion || t.ToolKind == tables.ToolPlan):
	default:
		return
	}
	if !t.isBuiltIn {
		r.Evidence, r.Confidence, r.Reason = tables.EvidenceWording, wordingOnly, ""
		if !byRule {
			r.DecidedBy = tables.ByUnknown
		}
	}
	t.refusal, t.hasReason, t.result.ErrorType = r, withWords, ""
	t.result.Status = tables.StatusRejected
	if r.DecidedBy != tables.ByUser {
		t.result.Status = tables.StatusDenied
	}
}

// isRun reports whether a session's rules are those that only `opencode run` sets: they
// deny the tools that need a person (FORMAT.md §5).
func isRun(rules string) bool {
	v, err := fastjson.Parse(rules)
	if err != nil {
		return false
	}
	denied := readers.Set{}
	for _, rule := range v.GetArray() {
		denied[readers.Text(rule, "permission")] = readers.Text(rule, "action") == "deny"
	}
	return denied["question"] && denied["plan_enter"] && denied["plan_exit"]
}

// maxRunAnswer is the longest time in ms from a call to the refusal by `opencode run`.
// Measured: 22 ms.
const maxRunAnswer = 500

// inferRefuser determines who refused a call of a session of `opencode run`: the program,
// without words, or later a person who had gone on with the session in the terminal.
func (t *call) inferRefuser() {
	if !t.isBuiltIn || t.hasReason || !t.isRefusedByUser() {
		return
	}
	t.refusal.Evidence, t.refusal.Confidence = tables.EvidenceInferred, 0.5
	if d := t.result.DurationMS; d.OK && d.Value <= maxRunAnswer {
		t.refusal.DecidedBy, t.refusal.RejectionType, t.refusal.Confidence = tables.ByRule, tables.RejectPermission, 0.9
		t.result.Status = tables.StatusDenied
	}
}

// isList reports whether a text is a JSON list. In a refusal by rules, such a list
// follows the sentence.
func isList(text string) bool { return strings.HasPrefix(text, "[") && fastjson.Validate(text) == nil }

// isRefusedByUser reports whether, by the call's error, a person refused permission for
// the call.
func (t *call) isRefusedByUser() bool {
	return t.refusal != nil && t.refusal.DecidedBy != tables.ByRule && t.errorText != dismissedText
}

// maxGroupGap is the longest time in ms between the ends of calls that one "No" of the
// user ended. A "No" ends all calls of the session that wait for an answer. Measured: 1
// to 12 ms.
const maxGroupGap = 250

// groupRefusals finds the call that the user refused, and the waiting calls that ended
// with the same "No". The refused call has the user's words; without words, the first
// call to end is the refused one.
func (e *entry) groupRefusals() {
	refused := lists.Filter(e.calls, func(t *call) bool { return t.isRefusedByUser() && t.ended != 0 })
	slices.SortStableFunc(refused, func(a, b *call) int { return cmp.Compare(a.ended, b.ended) })
	for len(refused) > 1 {
		n := 1
		for n < len(refused) && refused[n].ended-refused[0].ended <= maxGroupGap {
			n++
		}
		resolveGroup(refused[:n])
		refused = refused[n:]
	}
}

// resolveGroup handles a group of calls that ended with one "No": it sets the refused
// call and the author of the refusal. If the group has a call of opencode's own tools,
// the user is the author.
func resolveGroup(group []*call) {
	if slices.ContainsFunc(group, func(t *call) bool { return t.isBuiltIn }) {
		for _, t := range group {
			t.refusal.DecidedBy, t.result.Status = tables.ByUser, tables.StatusRejected
		}
	}
	cause := group[0]
	if at := slices.IndexFunc(group, func(t *call) bool { return t.refusal.Reason != "" }); at >= 0 {
		cause = group[at]
	}
	for _, t := range group {
		if t != cause && t.refusal.Reason == "" {
			t.cause, t.refusal, t.result.Status = cause, nil, tables.StatusSkipped
		}
	}
}

// orderedResults returns the calls with a result. Calls that ended because of another
// call's refusal come directly after that call: the tables find the cause by this order.
func (e *entry) orderedResults() []*call {
	var list []*call
	down := map[*call][]*call{}
	for _, t := range e.calls {
		switch {
		case t.cause != nil:
			down[t.cause] = append(down[t.cause], t)
		case t.result.Status != "" && t.refusal == nil:
			list = append(list, t)
		}
	}
	for _, t := range e.calls {
		if t.refusal != nil {
			list = append(append(list, t), down[t]...)
		}
	}
	return list
}

// abortedError is the error name of a message that the user stopped.
const abortedError = "MessageAbortedError"

// emitStop emits the interruption by the user, or the error, that ended a message
// (FORMAT.md §6).
func (c *session) emitStop(at int) {
	e := c.entries[at]
	switch {
	case e.errorName == "":
	case e.errorName == abortedError:
		c.in.Emit(c.newInterruption(e))
	default:
		c.in.Emit(e.newFailure())
	}
}

// newFailure returns the failed request that ended a message. The package tables finds
// out what came next: another step, a compaction to make room, or nothing.
func (e *entry) newFailure() *tables.Failure {
	f := &tables.Failure{Marker: e.marker(), Evidence: tables.EvidenceRecorded, Confidence: 1, Timestamp: e.endTime()}
	if e.Kind == tables.KindResponse {
		f.CutUUID = e.UUID
	}
	return f
}

// marker returns the message's words for its end.
func (e *entry) marker() string { return cmp.Or(e.errorMessage, e.errorName) }

// endTime returns when the message ended, or when it began if the end is unknown.
func (e *entry) endTime() time.Time {
	if at := readers.Millis(e.completed.Value); !at.IsZero() {
		return at
	}
	return e.Timestamp
}

func (c *session) newInterruption(e *entry) *tables.Interruption {
	i := &tables.Interruption{
		Type:          tables.InterruptedByUser,
		Phase:         tables.PhaseResponse,
		CutUUID:       e.UUID,
		PartialOutput: e.Text,
		Marker:        e.marker(),
		Evidence:      tables.EvidenceRecorded,
		Confidence:    1,
		Timestamp:     e.endTime(),
	}
	for _, t := range e.calls {
		if t.result.Status == tables.StatusInterrupted {
			i.ToolUseID = t.ToolUseID
			if e.endsInCall {
				i.PartialOutput = cmp.Or(t.printed, i.PartialOutput)
			}
		}
	}
	if e.endsInCall {
		i.Phase = tables.PhaseTool
	}
	if c.isSubagent() {
		i.Phase = tables.PhaseSubagent
	}
	return i
}
