package pi

import (
	"strconv"

	"github.com/valyala/fastjson"

	"hindsql/readers"
	"hindsql/tables"
)

// compaction takes a summary that took the place of what stands before
// firstKeptEntryId (FORMAT.md §6). What asked for it isn't stored.
func (l *log) compaction(e *entry, v *fastjson.Value) {
	var c content
	if v.GetBool("fromHook") || v.GetBool("fromExtension") {
		c.note("from_extension", true)
	}
	summary := readers.Text(v, "summary")
	l.say(e, &tables.Message{Role: tables.RoleUser, Kind: tables.KindSummary, Text: summary}, c)
	event := &tables.Compaction{
		UUID:      e.uuid,
		PreTokens: readers.Count(v, "tokensBefore"), PostTokens: readers.Count(v, "tokensAfter"),
		Summary: summary, SummarySource: tables.SummaryInline,
		ReplacedUUIDs: e.replaces(l.firstKept(v)), Timestamp: e.at,
	}
	event.TokensEstimated = event.PostTokens.OK // oh-my-pi's
	if e.parent != nil {
		event.LogicalParentUUID = e.parent.uuid
	}
	if summary == "" {
		event.SummarySource = tables.SummaryNone
	}
	l.in.Emit(event)
	e.compacted = e
}

// firstKept is the line from which on all stays; nil where the file doesn't
// hold it: then nothing does.
func (l *log) firstKept(v *fastjson.Value) *entry {
	if n := readers.Int(v, "firstKeptEntryIndex"); n.OK { // version 1: counts the lines
		return l.byID["#"+strconv.FormatInt(n.Value, 10)]
	}
	return l.byID[readers.Text(v, "firstKeptEntryId")]
}

// replaces are the messages on the way to a compaction that it replaced, and no
// earlier one did. An earlier one's summary is always among them. Each line is
// looked at once, however many compactions there are.
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

// branchSummary takes what /tree said of the branch that was left.
func (l *log) branchSummary(e *entry, v *fastjson.Value) {
	var c content
	c.noteText("from_id", readers.Text(v, "fromId"))
	l.say(e, &tables.Message{Role: tables.RoleUser, Kind: tables.KindSummary, Text: readers.Text(v, "summary")}, c)
}

// reset takes oh-my-pi's /clear: what stands before it is no longer sent.
func (l *log) reset(e *entry, _ *fastjson.Value) {
	e.replaced, e.compacted = true, nil // a compaction looks no further
	l.in.Emit(&tables.Clear{
		UUID: e.uuid, SessionID: l.session.SessionID, InSession: true,
		Trigger: tables.ClearByCommand, Command: "/clear", Project: l.session.Project,
		Timestamp: e.at, Evidence: tables.EvidenceSessionStart, Confidence: 1,
	})
}
