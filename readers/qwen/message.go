package qwen

import (
	"encoding/json"
	"strconv"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// content holds the parts of a message (FORMAT.md §3).
type content struct {
	texts    []string
	thinking []string
	quoted   []string // files that Qwen Code put behind the prompt
	images   []readers.Image
	calls    []*fastjson.Value // functionCall, valid as long as the record
	answers  []*fastjson.Value // functionResponse
	extra    map[string]any
}

func (c *content) note(key string, value any) {
	if c.extra == nil {
		c.extra = map[string]any{}
	}
	c.extra[key] = value
}

// filesFollow begins the files that a prompt names with @. It is a part of its own.
const filesFollow = "\n--- Content from referenced files ---"

func (l *log) content(r *record) *content {
	c := &content{}
	for _, p := range r.GetArray("message", "parts") {
		l.part(c, p, r)
	}
	if len(c.images) > 0 {
		c.note("images", c.images)
	}
	if len(c.quoted) > 0 {
		c.note("referenced", strings.TrimSpace(strings.Join(c.quoted, "\n")))
	}
	return c
}

func (l *log) part(c *content, p *fastjson.Value, r *record) {
	switch {
	case p.GetBool("thought"):
		c.thinking = append(c.thinking, readers.Text(p, "text"))
	case p.Exists("text"):
		text := readers.Text(p, "text")
		if len(c.quoted) > 0 || r.kind == "user" && len(c.texts) > 0 && text == filesFollow {
			c.quoted = append(c.quoted, text)
			return
		}
		c.texts = append(c.texts, text)
	case p.Exists("functionCall"):
		c.calls = append(c.calls, p.Get("functionCall"))
	case p.Exists("functionResponse"):
		c.answers = append(c.answers, p.Get("functionResponse"))
	case p.Exists("inlineData"):
		data := p.Get("inlineData")
		c.images = append(c.images, readers.ImageOf(readers.Text(data, "mimeType"), data.GetStringBytes("data")))
	case p.Exists("fileData"):
		c.images = append(c.images, readers.Image{MediaType: readers.Text(p, "fileData", "mimeType")})
		c.note("file", readers.Text(p, "fileData", "fileUri"))
	default:
		if o := p.GetObject(); o != nil && o.Pairs() > 0 {
			key, _ := o.Pair(0)
			l.kinds.Count(r.kind+" part/"+key, false, r.version, r.at)
		}
	}
}

// user handles a user's line. It reports whether the subtype is known.
func (l *log) user(r *record) (known bool) {
	l.settle()
	l.billed = false
	c := l.content(r)
	m := &tables.Message{Role: tables.RoleUser, Kind: tables.KindInjected, Text: strings.Join(c.texts, "\n")}
	switch r.subtype {
	case "", "mid_turn_user_message":
		known = true
		if by := string(r.GetStringBytes("provenance")); (by == "real_user" || by == "") && l.at.agent == "" {
			m.Kind = tables.KindPrompt
			l.cut = nil
		}
	case "notification", "cron":
		known, m.BeginsTurn = true, true
	}
	if r.subtype != "" {
		c.note("subtype", r.subtype)
	}
	if shown := readers.Text(r.Value, "systemPayload", "displayText"); shown != "" && shown != m.Text {
		c.note("shown", shown)
	}
	if l.files != "" && m.Kind == tables.KindPrompt {
		c.note("files_read", json.RawMessage(l.files))
		l.files = ""
	}
	l.newResponse()
	l.say(r, m, c)
	return known
}

// assistant handles an answer. In a subagent's file, the answer's text, tokens and calls
// have a line each, up to the next result (FORMAT.md §8).
func (l *log) assistant(r *record) {
	l.settle()
	c := l.content(r)
	m := &tables.Message{
		Role: tables.RoleAssistant, Kind: tables.KindResponse,
		Text: strings.Join(c.texts, "\n"), Thinking: strings.Join(c.thinking, "\n\n"),
		Model: l.words.Of(r.GetStringBytes("model")),
	}
	usage := r.Get("usageMetadata")
	tokens(m, usage, fieldsOfAnswer)
	if n := round(r); l.at.agent == "" || l.now.uuid == "" || n != 0 && l.now.round != 0 && n != l.now.round {
		l.now = &response{uuid: r.id, round: n, line: r.line}
	}
	if l.at.agent != "" {
		m.MessageID = "#" + strconv.FormatInt(l.now.line, 10) // the parts of one message; too short to be the same elsewhere
	}
	l.say(r, m, c)
	for _, v := range c.calls {
		l.call(r, v)
	}
	if l.at.agent == "" && usage == nil && !l.billed {
		l.stopped(r)
	}
	l.billed = false
}

// newResponse ends the response: the next answer is another.
func (l *log) newResponse() { l.now = &response{} }
