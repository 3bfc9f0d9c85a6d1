package copilot

import (
	"cmp"
	"strings"
	"time"

	"hindsql/readers"
	"hindsql/tables"
)

// squeeze describes a compaction that has begun and not ended.
type squeeze struct {
	begun bool
	at    time.Time
	since []string // messages written during the compaction; they are not replaced
}

func (l *log) compactionStarted(e *event) {
	l.thread(e).squeeze = squeeze{begun: true, at: e.at}
}

// compacted handles the end of a compaction: its summary becomes a message. If the
// compaction failed or wasn't applied, it replaced no messages (FORMAT.md §6).
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
	extra := readers.Extra{}
	extra.JSON("trigger", e.Get("trigger"))
	extra.JSON("custom_instructions", e.Get("customInstructions"))
	extra.JSON("tokens_used", e.Get("compactionTokensUsed"))
	extra.JSON("messages_removed", e.Get("messagesRemoved"))
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

// triggerOf returns how a compaction was started: "manual" for the user's /compact,
// "auto" for every other word, empty if the word is empty.
func triggerOf(word string) string {
	if word == "" || word == "manual" {
		return word
	}
	return "auto"
}
