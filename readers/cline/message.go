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
	native     string // Cline's own id
	calls      []*call
	results    []*result
	hasRun     bool                   // all calls ran to their end
	typed      string                 // the text in Cline's wrapper; empty if it has none
	isSteering bool                   // Cline put the prompt into a running turn
	failure    string                 // words about the failure; if empty, the text
	confidence float64                // confidence of the failure; 0 means 1
	failed     bool                   // an error in place of a response
	summary    *tables.Compaction     // the message is what a compaction left
	stops      []*tables.Interruption // inferred or recorded at this message
}

// readMessage handles a record of the list (FORMAT.md §3).
func (s *session) readMessage(v *fastjson.Value) {
	role := s.words.Intern(v.GetStringBytes("role"))
	at := readers.Time(v.Get("ts"))
	known := role == "user" || role == "assistant" || role == "error"
	if !known {
		s.kinds.Count(kindOf(v, role), false, s.facts.version, at)
		return
	}
	s.kinds.Record(v, role, true, s.facts.version, at)
	e := &entry{native: readers.Text(v, "id")}
	e.UUID, e.Timestamp = e.native, at
	e.Line = s.rows.Find(v.GetStringBytes("id"))
	s.entries = append(s.entries, e)
	c := s.readContent(e, role, v.Get("content"))
	about := v.Get("metadata")
	shown := readers.Text(about, "displayRole")
	switch {
	case role == "error" || shown == "error":
		e.Role, e.Kind, e.Text, e.failed = tables.RoleSystem, tables.KindError, c.text(), true
	case role == "assistant" && (shown == "system" || shown == "status"):
		e.Role, e.Kind, e.Text = tables.RoleSystem, tables.KindNotice, c.text()
	case role == "assistant":
		s.setResponse(e, v, c)
	default:
		s.setPrompt(e, c, about)
	}
	c.extra.Text("kind", readers.Text(about, "kind"))
	e.Extra = readers.Object(c.extra)
}

