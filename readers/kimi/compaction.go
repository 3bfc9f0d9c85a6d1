package kimi

import (
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// compacting is a compaction that has begun.
type compacting struct {
	source      string // manual or auto
	instruction string
	model       string
	at          time.Time
}

func (w *wire) compactionBegun(v *fastjson.Value) {
	w.close()
	w.compacting = compacting{source: readers.Text(v, "source"), instruction: readers.Text(v, "instruction"), at: w.at}
}

// compactionEnded handles the end of a compaction. One that was cancelled has no
// context.apply_compaction, and leaves no row.
func (w *wire) compactionEnded(*fastjson.Value) { w.compacting = compacting{} }

// compaction handles the summary that replaced older messages (FORMAT.md §7). The
// counts of tokens are estimates.
func (w *wire) compaction(v *fastjson.Value) {
	w.close()
	summary := readers.Text(v, "summary")
	if old := v.Get("summary"); old != nil && old.Type() == fastjson.TypeObject { // versions before 1.5
		body := w.content(old.Get("content"))
		summary = body.text()
	}
	if summary == "" {
		summary = readers.Text(v, "contextSummary")
	}
	var c content
	c.note("instruction", w.compacting.instruction)
	replaced := w.replaced(v)
	uuid := w.name("compaction")
	w.sayHere(&tables.Message{UUID: uuid, Role: tables.RoleUser, Kind: tables.KindSummary, Text: summary, Extra: readers.Object(c.extra)})
	event := &tables.Compaction{
		UUID: uuid, Trigger: w.compacting.source, PreTokens: readers.Count(v, "tokensBefore"), PostTokens: readers.Count(v, "tokensAfter"),
		TokensEstimated: true, Summary: summary, SummarySource: tables.SummaryInline,
		ReplacedUUIDs: replaced, Timestamp: w.at,
	}
	if summary == "" {
		event.SummarySource = tables.SummaryNone
	}
	if began := w.compacting.at; !began.IsZero() && !w.at.Before(began) {
		event.DurationMS = tables.Some(w.at.Sub(began).Milliseconds())
	}
	w.in.Emit(event)
}

// replaced returns the messages that a compaction replaced: those on the lines that it
// names, or all earlier ones, except the last prompts of the user, and the first ones if
// it kept those. A message is replaced once.
func (w *wire) replaced(v *fastjson.Value) []string {
	from, to := readers.Int(v, "wireLines", "start").Value, w.record
	if end := readers.Int(v, "wireLines", "end"); end.OK {
		to = end.Value
	}
	head := readers.Int(v, "keptHeadUserMessageCount").Value
	tail := w.prompts - (readers.Int(v, "keptUserMessageCount").Value - head)
	stays := func(s *said) bool { return s.prompt > 0 && (s.prompt <= head || s.prompt > tail) }
	uuids := []string{}
	kept := w.kept[:0]
	for _, s := range w.kept { // by the compaction before
		if stays(s) {
			kept = append(kept, s)
		} else {
			uuids = append(uuids, s.UUID)
		}
	}
	for _, s := range w.said[w.compacted:] {
		if stays(s) {
			kept = append(kept, s)
		} else if s.record >= from && s.record <= to {
			uuids = append(uuids, s.UUID)
		}
	}
	w.kept, w.compacted = kept, len(w.said) // the summary can be replaced by the next compaction
	return uuids
}

// cleared handles a clear inside the session, which no tested version writes: /clear
// begins another session (FORMAT.md §7).
func (w *wire) cleared(*fastjson.Value) {
	w.close()
	w.in.Emit(&tables.Clear{
		UUID: w.name("clear"), SessionID: w.session.SessionID, InSession: true, Trigger: tables.ClearByCommand, Project: w.session.Project,
		Timestamp: w.at, Evidence: tables.EvidenceSessionStart, Confidence: 1,
	})
}
