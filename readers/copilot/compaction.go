package copilot

import (
	"cmp"
	"strings"
	"time"

	"hindsql/readers"
	"hindsql/tables"
)

// squeeze is a running compaction.
type squeeze struct {
	begun bool
	at    time.Time
	since []string // messages during the compaction, which it keeps
}

func (l *log) compactionStarted(e *event) {
	l.thread(e).squeeze = squeeze{begun: true, at: e.at}
}

// compacted handles the end of a compaction: its summary is a message. A failed or
// unapplied compaction replaced nothing (FORMAT.md §6).
func (l *log) compacted(e *event) {
	t := l.thread(e)
	s := t.squeeze
	t.squeeze = squeeze{}
	outcome := readers.Text(e.Value, "outcome")
	if !e.GetBool("success") || outcome != "" && outcome != "applied" {
		m := e.message(tables.RoleSystem, tables.KindNotice, cmp.Or(readers.Text(e.Value, "error"), "compaction: "+cmp.Or(outcome, "failed")))
		l.say(t, m)
		return
	}
	m := e.message(tables.RoleUser, tables.KindSummary, readers.Text(e.Value, "summaryContent"))
	extra := map[string]any{}
	keep(extra, "trigger", e.Get("trigger"))
	keep(extra, "custom_instructions", e.Get("customInstructions"))
	keep(extra, "tokens_used", e.Get("compactionTokensUsed"))
	keep(extra, "messages_removed", e.Get("messagesRemoved"))
	m.Extra = readers.Object(extra)
	l.say(t, m)
	c := &tables.Compaction{
		UUID:              e.id,
		LogicalParentUUID: m.ParentUUID,
		Trigger:           triggerOf(readers.Text(e.Value, "trigger")),
		PreTokens:         readers.Count(e.Value, "preCompactionTokens"),
		PostTokens:        readers.Count(e.Value, "postCompactionTokens"),
		TokensEstimated:   strings.Contains(readers.Text(e.Value, "tokenAccountingBasis"), "estimate"),
		DurationMS:        since(s.at, e.at),
		Summary:           m.Text,
		SummarySource:     tables.SummaryInline,
		PreservedUUIDs:    s.since,
		Timestamp:         e.at,
	}
	if m.Text == "" {
		c.SummarySource = tables.SummaryNone
	}
	l.emit(t, c)
}

// triggerOf maps all triggers except the user's to auto.
func triggerOf(word string) string {
	if word == "" || word == "manual" {
		return word
	}
	return "auto"
}
