package cline

import (
	"path"
	"strconv"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// Kinds of the message that a compaction leaves: a summary by the model, or the old
// prompts folded into one (FORMAT.md §6).
const (
	summaryKind = "compaction_summary"
	foldedKind  = "compaction"
)

// compacted is the last compaction of a session, from the file beside the messages.
type compacted struct {
	after   int // index of the last message that was there
	message tables.Message
	event   *tables.Compaction
}

// compactionOf returns a compaction from the metadata of the message that it left.
func compactionOf(about *fastjson.Value) *tables.Compaction {
	c := &tables.Compaction{
		PreTokens:     readers.Count(about, "tokensBefore"),
		Summary:       readers.Text(about, "summary"),
		SummarySource: tables.SummaryInline,
		Timestamp:     readers.Time(about.Get("generatedAt")),
	}
	switch readers.Text(about, "reason") {
	case "manual_compaction":
		c.Trigger = "manual"
	case "auto_compaction", "overflow_recovery_compaction":
		c.Trigger = "auto"
	}
	if c.Summary == "" {
		c.SummarySource = tables.SummaryNone
	}
	return c
}

// compacted reads the file with what the model sees since the last compaction; nil if
// there is none. The messages keep everything.
func (s *session) compacted() *compacted {
	if s.isChild() || len(s.entries) == 0 {
		return nil
	}
	v := s.beside(path.Join(sessionsFolder, s.at.folder, s.at.stem+".compaction.json"))
	if v == nil {
		return nil
	}
	at := readers.Time(v.Get("updated_at"))
	s.kinds.Record(v, "compaction", true, s.facts.version, at)
	left := v.GetArray("messages")
	if len(left) == 0 {
		return nil
	}
	c := &compacted{event: compactionOf(left[0].Get("metadata"))}
	if c.event.Timestamp.IsZero() {
		c.event.Timestamp = at
	}
	for _, m := range left[1:] {
		if id := readers.Text(m, "id"); id != "" {
			c.event.PreservedUUIDs = append(c.event.PreservedUUIDs, id)
		}
	}
	n := readers.Int(v, "source_message_count").Value
	c.after = int(min(max(n-1, 0), int64(len(s.entries)-1)))
	before := s.entries[c.after]
	c.message = tables.Message{
		// A fork has the same compaction: its message is a copy.
		UUID:      "compaction@" + strconv.FormatInt(c.event.Timestamp.UnixMilli(), 10) + "/" + before.native,
		Role:      tables.RoleUser,
		Kind:      tables.KindSummary,
		Text:      s.content(&entry{}, "compaction", left[0].Get("content")).all(),
		Timestamp: c.event.Timestamp,
		Line:      before.Line,
	}
	return c
}

func (s *session) emitCompaction(c *compacted) {
	s.in.Emit(&c.message)
	s.in.Emit(c.event)
}
