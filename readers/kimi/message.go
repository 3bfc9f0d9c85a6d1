package kimi

import (
	"bytes"
	"cmp"
	"html"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// messageAppended handles a message outside of the steps. While a step is open, the
// message waits for the step's results, as in Kimi Code's own memory (FORMAT.md §4).
func (w *wire) messageAppended(v *fastjson.Value) {
	message := v.Get("message")
	if message == nil || message.Type() != fastjson.TypeObject {
		return
	}
	id := readers.Text(message, "id")
	if id != "" && w.chat.seen[id] {
		return // a repeated line
	}
	s := &entry{Message: &tables.Message{UUID: id, Timestamp: w.chat.at, Line: w.chat.line}, record: w.chat.record}
	origin := message.Get("origin")
	kind := w.chat.words.Intern(origin.GetStringBytes("kind"))
	if id == "" {
		s.UUID = w.chat.newID(cmp.Or(kind, readers.Text(message, "role")))
	}
	w.chat.seen[s.UUID] = true
	c := w.chat.readContent(message.Get("content"))
	s.Text, s.Thinking = c.text(), strings.Join(c.thinking, "\n\n")
	w.setKind(s, kind, origin, message, &c)
	s.Extra = readers.Object(c.extra)
	if open := w.openStep(); open != nil {
		open.after = append(open.after, s)
		return
	}
	w.emitWithCalls(s, message)
}

// emitWithCalls emits a message, and the calls of an answer, or a call's result, that
// stand in it: such messages are copies, or come from kimi-cli's older sessions.
func (w *wire) emitWithCalls(s *entry, message *fastjson.Value) {
	w.chat.emitMessage(s)
	switch {
	case s.Kind == tables.KindResponse:
		for _, one := range message.GetArray("toolCalls") {
			w.quotedCall(one)
		}
	case s.Kind == tables.KindToolResult:
		w.quotedResult(message)
	}
}

// setKind sets the kind of a message by its origin (FORMAT.md §4).
func (w *wire) setKind(s *entry, kind string, origin, message *fastjson.Value, c *content) {
	role := readers.Text(message, "role")
	s.Role, s.Kind = tables.RoleUser, tables.KindInjected
	switch kind {
	case "user", "":
		w.chat.setConversationKind(s, role, origin)
	case "shell_command":
		s.Kind, s.Text = typedShell(readers.Text(origin, "phase"), s.Text)
	case "injection":
		variant := readers.Text(origin, "variant")
		c.extra.Text("variant", variant)
		s.owner = readers.Text(origin, "ownerPromptId")
		s.isInjected = true
		switch variant {
		case "interruption":
			s.Kind = tables.KindInterruption
		case "btw":
			w.facts.isSide, s.isOwn = true, true
		}
	case "hook_result":
		c.extra.Text("hook", readers.Text(origin, "event"))
		if origin.GetBool("blocked") {
			s.Role, s.Kind = tables.RoleSystem, tables.KindNotice
		}
	case "skill_activation", "plugin_command":
		c.extra.Text("command", cmp.Or(readers.Text(origin, "skillName"), readers.Text(origin, "commandName")))
		s.isAnchor = readers.Text(origin, "trigger") == "user-slash"
	case "system_trigger", "task", "cron_job", "cron_missed", "compaction_summary", "retry":
	default:
		w.chat.kinds.Count("origin content/"+kind, false, "", w.chat.at)
	}
	if kind != "user" && kind != "" {
		c.extra.Text("origin", kind)
		s.BeginsTurn = s.Kind == tables.KindInjected && w.turn.begins == kind
	}
	if w.turn.begins == kind {
		w.turn.begins = ""
	}
}

// typedShell returns the kind and the text of a command that the user typed after !, or
// of what it printed. The log has them in tags, with & as &amp; (FORMAT.md §4).
func typedShell(phase, text string) (kind, typed string) {
	if phase == "input" {
		inside := strings.TrimSuffix(strings.TrimPrefix(text, "<bash-input>"), "</bash-input>")
		return tables.KindCommand, "!" + html.UnescapeString(strings.Trim(inside, "\n"))
	}
	printed, failed, _ := strings.Cut(strings.TrimPrefix(text, "<bash-stdout>"), "</bash-stdout><bash-stderr>")
	failed = strings.TrimSuffix(failed, "</bash-stderr>")
	return tables.KindCommandOutput, html.UnescapeString(tables.JoinText(printed, failed))
}

// turnPrompt handles the beginning of a turn. The message follows, and may wait for the
// end of the turn's step if the user steers. If the turn was stopped before, a prompt that
// steers begins another (FORMAT.md §3).
func (w *wire) turnPrompt(v *fastjson.Value) {
	w.chat.begun = true
	id := turnID(v)
	if readers.Bool(v, "origin", "inTurn") && (id == "" || id == w.turn.id) {
		return
	}
	w.closeStep()
	w.emitFailedTurn()
	w.turn = turn{id: id, begins: w.chat.words.Intern(v.GetStringBytes("origin", "kind"))}
}

// turnID returns a turn's number, which some lines have as a text.
func turnID(v *fastjson.Value) string {
	id := v.Get("turnId")
	if id == nil {
		return ""
	}
	if id.Type() == fastjson.TypeNumber {
		return strings.Clone(id.Digits())
	}
	return readers.Text(id)
}

// setConversationKind handles a message without an origin but a person's: a prompt, or
// what a copy repeats of the conversation.
func (t *chat) setConversationKind(s *entry, role string, origin *fastjson.Value) {
	switch {
	case role == "assistant":
		s.Role, s.Kind = tables.RoleAssistant, tables.KindResponse
	case role == "tool":
		s.Kind, s.Text = tables.KindToolResult, ""
	case role == "system":
		s.Role = tables.RoleSystem
	case t.facts.agent == mainAgent || origin != nil: // a parent's words have another origin
		s.Kind = tables.KindPrompt
		s.isAnchor = !origin.GetBool("inTurn")
		t.prompt = s
	}
}

// promptCompleted handles the end of a prompt. A hook may have blocked it, before a turn
// began.
func (t *chat) promptCompleted(v *fastjson.Value) {
	if p := t.prompt; p != nil && readers.Text(v, "reason") == "blocked" && p.UUID == readers.Text(v, "promptId") {
		p.Extra = `{"blocked":true}`
	}
}

// content holds the parts of a message, a step or a result.
type content struct {
	texts    []string
	thinking []string
	images   []readers.Image
	extra    readers.Extra
}

func (c *content) text() string { return strings.Join(c.texts, "\n\n") }

// imageOf describes an image: a data URL, or a reference to another file.
func imageOf(p *fastjson.Value, kind string) readers.Image {
	url := p.GetStringBytes("imageUrl", "url")
	if kind != "image_url" {
		url = p.GetStringBytes(strings.TrimSuffix(kind, "_url")+"Url", "url")
	}
	const mark = ";base64,"
	at := bytes.Index(url[:min(len(url), 100)], []byte(mark))
	if at < 0 || !bytes.HasPrefix(url, []byte("data:")) {
		return readers.Image{MediaType: strings.TrimSuffix(kind, "_url")}
	}
	return readers.ImageOf(string(url[len("data:"):at]), url[at+len(mark):])
}

// readContent reads a text, or a list of parts.
func (t *chat) readContent(v *fastjson.Value) (c content) {
	if v == nil {
		return c
	}
	if v.Type() == fastjson.TypeString {
		c.texts = []string{readers.Text(v)}
		return c
	}
	for _, p := range v.GetArray() {
		t.addPart(&c, p)
	}
	return c
}

// addPart adds a part: a text, thinking or an image, which may lie in another file
// (FORMAT.md §4).
func (t *chat) addPart(c *content, p *fastjson.Value) {
	switch kind := string(p.GetStringBytes("type")); kind {
	case "text":
		c.texts = append(c.texts, readers.Text(p, "text"))
	case "think":
		if text := readers.Text(p, "think"); text != "" {
			c.thinking = append(c.thinking, text)
		}
	case "image_url", "video_url", "audio_url":
		c.images = append(c.images, imageOf(p, kind))
		c.extra.Set("images", c.images)
	default:
		t.kinds.Count("part content/"+kind, false, "", t.at)
	}
}
