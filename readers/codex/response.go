package codex

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/internal/pattern"
	"hindsql/readers"
	"hindsql/tables"
)

// response collects the items of one response of the model. The log has no id for a
// response. Its items follow each other; an item from outside the model (a prompt or a
// call's output) ends the response.
type response struct {
	m       *tables.Message
	calls   []*tables.ToolCall
	results []*tables.ToolResult // results of calls made by the model's server
	emitted bool                 // the response was emitted
	counted bool                 // the response's tokens are known
	closed  bool                 // complete: the count of tokens came after the items
}

// responseFor returns the response to which an item belongs, and begins a new response if
// needed. A count of tokens separates two responses: it stands after the items of its
// response or, in versions that write a response when it ends, before them (FORMAT.md
// §9.1).
func (t *rollout) responseFor(r *record, uuid string) *response {
	if t.response != nil && !t.response.emitted && !t.response.closed && !t.usage.isPending() {
		return t.response
	}
	t.endResponse()
	t.compaction.inLoop = false
	t.response = &response{m: &tables.Message{
		UUID: uuid, Role: tables.RoleAssistant, Kind: tables.KindResponse,
		Model: t.facts.model, Timestamp: r.at, Line: r.line,
	}}
	t.usage.assign(t.response)
	t.voidAborts()
	return t.response
}

// emitResponse emits the response collected so far. Its count of tokens may still come.
func (t *rollout) emitResponse() {
	p := t.response
	if p == nil || p.emitted {
		return
	}
	p.emitted = true
	t.emitMessage(p.m)
	for _, c := range p.calls {
		t.emit(c)
	}
	for _, e := range p.results {
		t.emit(e)
	}
	if !t.facts.recordsNoAbort() || p.m.Text == "" {
		return
	}
	if word := abortWords.FindString(p.m.Text); word != "" {
		t.emit(&tables.Interruption{
			Type: tables.InterruptedByUser, Phase: tables.PhaseResponse, Marker: word,
			Evidence: tables.EvidenceText, Confidence: 0.2, Timestamp: p.m.Timestamp,
		})
	}
}

func (t *rollout) endResponse() {
	t.emitResponse()
	t.response = nil
}

func (t *rollout) handleMessage(r *record) {
	text, images := contentText(r.Get("content"))
	switch readers.Text(r.Value, "role") {
	case "assistant":
		uuid := t.advanceChain("assistant", text)
		p := t.responseFor(r, uuid)
		p.m.AddText(text)
		t.hasPlan = t.hasPlan || strings.Contains(text, planTag)
		p.m.Extra = imagesExtra(images)
		t.addItemText(text)
	case "user":
		t.handleUserItem(r, images)
	default:
		t.handleSavedPrefixes(r)
		t.emitInjected(r, tables.RoleSystem, text)
	}
}

// handleReasoning handles the model's thinking: its summary or plain text, not encrypted
// content.
func (t *rollout) handleReasoning(r *record) {
	var texts []string
	for _, key := range []string{"summary", "content"} {
		for _, s := range r.GetArray(key) {
			texts = append(texts, readers.Text(s, "text"))
		}
	}
	sealed := r.GetStringBytes("encrypted_content")
	uuid := t.advanceChain(append(texts, "reasoning", string(sealed[:min(len(sealed), 200)]))...)
	p := t.responseFor(r, uuid)
	for _, s := range texts {
		p.m.AddThinking(s)
		t.addItemText(s)
	}
}

// eventText is a text from an event. An item holds the same text, before or after the
// event. If the user stopped the turn, there may be no item (FORMAT.md §4.1).
type eventText struct {
	text     string
	thinking bool
	r        record // without its Value
}

func (t *rollout) addEventText(r *record, h eventText) {
	if h.text = strings.TrimSpace(h.text); h.text == "" {
		return
	}
	for i := firstRecent(len(t.itemTexts), func(i int) string { return t.itemTexts[i] }); i < len(t.itemTexts); i++ {
		if isSameText(t.itemTexts[i], h.text) {
			t.itemTexts = slices.Delete(t.itemTexts, i, i+1)
			return
		}
	}
	h.r = *r
	h.r.Value = nil
	t.eventTexts = append(t.eventTexts, h)
}

// addItemText adds an item's text. If an event had the same text earlier, that event is
// done; otherwise addItemText keeps the text until the event comes.
func (t *rollout) addItemText(text string) {
	if text = strings.TrimSpace(text); text == "" {
		return
	}
	for i := firstRecent(len(t.eventTexts), func(i int) string { return t.eventTexts[i].text }); i < len(t.eventTexts); i++ {
		if isSameText(text, t.eventTexts[i].text) {
			t.eventTexts = slices.Delete(t.eventTexts, i, i+1)
			return
		}
	}
	t.itemTexts = append(t.itemTexts, text)
}

// The search for an item's event, or an event's item, looks back over at most this many
// texts and bytes, because both stand near each other.
const (
	recentTexts = 1000
	recentBytes = 1 << 20
)

