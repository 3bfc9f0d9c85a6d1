package codex

import (
	"cmp"
	"strings"

	"hindsql/internal/pattern"
	"hindsql/readers/sqlite"
	"hindsql/tables"
)

// review is a denial by a model that reviews calls in the user's place.
type review struct {
	item, turn, reason string
	taken              bool
}

const reviewsOf = `SELECT json_extract(record, '$.target_item_id'), json_extract(record, '$.reviewed_turn_id'),
		CASE WHEN json_valid(json_extract(record, '$.decision')) THEN json_extract(json_extract(record, '$.decision'), '$.rationale') END
	FROM guardian_review_feedback WHERE thread_id = ? AND json_valid(record) AND json_extract(record, '$.status') = 'denied'`

// judged returns the session's denials by a reviewing model. Codex keeps them in a
// database for the user's feedback reports.
func (t *rollout) judged() []*review {
	all := &t.answers
	if all.reviewed {
		return all.reviews
	}
	all.reviewed = true
	t.lookUp(stateFile, func(db *sqlite.DB) error {
		all.reviews = nil
		if !has(db, "guardian_review_feedback", "thread_id", "record") {
			return nil
		}
		return db.Query(func(row *sqlite.Row) error {
			all.reviews = append(all.reviews, &review{item: row.Text(0), turn: row.Text(1), reason: row.Text(2)})
			return nil
		}, strings.ReplaceAll(reviewsOf, "(record", "(CAST(record AS TEXT)"), t.thread())
	})
	return all.reviews
}

// reviewOf returns the reviewing model's denial of a call, found by the call's id. For
// a made-up id, it searches by turn and by the refusal's reason. It returns nil if it
// finds none.
func (t *rollout) reviewOf(info *call, turn string, d refusal) *review {
	var other *review
	for _, v := range t.judged() {
		switch {
		case v.taken:
		case v.item == info.ToolUseID:
			return v
		case other != nil, d.by == tables.ByUser, t.calls[v.item] != nil, v.turn != turn:
		case d.reason == "" || strings.TrimSpace(v.reason) == d.reason:
			other = v
		}
	}
	return other
}

// reviewed returns the reviewing model's denial of a call in place of the refusal d, if
// Codex's database records one; otherwise d unchanged.
func (t *rollout) reviewed(r *record, info *call, d refusal) refusal {
	switch d.by {
	case tables.ByClassifier, tables.ByUnknown:
	case tables.ByUser:
		if !info.consent.reviewed() || info.answer != nil {
			return d
		}
	default:
		return d
	}
	turn := t.turnOf(r)
	if s := t.scriptBy(info.ParentToolUseID); s != nil {
		turn = s.turn
	}
	if v := t.reviewOf(info, turn, d); v != nil {
		v.taken = true
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
