package pilines

import (
	"cmp"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/internal/pattern"
	"hindsql/readers"
	"hindsql/tables"
)

// Confidences of a refusal known only from OpenClaw's sentence: recordedSentence if a
// recorded log has the sentence, sourceSentence if only OpenClaw's source has it.
const (
	recordedSentence = 0.9
	sourceSentence   = 0.8
)

// toolResult handles the end of a call. Its details say how the call ended; isError says
// nothing of a command that failed (readers/openclaw/FORMAT.md §3).
func (c *claw) toolResult(e *entry, v *fastjson.Value) {
	l := c.log
	r, _, name := l.newResult(e, v)
	details := v.Get("details")
	r.ExitCode, r.DurationMS = readers.Int(details, "exitCode"), readers.Count(details, "durationMs")
	refusal := r.setOutcome(name, details, readers.Bool(v, "isError"))
	l.in.Emit(&r.ToolResult)
	if r.Status == tables.StatusPending { // a later line says how the question ended
		r.decision = &tables.Decision{ToolUseID: r.ToolUseID, Decision: tables.Unanswered, DecidedBy: tables.ByNobody}
		c.asked[readers.Text(details, "approvalId")] = r
		l.in.Emit(r.decision)
	}
	if refusal != nil {
		l.in.Emit(refusal)
	}
}

// setOutcome determines how a call ended; the result is nil for a call that wasn't
// refused.
func (r *result) setOutcome(tool string, details *fastjson.Value, failed bool) *tables.Rejection {
	status := readers.Text(details, "status")
	sentence := strings.TrimSpace(r.Output)
	if status == "error" {
		sentence = cmp.Or(strings.TrimSpace(readers.Text(details, "error")), sentence)
	}
	switch {
	case status == "skipped":
		r.Status = tables.StatusSkipped
	case status == "approval-pending":
		r.Status, r.Timestamp = tables.StatusPending, time.Time{}
	case status == "approval-unavailable":
		return r.markGatewayBlock("", status)
	case status == "blocked":
		return r.markGatewayBlock(sentence, readers.Text(details, "deniedReason"))
	case r.ExitCode.OK && r.ExitCode.Value != 0:
		r.Status, r.ErrorType = tables.StatusError, tables.ErrorExitCode
	case failed, status == "error", status == "failed":
		r.Status, r.ErrorType = tables.StatusError, errorType(sentence, readers.Text(details, "exitReason"))
		if ran := details.Exists("exitReason") || readers.Text(details, "exitSignal") != ""; !ran && !r.ExitCode.OK && toolKind(tool) == tables.ToolCommand {
			return r.matchDenial(sentence)
		}
	}
	return nil
}

// errorType returns the kind of an error.
func errorType(sentence, exit string) string {
	switch {
	case strings.HasSuffix(exit, "timeout"):
		return tables.ErrorTimeout
	case strings.HasPrefix(sentence, "Validation failed for tool "), strings.HasPrefix(sentence, "Tool ") && strings.HasSuffix(sentence, " not found"):
		return tables.ErrorInvalidCall
	case strings.HasPrefix(sentence, "ENOENT"), strings.HasPrefix(sentence, "File not found"):
		return tables.ErrorNotFound
	}
	return tables.ErrorOther
}

// gateways maps OpenClaw's words for a gateway that blocked a call to who decided.
var gateways = map[string]verdict{
	"plugin-approval":             {tables.ByUser, tables.StatusRejected},
	"plugin-approval-unavailable": {tables.ByNobody, tables.StatusDenied},
	"approval-unavailable":        {tables.ByNobody, tables.StatusDenied}, // of a command
	"tool-loop":                   {tables.ByHook, tables.StatusDenied},
	"tool-admission":              {tables.ByHook, tables.StatusDenied},
	"client-voice-confirmation":   {tables.ByHook, tables.StatusDenied},
}

// markGatewayBlock handles a call that was blocked, by the field status.
func (r *result) markGatewayBlock(sentence, why string) *tables.Rejection {
	word, known := gateways[why]
	switch {
	case sentence == "Approval timed out" || strings.HasPrefix(sentence, "Approval timed out."):
		word = verdict{tables.ByNobody, tables.StatusDenied}
	case !known && strings.HasPrefix(sentence, "Denied by user."):
		word = verdict{tables.ByUser, tables.StatusRejected}
	case !known:
		word = verdict{tables.ByUnknown, tables.StatusDenied}
	}
	refusal := r.markRefused(word)
	refusal.DenialKind, refusal.Evidence, refusal.Confidence = why, tables.EvidenceRecorded, 1
	if word.by == tables.ByHook {
		refusal.Reason = sentence
	}
	if !known {
		refusal.Evidence, refusal.Confidence = tables.EvidenceWording, sourceSentence
	}
	return refusal
}

// execDenied matches the result of a command that was not run: where it would have run
// and the id of the question, if there was one, the reason, and then the command.
var execDenied = pattern.Lazy(`^Exec denied \((?:(gateway|node)(?:=\S+)?(?: id=\S+)?, )?(?:([a-z-]+)(?: \([a-z-]+\))?|(SYSTEM_RUN_DENIED): [^\n]*?)\): `)

// matchDenial recognizes OpenClaw's own sentences in place of a command's result. A
// command that ran may print such a sentence, but has an exit reason in its details.
func (r *result) matchDenial(sentence string) *tables.Rejection {
	if m := execDenied.FindStringSubmatch(sentence); m != nil {
		return r.markNotRun(m[2]+m[3], m[1])
	}
	word, sure := verdict{tables.ByRule, tables.StatusDenied}, sourceSentence
	switch {
	case strings.HasPrefix(sentence, "exec denied: Headless runs cannot wait for interactive exec approval."):
		word.by, sure = tables.ByNobody, recordedSentence
	case strings.HasPrefix(sentence, "exec denied: Cron runs cannot wait for interactive exec approval."):
		word.by = tables.ByNobody
	case sentence == "exec denied: allowlist miss", strings.HasPrefix(sentence, "exec denied: host="):
	default:
		return nil
	}
	refusal := r.markRefused(word)
	refusal.Confidence = sure
	return refusal
}

// markNotRun handles a command that wasn't run, for a reason that OpenClaw names.
func (r *result) markNotRun(why, host string) *tables.Rejection {
	word, sure := verdict{tables.ByUnknown, tables.StatusDenied}, sourceSentence
	switch why {
	case "user-denied":
		word = verdict{tables.ByUser, tables.StatusRejected}
		if host == "gateway" {
			sure = recordedSentence
		}
	case "SYSTEM_RUN_DENIED":
		word.by, sure = tables.ByRule, recordedSentence
	case "policy-denied", "allowlist-miss":
		word.by = tables.ByRule
	case "approval-timeout", "approval-request-failed", "gateway-draining":
		word.by = tables.ByNobody
	case "run-aborted":
		r.Status, r.ErrorType = tables.StatusInterrupted, ""
		return nil
	case "spawn-failed":
		return nil // an error
	}
	refusal := r.markRefused(word)
	refusal.DenialKind, refusal.Confidence = why, sure
	return refusal
}
