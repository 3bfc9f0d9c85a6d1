package codex

import (
	"cmp"
	"strings"

	"hindsql/internal/pattern"
	"hindsql/readers/sqlite"
	"hindsql/tables"
)

// approvalRules holds the rules in force when a call was made. They say whether Codex would
// ask about the call, and whether it would ask the user or a reviewing model.
type approvalRules struct {
	policy       string // approval policy; empty if missing or an object
	reviewer     string // who answers for the user; empty or "user" if the user does
	prefixAllows bool   // an earlier saved prefix allows the command
	saved        bool   // the user granted the call and saved its prefix for good
}

const (
	policyNever     = "never"     // Codex asks about no call
	policyUntrusted = "untrusted" // Codex asks about every command except a few known ones
	reviewerUser    = "user"
)

// asksUser reports whether Codex could ask the user about the call at all. If not, a
// user who stopped the turn did not refuse the call.
func (c *approvalRules) asksUser() bool {
	return c.policy != policyNever && !c.isReviewed() && !c.prefixAllows && !c.saved
}

// isReviewed reports whether a model answers for the user.
func (c *approvalRules) isReviewed() bool { return c.reviewer != "" && c.reviewer != reviewerUser }

// voidInferredRefusal voids a refusal that was inferred because the user stopped the
// turn: a later line shows that the call had been granted, or had begun.
func (t *rollout) voidInferredRefusal(info *call) {
	if info.inferredRejection == nil {
		return
	}
	info.inferredRejection.Void = true
	info.inferredRejection, info.refused = nil, false
	if info.result != nil {
		info.result.Status = tables.StatusInterrupted
	}
	if t.turn.refused == info {
		t.turn.refused = nil
	}
	if info.interruption != nil {
		info.interruption.Phase, info.interruption.PairedRejection = tables.PhaseTool, false
	}
}

// Confidence of grants that no line states.
const (
	grantedAsAsked = 0.9 // the call asked to leave the sandbox, and ran
	grantedInTime  = 0.8 // the call waited before it ran, as if for an answer
	patchedInTime  = 0.7 // the same for a patch, whose own duration isn't recorded
)

// Shortest waits in milliseconds that show that a person was asked: without a question,
// a call begins at once. The limit for patches is higher because a patch takes time to
// write.
const (
	leastWait      = 500
	leastPatchWait = 2000
)

// emitDecision emits the decision about a call at the end of the file, if the log shows
// one: usually a grant. A rollout holds neither Codex's questions nor the answers.
// Codex's database holds the answers, but Codex deletes old ones.
func (t *rollout) emitDecision(info *call) {
	if t.emitRecordedDecision(info) {
		return
	}
	d := &tables.Decision{ToolUseID: info.ToolUseID, Decision: tables.Granted}
	waited := info.significantWait()
	switch c := &info.rules; {
	case c.saved && info.script.hasSavedCall():
		return
	case c.saved:
		d.DecidedBy, d.Scope, d.Confidence, d.WaitedMS = tables.ByUser, tables.ScopeAlways, 1, t.waitForDecision(info)
	case info.inferredRejection != nil, info.declined && info.script != nil:
		d.Decision, d.WaitUnknown = "", true
	case info.declined:
		d.Decision, d.WaitedMS = "", t.waitForDecision(info)
		d.WaitUnknown = !d.WaitedMS.OK
	case info.isAnswered():
		d.DecidedBy, d.Confidence = tables.ByUser, 1
	case !info.didRun():
		return
	case c.policy == policyNever:
		d.DecidedBy, d.Confidence = tables.ByMode, grantedAsAsked
	case info.escalated && c.prefixAllows:
		d.DecidedBy, d.Confidence = tables.ByRule, grantedAsAsked
	case c.isReviewed() && (info.escalated || waited.OK):
		d.DecidedBy, d.Confidence = tables.ByClassifier, grantedInTime
	case waited.OK:
		d.DecidedBy, d.Confidence, d.WaitedMS = tables.ByUser, grantedInTime, waited
		if info.ToolKind == tables.ToolEdit {
			d.Confidence = patchedInTime
		}
	case info.escalated:
		d.DecidedBy, d.Confidence = tables.ByUnknown, grantedAsAsked
	default:
		return
	}
	t.emit(d)
}

// isAnswered reports whether the call asked the user a question, and the user answered.
func (c *call) isAnswered() bool {
	return c.ToolKind == tables.ToolQuestion && c.result != nil && !c.refused &&
		(len(c.result.Answers) > 0 || c.ToolName == "request_permissions" && !c.rules.isReviewed() && permissionsIn(c.result.Output) > 0)
}