// firstRecent returns the index of the first of n texts to compare with a new text; texts
// before the index are too far back.
func firstRecent(n int, text func(i int) string) int {
	bytes := 0
	for i := n; i > 0; i-- {
		if bytes += len(text(i - 1)); bytes > recentBytes && i < n || n-i >= recentTexts {
			return i
		}
	}
	return 0
}

const planTag = "<proposed_plan>"

// isSameText reports whether an item's text equals an event's. The event may lack a
// plan that the item holds (FORMAT.md §4.2).
func isSameText(item, event string) bool {
	if before, _, ok := strings.Cut(item, planTag); ok {
		return strings.HasPrefix(event, strings.TrimSpace(before))
	}
	return item == event
}

// eventsOnly is the extra of a response known from events only: the user stopped it
// before its item was written.
const eventsOnly = `{"events_only":true}`

// emitEventTexts emits a message of the texts that events held and no item repeated.
func (t *rollout) emitEventTexts() {
	t.itemTexts = t.itemTexts[:0]
	if len(t.eventTexts) == 0 {
		return
	}
	list := t.eventTexts
	t.eventTexts = nil
	t.endResponse()
	first := &list[0].r
	p := t.responseFor(first, t.uuidWithoutItem("heard"))
	p.m.Extra = eventsOnly
	for _, h := range list {
		if h.thinking {
			p.m.AddThinking(h.text)
		} else {
			p.m.AddText(h.text)
		}
	}
	t.endResponse()
}

// emitAgentMessage emits a message that one agent sent to another. No person typed it.
func (t *rollout) emitAgentMessage(r *record) {
	t.flushPending()
	text, _ := contentText(r.Get("content"))
	task, payload, enveloped := strings.Cut(text, "\nPayload:\n")
	payload = strings.TrimSpace(payload)
	if enveloped {
		task = payload
	}
	t.facts.setTask(task, t.replay.of != "")
	extra := readers.Extra{"author": readers.Text(r.Value, "author"), "recipient": readers.Text(r.Value, "recipient")}
	t.emitMessage(&tables.Message{
		UUID: t.advanceChain("agent", text), Role: tables.RoleUser, Kind: tables.KindInjected,
		Text: text, TypedText: payload, Timestamp: r.at, Line: r.line, Extra: readers.Object(extra),
	})
}

// contentText joins the texts of a content. Images are only described.
func contentText(content *fastjson.Value) (string, []readers.Image) {
	texts, images := contentParts(content)
	return strings.Join(texts, "\n\n"), images
}

func contentParts(content *fastjson.Value) (texts []string, images []readers.Image) {
	if content == nil {
		return nil, nil
	}
	if content.Type() == fastjson.TypeString {
		return []string{readers.Text(content)}, nil
	}
	for _, c := range content.GetArray() {
		switch readers.Text(c, "type") {
		case "input_image", "image", "local_image", "input_audio":
			images = append(images, imageOf(c))
		case "encrypted_content":
			if s := readers.Text(c, "encrypted_content"); s != "" && !encrypted.MatchString(s) {
				texts = append(texts, s) // not encrypted: not every provider encrypts
			}
		default:
			if s := readers.Text(c, "text"); s != "" {
				texts = append(texts, s)
			}
		}
	}
	return texts, images
}

// encrypted matches encrypted text: a Fernet token, or one long word of base64.
var encrypted = pattern.Lazy(`^(?:gAAAAA[\w-]*=*|[A-Za-z0-9+/_-]{40,}=*)\s*$`)

var dataURL = pattern.Lazy(`^data:([^;,]*)[^,]*,`)

func imageOf(c *fastjson.Value) readers.Image {
	url := cmp.Or(readers.Text(c, "image_url"), readers.Text(c, "data"), readers.Text(c, "audio_url"))
	m := dataURL.FindStringSubmatch(url)
	switch {
	case m != nil:
		return readers.ImageOf(m[1], []byte(url[len(m[0]):]))
	case c.Exists("data"):
		return readers.ImageOf(readers.Text(c, "mimeType"), []byte(url))
	}
	return readers.Image{} // the log holds only the image's address
}

func imagesExtra(images []readers.Image) string {
	if len(images) == 0 {
		return ""
	}
	return readers.Object(map[string]any{"images": images})
}

// noAbortBefore is the minor version 0.x that first records an abort (FORMAT.md §3.3).
const noAbortBefore = 35

var minorVersion = pattern.Lazy(`^0\.(\d{1,4})\.`)

func minorOf(version string) int {
	m := minorVersion.FindStringSubmatch(version)
	if m == nil {
		return -1
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		return -1
	}
	return n
}

// recordsNoAbort reports whether the version records no abort. Flat lines (FORMAT.md
// §2) have neither version nor abort.
func (f *sessionFacts) recordsNoAbort() bool {
	own := f.minor == 0 // 0.0.0: built from source, at any time
	return f.known && f.minor < noAbortBefore && !own
}

// abortWords matches the model's own words about an abort, the only evidence in old versions.
var abortWords = pattern.Lazy(`(?i)\b(aborted|cancell?ed)\b`)
