package cline

import (
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// entry is one message of a session.
type entry struct {
	tables.Message
	native  string // Cline's own id
	calls   []*call
	results []*result
	ran     bool                   // all calls ran to their end
	typed   string                 // the text in Cline's wrapper; empty if it has none
	steers  bool                   // Cline put the prompt into a running turn
	failure string                 // words about the failure; if empty, the text
	sure    float64                // confidence of the failure; 0 means 1
	failed  bool                   // an error in place of a response
	summary *tables.Compaction     // the message is what a compaction left
	stops   []*tables.Interruption // inferred or recorded at this message
}

// message handles a record of the list (FORMAT.md §3).
func (s *session) message(v *fastjson.Value) {
	role := s.words.Of(v.GetStringBytes("role"))
	at := readers.Time(v.Get("ts"))
	known := role == "user" || role == "assistant" || role == "error"
	if !known {
		s.kinds.Count(nameOf(v, role), false, s.facts.version, at)
		return
	}
	s.kinds.Record(v, role, true, s.facts.version, at)
	e := &entry{native: readers.Text(v, "id")}
	e.UUID, e.Timestamp = e.native, at
	e.Line = s.rows.Of(v.GetStringBytes("id"))
	s.entries = append(s.entries, e)
	c := s.content(e, role, v.Get("content"))
	about := v.Get("metadata")
	shown := readers.Text(about, "displayRole")
	switch {
	case role == "error" || shown == "error":
		e.Role, e.Kind, e.Text, e.failed = tables.RoleSystem, tables.KindError, c.all(), true
	case role == "assistant" && (shown == "system" || shown == "status"):
		e.Role, e.Kind, e.Text = tables.RoleSystem, tables.KindNotice, c.all()
	case role == "assistant":
		s.response(e, v, c)
	default:
		s.user(e, c, about)
	}
	c.extra.Text("kind", readers.Text(about, "kind"))
	e.Extra = readers.Object(c.extra)
}

func nameOf(v *fastjson.Value, role string) string {
	switch {
	case v.Type() != fastjson.TypeObject:
		return "(no object)"
	case role == "":
		return "(no role)"
	}
	return role
}

// content holds the parts of a message's content.
type content struct {
	texts    []string
	thinking []string
	extra    readers.Extra
}

func (c *content) all() string { return strings.Join(c.texts, "\n\n") }

// content reads a message's content: a string, or blocks.
func (s *session) content(e *entry, role string, v *fastjson.Value) *content {
	c := &content{}
	if v == nil {
		return c
	}
	if v.Type() == fastjson.TypeString {
		c.texts = append(c.texts, readers.Text(v))
		return c
	}
	var images []readers.Image
	var files []string
	for _, b := range v.GetArray() {
		switch kind := readers.Text(b, "type"); kind {
		case "text":
			c.texts = append(c.texts, readers.Text(b, "text"))
		case "thinking":
			c.thinking = append(c.thinking, readers.Text(b, "thinking"))
		case "redacted_thinking": // encrypted
		case "image":
			images = append(images, imageOf(b))
		case "file":
			files = append(files, readers.Text(b, "path"))
		case "tool_use":
			s.toolUse(e, b)
		case "tool_result":
			s.toolResult(e, b)
		default:
			s.kinds.Count(role+" content/"+kind, false, s.facts.version, e.Timestamp)
		}
	}
	c.extra.Images(images)
	if len(files) > 0 {
		c.extra.Set("files", files)
	}
	return c
}

// imageOf describes an image of either shape.
func imageOf(b *fastjson.Value) readers.Image {
	if source := b.Get("source"); source != nil {
		return readers.ImageOf(readers.Text(source, "media_type"), source.GetStringBytes("data"))
	}
	return readers.ImageOf(readers.FirstText(b, "mediaType", "media_type"), b.GetStringBytes("data"))
}

func (s *session) response(e *entry, v *fastjson.Value, c *content) {
	e.Role, e.Kind = tables.RoleAssistant, tables.KindResponse
	e.Text, e.Thinking = c.all(), strings.Join(c.thinking, "\n\n")
	e.Model = s.words.Of(v.GetStringBytes("modelInfo", "id"))
	c.extra.Text("provider", readers.Text(v, "modelInfo", "provider"))
	m := v.Get("metrics")
	if m == nil || m.Type() != fastjson.TypeObject {
		return
	}
	e.OutputTokens = readers.Count(m, "outputTokens")
	e.CacheReadTokens, e.CacheWriteTokens = readers.Count(m, "cacheReadTokens"), readers.Count(m, "cacheWriteTokens")
	var sure bool
	e.InputTokens, sure = uncached(readers.Count(m, "inputTokens"), e.CacheReadTokens, e.CacheWriteTokens)
	e.TokensReliable = tables.Maybe[bool]{Value: sure, OK: e.InputTokens.OK}
	if cost := m.GetFloat64("cost"); cost > 0 && cost <= tables.MostCost {
		c.extra.Set("cost_usd", cost)
		s.cost = tables.Some(s.cost.Value + cost)
	}
}

// uncached returns the input without what came from the cache or went there: Cline
// counts both as input, too (FORMAT.md §7). If that is more than the input, the provider
// didn't, and the count isn't sure. The result is NotACount if a count is invalid.
func uncached(input, read, write tables.Maybe[int64]) (n tables.Maybe[int64], sure bool) {
	switch {
	case !input.OK:
		return input, false
	case !isCount(input) || !isCount(read) || !isCount(write):
		return tables.Some[int64](tables.NotACount), false
	case input.Value < read.Value+write.Value:
		return input, false
	}
	return tables.Some(input.Value - read.Value - write.Value), true
}

func isCount(n tables.Maybe[int64]) bool { return n.Value >= 0 && n.Value <= 2*tables.MostCounted }

// added lists the kinds of user messages that Cline adds itself (cline/cline,
// sdk/packages/core/src/session/user-run-messages.ts).
var added = readers.SetOf(`auto_compaction compaction_budget_emergency completion_reminder context_overflow_recovery
	loop_detection_notice manual_compaction mistake_stop_notice recovery_notice`)

// resumption begins a text that Cline adds itself.
const resumption = "[TASK RESUMPTION]"

// user handles a user's message, or one with results.
func (s *session) user(e *entry, c *content, about *fastjson.Value) {
	e.Role, e.Text = tables.RoleUser, c.all()
	kind, shown := readers.Text(about, "kind"), readers.Text(about, "displayRole")
	switch {
	case len(e.results) > 0:
		e.Kind = tables.KindToolResult
		return
	case kind == summaryKind || kind == foldedKind:
		e.Kind, e.summary = tables.KindSummary, compactionOf(about)
		return
	case shown == "system" || shown == "status" || added[kind]:
		e.Kind = tables.KindInjected
		return
	}
	t := unwrap(e.Text)
	c.extra.Text("mode_notice", t.notice)
	c.extra.Text("mode", t.mode)
	switch {
	case !t.wrapped && !(e.Text == "" && c.extra != nil), strings.HasPrefix(t.text, resumption):
		e.Kind = tables.KindInjected
	case s.isChild(): // written by the parent agent
		e.Kind, e.Text = tables.KindInjected, t.text
	case t.slash != "":
		e.Kind, e.Text = tables.KindCommand, "/"+t.slash
		c.extra.Set("expanded", t.text)
	default:
		e.Kind, e.Text, e.typed = tables.KindPrompt, t.text, t.text
		span := readers.Int(about, "userRunSpan")
		e.steers = span.OK && span.Value == 0
	}
	if t.rest != "" && e.Kind != tables.KindInjected {
		c.extra.Set("attached", t.rest)
	}
}
