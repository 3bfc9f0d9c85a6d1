package codex

import (
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
)

// readDocument reads a rollout of the TypeScript CLI: one object with the session's
// head and items (FORMAT.md §1).
func readDocument(in *readers.Input) error {
	t := newRollout(in)
	head := func(v *fastjson.Value, _ []byte) {
		if session := v.Get("session"); session != nil {
			t.record(&record{Value: session, kind: flatHead, line: 1})
		}
	}
	err := readers.Document(in, "items", head, func(v *fastjson.Value) {
		t.record(&record{Value: v, kind: itemLine, sub: t.words.Of(v.GetStringBytes("type")), line: 1})
	})
	t.finish()
	return err
}

// flatStart keeps the time of a flat file's head for the first message: no other line
// has a time. Before September 2025 it was local time labelled as UTC (FORMAT.md §2).
func (t *rollout) flatStart(r *record) {
	if r.kind == flatHead {
		t.started = readers.Time(r.Get("timestamp"))
	}
}

// dated returns a message's time. The first message of a flat file gets the session's
// start.
func (t *rollout) dated(at time.Time) time.Time {
	if at.IsZero() {
		at, t.started = t.started, time.Time{}
	}
	return at
}
