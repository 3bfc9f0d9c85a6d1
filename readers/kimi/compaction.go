package kimi

import (
	"cmp"
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
	w.compacting = compacting{source: readers.Text(v, "source"), instruction: readers.Text(v, "instruction"), at: w.talk.at}
}

// compaction handles the summary that replaced older messages (FORMAT.md §7). The
// counts of tokens are estimates.
func (w *wire) compaction(v *fastjson.Value) {
	w.close()
	summary := readers.Text(v, "summary")
	if old := v.Get("summary"); old != nil && old.Type() == fastjson.TypeObject { // versions before 1.5
		body := w.talk.content(old.Get("content"))
		summary = body.text()
	}
	summary = cmp.Or(summary, readers.Text(v, "contextSummary"))
	var c content
	c.extra.Text("instruction", w.compacting.instruction)
	replaced := w.talk.replaced(v)
	uuid := w.talk.name("compaction")
	w.talk.sayHere(&tables.Message{UUID: uuid, Role: tables.RoleUser, Kind: tables.KindSummary, Text: summary, Extra: readers.Object(c.extra)})
	event := &tables.Compaction{
		UUID: uuid, Trigger: w.compacting.source, PreTokens: readers.Count(v, "tokensBefore"), PostTokens: readers.Count(v, "tokensAfter"),
		TokensEstimated: true, Summary: summary, SummarySource: tables.SummaryInline,
		ReplacedUUIDs: replaced, Timestamp: w.talk.at,
	}
	if summary == "" {
		event.SummarySource = tables.SummaryNone
	}
	if began := w.compacting.at; !began.IsZero() && !w.talk.at.Before(began) {
		event.DurationMS = tables.Some(w.talk.at.Sub(began).Milliseconds())
	}
	w.in.Emit(event)
}

// cleared handles a clear inside the session, which no tested version writes: /clear
// begins another session (FORMAT.md §7).
func (w *wire) cleared(*fastjson.Value) {
	w.close()
	w.in.Emit(&tables.Clear{
		UUID: w.talk.name("clear"), SessionID: w.about.session.SessionID, InSession: true, Trigger: tables.ClearByCommand, Project: w.about.session.Project,
		Timestamp: w.talk.at, Evidence: tables.EvidenceSessionStart, Confidence: 1,
	})
}
