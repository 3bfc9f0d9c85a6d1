package qwen

import (
	"encoding/json"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/readers/background"
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
	extra    readers.Extra
}

// filesFollow begins the files that a prompt names with @. It is a part of its own.
const filesFollow = "\n--- Content from referenced files ---"

func (l *log) parseContent(r *record) *content {
	c := &content{}
	for _, p := range r.GetArray("message", "parts") {
		l.addPart(c, p, r)
	}
	c.extra.Images(c.images)
	if len(c.quoted) > 0 {
		c.extra.Set("referenced", strings.TrimSpace(strings.Join(c.quoted, "\n")))
	}
	return c
}

func (l *log) addPart(c *content, p *fastjson.Value, r *record) {
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
		c.extra.Set("file", readers.Text(p, "fileData", "fileUri"))
	default:
		if o := p.GetObject(); o != nil && o.Pairs() > 0 {
			key, _ := o.Pair(0)
			l.kinds.Count(r.kind+" content/"+key, false, r.version, r.at)
		}
	}
}

// handleUser handles a user's line. It reports whether the subtype is known.
func (l *log) handleUser(r *record) (known bool) {
	l.newResponse()
	l.tokensRecorded = false
	c := l.parseContent(r)
	m := &tables.Message{Role: tables.RoleUser, Kind: tables.KindInjected, Text: strings.Join(c.texts, "\n")}
	switch r.subtype {
	case "", "mid_turn_user_message", "realtime_message":
		known = true
		if by := string(r.GetStringBytes("provenance")); (by == "real_user" || by == "") && l.at.agent == "" {
			m.Kind, l.ended, l.aborted = tables.KindPrompt, false, nil
			l.terminal = l.terminal && r.subtype != ""
		}
	case "notification", "cron":
		handleNotification(r, m.Text, l.calls)
		known, m.BeginsTurn, l.ended, l.aborted = true, true, false, nil
	case "goal_runtime":
		known = true
	}
	l.stoppedAnswer = nil
	c.extra.Text("subtype", r.subtype)
	shown := readers.Text(r.Value, "systemPayload", "displayText")
	switch hook := readers.Text(r.Value, "systemPayload", "hookContext"); {
	case shown == "" || shown == m.Text:
	case m.Kind == tables.KindPrompt && hook != "": // a hook's text stands behind the typed text
		m.Text = shown
		c.extra.Set("hook_context", hook)
	default:
		c.extra.Set("shown", shown)
	}
	if l.files != "" && m.Kind == tables.KindPrompt {
		c.extra.Set("files_read", json.RawMessage(l.files))
		l.files = ""
	}
	l.emitMessage(r, m, c.extra)
	return known
}

// handleNotification handles the end of an agent in the background, which Qwen Code itself
// writes (FORMAT.md §8).
func handleNotification(r *record, text string, calls map[string]*call) {
	if end, ok := background.Parse(text); ok && r.subtype == "notification" {
		if c := calls[end.ToolUseID]; c != nil && c.launch != nil {
			c.launch.DurationMS = tables.Maybe[int64]{} // of the launch
			end.Apply(c.launch, r.at)
			c.launch = nil
		}
	}
}

// handleAssistant handles an answer. In a subagent's file, the answer's text, tokens
// and calls have a line each, up to the next result (FORMAT.md §8).
func (l *log) handleAssistant(r *record) {
	l.withdrawStop()
	if l.beginsAnswer(r) {
		l.newResponse()
		l.response.uuid, l.response.round = r.id, roundOf(r)
	}
	c := l.parseContent(r)
	m := &tables.Message{
		Role: tables.RoleAssistant, Kind: tables.KindResponse,
		Text: strings.Join(c.texts, "\n"), Thinking: strings.Join(c.thinking, "\n\n"),
		Model: l.words.Intern(r.GetStringBytes("model")),
	}
	usage := r.Get("usageMetadata")
	setTokens(m, usage, fieldsOfAnswer)
	if l.at.agent != "" {
		m.MessageID = l.response.uuid[max(0, len(l.response.uuid)-shortID):]
	}
	l.emitMessage(r, m, c.extra)
	for _, v := range c.calls {
		l.handleFunctionCall(r, v)
	}
	if l.at.agent == "" && r.subtype == "" && usage == nil && !l.tokensRecorded && m.Text+m.Thinking != "" {
		l.emitAnswerStop(r)
	}
	l.tokensRecorded = false
}

// shortID is the length of an id that joins the lines of one answer. Links take longer
// ids for those of the model's API, which other files may have, too.
const shortID = 18

// beginsAnswer reports whether a line begins an answer.
func (l *log) beginsAnswer(r *record) bool {
	now := l.response
	return l.at.agent == "" || now.uuid == "" || now.ended || now.round != 0 && roundOf(r) != 0 && now.round != roundOf(r)
}

// newResponse ends the last answer: the next line of the model belongs to another.
func (l *log) newResponse() {
	if l.at.agent == "" {
		l.emitMissingResults()
	}
	l.response = &response{}
}
