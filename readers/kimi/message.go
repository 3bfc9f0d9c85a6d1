package kimi

import (
	"cmp"
	"html"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// appended handles a message outside of the steps. While a step is open, the message
// waits for the step's results, as in Kimi Code's own memory (FORMAT.md §4).
func (w *wire) appended(v *fastjson.Value) {
	message := v.Get("message")
	if message == nil || message.Type() != fastjson.TypeObject {
		return
	}
	id := readers.Text(message, "id")
	if id != "" && w.talk.seen[id] {
		return // a repeated line
	}
	s := &said{Message: &tables.Message{UUID: id, Timestamp: w.talk.at, Line: w.talk.line}, record: w.talk.record}
	origin := message.Get("origin")
	kind := w.talk.words.Of(origin.GetStringBytes("kind"))
	if id == "" {
		s.UUID = w.talk.name(cmp.Or(kind, readers.Text(message, "role")))
	}
	w.talk.seen[s.UUID] = true
	c := w.talk.content(message.Get("content"))
	s.Text, s.Thinking = c.text(), strings.Join(c.thinking, "\n\n")
	w.of(s, kind, origin, message, &c)
	s.Extra = readers.Object(c.extra)
	if open := w.open(); open != nil {
		open.after = append(open.after, s)
		return
	}
	w.appendedNow(s, message)
}

// appendedNow emits a message, and the calls of an answer, or a call's result, that
// stand in it: such messages are copies, or come from kimi-cli's older sessions.
func (w *wire) appendedNow(s *said, message *fastjson.Value) {
	w.talk.say(s)
	switch {
	case s.Kind == tables.KindResponse:
		for _, one := range message.GetArray("toolCalls") {
			w.quotedCall(one)
		}
	case s.Kind == tables.KindToolResult:
		w.quotedResult(message)
	}
}

// of sets the kind of a message by its origin (FORMAT.md §4).
func (w *wire) of(s *said, kind string, origin, message *fastjson.Value, c *content) {
	role := readers.Text(message, "role")
	s.Role, s.Kind = tables.RoleUser, tables.KindInjected
	switch kind {
	case "user", "":
		w.talk.spoken(s, role, origin)
	case "shell_command":
		s.Kind, s.Text = typedShell(readers.Text(origin, "phase"), s.Text)
	case "injection":
		variant := readers.Text(origin, "variant")
		c.extra.Text("variant", variant)
		s.owner = readers.Text(origin, "ownerPromptId")
		s.aside = true
		switch variant {
		case "interruption":
			s.Kind = tables.KindInterruption
		case "btw":
			w.about.side, s.isOwn = true, true
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
		w.talk.kinds.Count("origin content/"+kind, false, "", w.talk.at)
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
	w.talk.begun = true
	id := turnID(v)
	if readers.Bool(v, "origin", "inTurn") && (id == "" || id == w.turn.id) {
		return
	}
	w.close()
	w.failedTurn()
	w.turn = turn{id: id, begins: w.talk.words.Of(v.GetStringBytes("origin", "kind"))}
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

// spoken handles a message without an origin but a person's: a prompt, or what a copy
// repeats of the conversation.
func (t *talk) spoken(s *said, role string, origin *fastjson.Value) {
	switch {
	case role == "assistant":
		s.Role, s.Kind = tables.RoleAssistant, tables.KindResponse
	case role == "tool":
		s.Kind, s.Text = tables.KindToolResult, ""
	case role == "system":
		s.Role = tables.RoleSystem
	case t.about.agent == mainAgent || origin != nil: // a parent's words have another origin
		s.Kind = tables.KindPrompt
		s.isAnchor = !origin.GetBool("inTurn")
		t.prompt = s
	}
}

// completed handles the end of a prompt. A hook may have blocked it, before a turn
// began.
func (t *talk) completed(v *fastjson.Value) {
	if p := t.prompt; p != nil && readers.Text(v, "reason") == "blocked" && p.UUID == readers.Text(v, "promptId") {
		p.Extra = `{"blocked":true}`
	}
}