func kindOf(v *fastjson.Value, role string) string {
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

func (c *content) text() string { return strings.Join(c.texts, "\n\n") }

// readContent reads a message's content: a string, or blocks.
func (s *session) readContent(e *entry, role string, v *fastjson.Value) *content {
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

func (s *session) setResponse(e *entry, v *fastjson.Value, c *content) {
	e.Role, e.Kind = tables.RoleAssistant, tables.KindResponse
	e.Text, e.Thinking = c.text(), strings.Join(c.thinking, "\n\n")
	e.Model = s.words.Intern(v.GetStringBytes("modelInfo", "id"))
	c.extra.Text("provider", readers.Text(v, "modelInfo", "provider"))
	m := v.Get("metrics")
	if m == nil || m.Type() != fastjson.TypeObject {
		return
	}
	e.OutputTokens = readers.Count(m, "outputTokens")
	e.CacheReadTokens, e.CacheWriteTokens = readers.Count(m, "cacheReadTokens"), readers.Count(m, "cacheWriteTokens")
	var sure bool
	e.InputTokens, sure = uncachedInput(readers.Count(m, "inputTokens"), e.CacheReadTokens, e.CacheWriteTokens)
	e.TokensReliable = tables.Maybe[bool]{Value: sure, OK: e.InputTokens.OK}
	if cost := m.GetFloat64("cost"); cost > 0 && cost <= tables.MaxCost {
		c.extra.Set("cost_usd", cost)
		s.cost = tables.Some(s.cost.Value + cost)
	}
}

// uncachedInput returns the input without what came from the cache or went there: Cline
// counts both as input, too (FORMAT.md §7). If that is more than the input, the provider
// didn't, and the count isn't sure. The result is NotACount if a count is invalid.
func uncachedInput(input, read, write tables.Maybe[int64]) (n tables.Maybe[int64], sure bool) {
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

func isCount(n tables.Maybe[int64]) bool { return n.Value >= 0 && n.Value <= 2*tables.MaxCount }

// addedKinds lists the kinds of user messages that Cline adds itself (cline/cline,
// sdk/packages/core/src/session/user-run-messages.ts).
var addedKinds = readers.SetOf(`auto_compaction compaction_budget_emergency completion_reminder context_overflow_recovery
	loop_detection_notice manual_compaction mistake_stop_notice recovery_notice`)

// resumption begins a text that Cline adds itself.
const resumption = "[TASK RESUMPTION]"

// setPrompt handles a user's message, or one with results.
func (s *session) setPrompt(e *entry, c *content, about *fastjson.Value) {
	e.Role, e.Text = tables.RoleUser, c.text()
	kind, shown := readers.Text(about, "kind"), readers.Text(about, "displayRole")
	switch {
	case len(e.results) > 0:
		e.Kind = tables.KindToolResult
		return
	case kind == summaryKind || kind == foldedKind:
		e.Kind, e.summary = tables.KindSummary, newCompaction(about)
		return
	case shown == "system" || shown == "status" || addedKinds[kind]:
		e.Kind = tables.KindInjected
		return
	}
	t := unwrap(e.Text)
	c.extra.Text("mode_notice", t.notice)
	c.extra.Text("mode", t.mode)
	switch {
	case !t.hadWrapper && !(e.Text == "" && c.extra != nil), strings.HasPrefix(t.text, resumption):
		e.Kind = tables.KindInjected
	case s.isSubagent(): // written by the parent agent
		e.Kind, e.Text = tables.KindInjected, t.text
	case t.slash != "":
		e.Kind, e.Text = tables.KindCommand, "/"+t.slash
		c.extra.Set("expanded", t.text)
	default:
		e.Kind, e.Text, e.typed = tables.KindPrompt, t.text, t.text
		span := readers.Int(about, "userRunSpan")
		e.isSteering = span.OK && span.Value == 0
	}
	if t.rest != "" && e.Kind != tables.KindInjected {
		c.extra.Set("attached", t.rest)
	}
}

// unwrapped is a user's text without Cline's wrapper (FORMAT.md §3.1).
type unwrapped struct {
	hadWrapper bool
	mode       string // act, plan or yolo
	text       string
	slash      string // the command that made the text; empty if none did
	notice     string // Cline's words about a change of the mode
	rest       string // what Cline added behind the wrapper, such as files
}

const (
	inputTag   = "<user_input"
	inputEnd   = "</user_input>"
	commandTag = "<user_command"
	commandEnd = "</user_command>"
	noticeTag  = "<mode_notice>"
	noticeEnd  = "</mode_notice>"
)

// unwrap takes a text apart. Only a wrapper at the text's beginning counts, behind a
// notice: Cline puts both there, and a person types behind them.
func unwrap(text string) unwrapped {
	w := unwrapped{text: text}
	text = strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(text, noticeTag); ok {
		if notice, behind, ok := strings.Cut(inner, noticeEnd); ok {
			w.notice, text = notice, strings.TrimSpace(behind)
		}
	}
	attributes, inner, behind, ok := splitElement(text, inputTag, inputEnd)
	if !ok {
		return w
	}
	w.hadWrapper, w.text, w.rest = true, inner, strings.TrimSpace(behind)
	w.mode = attributeOf(attributes, "mode")
	if notice, ok := strings.CutPrefix(w.text, noticeTag); ok && w.notice == "" {
		if notice, behind, ok := strings.Cut(notice, noticeEnd); ok {
			w.notice, w.text = notice, strings.TrimLeft(behind, "\n ")
		}
	}
	if attributes, inner, behind, ok := splitElement(strings.TrimSpace(w.text), commandTag, commandEnd); ok && behind == "" {
		if slash := attributeOf(attributes, "slash"); slash != "" {
			w.slash, w.text = slash, strings.TrimSpace(inner)
		}
	}
	return w
}

// splitElement splits a text that begins with a tag. If the text ends with the end tag,
// the element ends there: a person may have typed the end tag, too.
func splitElement(text, tag, end string) (attributes, inner, behind string, ok bool) {
	rest, ok := strings.CutPrefix(text, tag)
	if !ok || rest == "" || rest[0] != ' ' && rest[0] != '>' {
		return "", "", "", false
	}
	attributes, rest, ok = strings.Cut(rest, ">")
	if !ok {
		return "", "", "", false
	}
	if inner, ok := strings.CutSuffix(rest, end); ok {
		return attributes, inner, "", true
	}
	inner, behind, ok = strings.Cut(rest, end)
	return attributes, inner, behind, ok
}

func attributeOf(attributes, name string) string {
	_, value, ok := strings.Cut(attributes, name+`="`)
	if !ok {
		return ""
	}
	value, _, _ = strings.Cut(value, `"`)
	return value
}
