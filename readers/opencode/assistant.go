package opencode

import (
	"strings"

	"hindsql/readers"
	"hindsql/tables"
)

// assistant sets the kind and text of a message of the model. A message is one step of
// the model, with its calls.
func (c *session) assistant(e *entry) {
	e.Kind, e.Text, e.Thinking = tables.KindResponse, e.text(), strings.Join(e.thinking, "\n\n")
	switch {
	case e.isSummary():
		e.Kind = tables.KindSummary
	case e.failure == "" || e.failure == abortedError:
	case e.Text == "" && e.Thinking == "" && len(e.calls) == 0:
		e.Kind, e.Text = tables.KindError, e.failed
	case e.failed != "":
		e.extra.Set("error_message", e.failed)
	}
}

// isSummary reports whether the message is a compaction's summary. A failed or
// unfinished compaction has the same mark but no summary (FORMAT.md §7).
func (e *entry) isSummary() bool { return e.summary && e.finish != "" && e.failure == "" }

// compacted emits the compaction of a summary.
func (c *session) compacted(at int) {
	e := c.entries[at]
	if e.Kind == tables.KindResponse && e.size.OK && !e.inactive {
		c.context = e.size
	}
	if !e.isSummary() {
		return
	}
	made := &tables.Compaction{
		UUID:          e.UUID,
		Summary:       e.Text,
		SummarySource: tables.SummaryInline,
		PreTokens:     c.context,
		Timestamp:     e.Timestamp,
	}
	if made.Summary == "" {
		made.SummarySource = tables.SummaryNone
	}
	if created := e.Timestamp.UnixMilli(); e.completed.OK && !e.Timestamp.IsZero() && e.completed.Value >= created && e.completed.Value <= readers.LastMillis {
		made.DurationMS = tables.Some(e.completed.Value - created)
	}
	if asked := c.byID[e.parent]; asked != nil && asked.ask != nil {
		made.LogicalParentUUID = asked.UUID
		made.Trigger = "manual"
		if asked.ask.auto {
			made.Trigger = "auto"
		}
		made.PreservedUUIDs = c.from(asked.ask.tail, at)
	}
	c.in.Emit(made)
	c.summed = at + 1
}

// from returns the uuids of the messages from the message id up to the index to,
// without messages that an earlier compaction replaced. It returns nil if id is
// unknown.
func (c *session) from(id string, to int) (uuids []string) {
	first := c.byID[id]
	if first == nil || id == "" {
		return nil
	}
	for i := max(first.place, c.summed); i < to; i++ {
		uuids = append(uuids, c.entries[i].UUID)
	}
	return uuids
}