// didRun reports whether a call that Codex may ask about was carried out. Writing to a
// process (write_stdin) doesn't count: the call that began the process does.
func (c *call) didRun() bool {
	if c.ToolName == "write_stdin" {
		return false
	}
	switch c.ToolKind {
	case tables.ToolCommand, tables.ToolEdit, tables.ToolMCP:
	default:
		return false
	}
	return c.result != nil && (c.result.Status == tables.StatusOK || c.result.Status == tables.StatusError && c.result.ErrorType != tables.ErrorInvalidCall)
}

// setReviewReason sets the reason of a denial by a reviewing model. text is the denial as
// Codex wrote it. If the review itself failed, the reason says why.
func (d *refusal) setReviewReason(text string) {
	if d.reason = rationaleOf(text); failedReview.MatchString(text) {
		d.reason, _, _ = strings.Cut(text, "\n")
	}
	if failedReview.MatchString(d.reason) {
		d.kind = reviewFailed
		if strings.HasPrefix(d.reason, "Automatic approval review timed out") {
			d.by = tables.ByNobody
		}
	}
}

// rationaleOf returns a reviewing model's reason for a denial, without the program's
// words before and after it.
func rationaleOf(text string) string {
	_, rest, ok := strings.Cut(unquote.Replace(text), "rejected due to unacceptable risk.\nReason: ")
	if !ok {
		return ""
	}
	for _, end := range []string{"\nDo not ", "\nThe agent must "} {
		rest, _, _ = strings.Cut(rest, end)
	}
	return strings.TrimSpace(rest)
}

// unquote undoes the quoting of a reason. An error's text quotes the reason, and a
// second error's text may quote the first, so quotes and newlines may be escaped twice.
var unquote = strings.NewReplacer(`\\\\`, `\`, `\\n`, "\n", `\n`, "\n", `\\\"`, `"`, `\\"`, `"`, `\"`, `"`)

// review is a denial by a model that reviews calls in the user's place.
type review struct {
	item, turn, reason string
	isAssigned         bool
}

const selectReviews = `SELECT json_extract(record, '$.target_item_id'), json_extract(record, '$.reviewed_turn_id'),
		CASE WHEN json_valid(json_extract(record, '$.decision')) THEN json_extract(json_extract(record, '$.decision'), '$.rationale') END
	FROM guardian_review_feedback WHERE thread_id = ? AND json_valid(record) AND json_extract(record, '$.status') = 'denied'`

// readReviews returns the session's denials by a reviewing model. Codex keeps them in a
// database for the user's feedback reports.
func (t *rollout) readReviews() []*review {
	all := &t.answers
	if all.reviewsRead {
		return all.reviews
	}
	all.reviewsRead = true
	t.viewDatabase(stateFile, func(db *sqlite.DB) error {
		all.reviews = nil
		if !hasColumns(db, "guardian_review_feedback", "thread_id", "record") {
			return nil
		}
		return db.Query(func(row *sqlite.Row) error {
			all.reviews = append(all.reviews, &review{item: row.Text(0), turn: row.Text(1), reason: row.Text(2)})
			return nil
		}, strings.ReplaceAll(selectReviews, "(record", "(CAST(record AS TEXT)"), t.threadID())
	})
	return all.reviews
}

// reviewOf returns the reviewing model's denial of a call, found by the call's id. For
// a made-up id, it searches by turn and by the refusal's reason. It returns nil if it
// finds none.
func (t *rollout) reviewOf(info *call, turn string, d refusal) *review {
	var other *review
	for _, v := range t.readReviews() {
		switch {
		case v.isAssigned:
		case v.item == info.ToolUseID:
			return v
		case other != nil, d.by == tables.ByUser, t.calls[v.item] != nil, v.turn != turn:
		case d.reason == "" || strings.TrimSpace(v.reason) == d.reason:
			other = v
		}
	}
	return other
}

// withReview returns the reviewing model's denial of a call in place of the refusal d, if
// Codex's database records one; otherwise d unchanged.
func (t *rollout) withReview(r *record, info *call, d refusal) refusal {
	switch d.by {
	case tables.ByClassifier, tables.ByUnknown:
	case tables.ByUser:
		if !info.rules.isReviewed() || info.answer != nil {
			return d
		}
	default:
		return d
	}
	turn := t.turnOf(r)
	if s := t.scriptByID(info.ParentToolUseID); s != nil {
		turn = s.turn
	}
	if v := t.reviewOf(info, turn, d); v != nil {
		v.isAssigned = true
		d = refusal{tables.ByClassifier, tables.EvidenceRecorded, 1, cmp.Or(strings.TrimSpace(v.reason), d.reason), cmp.Or(d.kind, riskWord)}
	}
	return d
}

// riskWord is Codex's own word for an action that a reviewing model denied.
const riskWord = "unacceptable risk"

// reviewFailed replaces riskWord if the review failed and the reviewing model gave no
// answer. The call didn't run, though no person or model denied it.
const reviewFailed = "review failed"

// failedReview matches the program's reason for a failed review.
var failedReview = pattern.Lazy(`^Automatic approval review (?:failed|timed out)\b|^You've hit your usage limit`)
