package pilines

import (
	"strconv"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// compaction handles a summary that replaced the messages before firstKeptEntryId
// (readers/pi/FORMAT.md §6). Who or what started it isn't stored. But pi compacts by
// itself after an answer that didn't fit.
func (l *log) compaction(e *entry, v *fastjson.Value) {
	var c content
	if l.claw == nil && (readers.Bool(v, "fromHook") || readers.Bool(v, "fromExtension")) { // OpenClaw marks its own so, too
		c.extra.Set("from_extension", true)
	}
	summary := readers.Text(v, "summary")
	l.say(e, &tables.Message{Role: tables.RoleUser, Kind: tables.KindSummary, Text: summary}, c)
	event := &tables.Compaction{
		UUID:      e.uuid,
		PreTokens: readers.Count(v, "tokensBefore"), PostTokens: readers.Count(v, "tokensAfter"),
		Summary: summary, SummarySource: tables.SummaryInline,
		ReplacedUUIDs: e.replaces(l.firstKept(v)), Timestamp: e.at,
	}
	event.TokensEstimated = event.PostTokens.OK // oh-my-pi estimates the count
	if e.parent != nil {
		event.LogicalParentUUID = e.parent.uuid
		if e.parent.retried {
			event.Trigger, event.TriggerInferred = "auto", true
		}
	}
	if summary == "" {
		event.SummarySource = tables.SummaryNone
	}
	l.in.Emit(event)
	l.spent(e, v.Get("usage"))
	e.compacted = e
}

// firstKept returns the first line that stays; nil if the file lacks the line, and then
// no earlier line stays.
func (l *log) firstKept(v *fastjson.Value) *entry {
	if n := readers.Int(v, "firstKeptEntryIndex"); n.OK { // version 1 counts the lines
		return l.byID["#"+strconv.FormatInt(n.Value, 10)]
	}
	return l.byID[readers.Text(v, "firstKeptEntryId")]
}

// replaces returns the messages that a compaction replaced: those before it on the path
// that no earlier compaction replaced, and always the earlier compaction's summary.
// Each line is visited once, even with many compactions.
func (e *entry) replaces(kept *entry) []string {
	uuids := []string{}
	take := func(p *entry) {
		p.replaced = true
		uuids = p.messages(uuids)
	}
	if last := e.compacted; last != nil && !last.replaced {
		take(last)
	}
	from := e.parent
	if kept != nil && kept.place < e.place {
		from = kept.parent
	}
	for p := from; p != nil && (!p.replaced || p == e.compacted); p = p.parent {
		if !p.replaced {
			take(p)
		}
	}
	return uuids
}

// branchSummary handles /tree's summary of the branch that the user left.
func (l *log) branchSummary(e *entry, v *fastjson.Value) {
	var c content
	c.extra.Text("from_id", readers.Text(v, "fromId"))
	l.say(e, &tables.Message{Role: tables.RoleUser, Kind: tables.KindSummary, Text: readers.Text(v, "summary")}, c)
	l.spent(e, v.Get("usage"))
}

// reset handles oh-my-pi's /clear: earlier lines are no longer sent to the model.
func (l *log) reset(e *entry, _ *fastjson.Value) {
	e.replaced, e.compacted = true, nil // a later compaction stops here
	l.in.Emit(&tables.Clear{
		UUID: e.uuid, SessionID: l.session.SessionID, InSession: true,
		Trigger: tables.ClearByCommand, Command: "/clear", Project: l.session.Project,
		Timestamp: e.at, Evidence: tables.EvidenceSessionStart, Confidence: 1,
	})
}
