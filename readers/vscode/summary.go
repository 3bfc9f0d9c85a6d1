package vscode

import (
	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// summary is a text with which Copilot replaced the messages up to a certain round, to
// save tokens (FORMAT.md §8).
type summary struct {
	text     string
	round    string // id of the last round replaced
	pre      tables.Maybe[int64]
	duration tables.Maybe[int64]
	extra    readers.Extra
}

func summaryText(v *fastjson.Value) string {
	if v == nil {
		return ""
	}
	if v.Type() == fastjson.TypeString {
		return readers.Text(v)
	}
	return readers.Text(v, "text")
}

func summaryOf(v *fastjson.Value) *summary {
	s := &summary{text: summaryText(v), round: readers.Text(v, "toolCallRoundId"), extra: readers.Extra{}}
	s.pre, s.duration = readers.Count(v, "contextLengthBefore"), readers.Count(v, "durationMs")
	for _, key := range []string{"source", "outcome", "model", "summarizationMode"} {
		s.extra.Text(key, readers.Text(v, key))
	}
	return s
}

// summaries reads the summaries of a request, each once: VS Code may store the same one
// in three places.
func (c *chat) summaries(r *request, metadata *fastjson.Value) {
	list := metadata.GetArray("summaries")
	if one := metadata.Get("summary"); one.GetObject() != nil {
		list = append(list[:len(list):len(list)], one)
	}
	seen := map[string]bool{}
	for _, v := range list {
		s := summaryOf(v)
		c.kinds.Count("request content/summary", true, "", noTime)
		if s.text == "" || seen[s.round] {
			continue
		}
		seen[s.round] = true
		r.summaries = append(r.summaries, s)
	}
	for _, b := range r.rounds {
		if b.summary != nil && !seen[b.summary.round] {
			seen[b.summary.round] = true
			r.summaries = append(r.summaries, b.summary)
		}
	}
}

// emitSummary emits a summary as a message, and its compaction. replaced lists the
// messages that the summary replaces: all messages up to its round.
func (c *chat) emitSummary(r *request, s *summary, replaced []string) {
	m := &tables.Message{
		UUID:      r.uuid + "/" + s.round + "/summary",
		Role:      tables.RoleUser,
		Kind:      tables.KindSummary,
		Text:      s.text,
		Timestamp: r.started,
		RequestID: r.id,
		Line:      r.line,
		Extra:     readers.Object(s.extra),
	}
	e := c.compaction(r)
	e.UUID, e.Summary, e.SummarySource = m.UUID, s.text, tables.SummaryInline
	e.PreTokens, e.DurationMS = s.pre, s.duration
	e.ReplacedUUIDs = replaced
	c.in.Emit(m)
	c.in.Emit(e)
}

// compaction returns a compaction of the request, without its summary.
func (c *chat) compaction(r *request) *tables.Compaction {
	e := &tables.Compaction{Trigger: "auto", TriggerInferred: true, SummarySource: tables.SummaryNone, Timestamp: r.started}
	if r.compact {
		e.Trigger, e.TriggerInferred = "manual", false
	}
	return e
}
