package grok

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// reminder begins a text that the program wrote in the user's place, as when a
// subagent in the background is done (FORMAT.md §2).
const reminder = "<system-reminder>"

// userSaid handles a line of the user's side: a prompt, a command, the program's words,
// or words typed while the model worked (FORMAT.md §2).
func (l *log) userSaid(u *update) {
	text, image := contentOf(u.Get("content"))
	index := readers.JSON(u.Get("_meta", "promptIndex"))
	if l.turn.goesOn(u, index) {
		l.turn.add(text, image, u)
		return
	}
	switch shell := readers.Text(u.Value, "content", "_meta", "bash_command"); {
	case shell != "":
		t := l.begin(u)
		t.prompt, t.shell = l.say(l.side(u.message(tables.RoleUser, tables.KindCommand, "!"+shell))), shell
		return
	case u.hosted():
		l.begin(u).prompt = l.say(l.side(u.message(tables.RoleUser, tables.KindCommand, text)))
		return
	case index == "" && l.turn != nil:
		l.interjected(u, text, image)
		return
	}
	t := l.begin(u)
	t.model, t.index = l.words.Of(u.GetStringBytes("_meta", "modelId")), index
	if n := readers.Int(u.Value, "_meta", "promptIndex"); n.OK {
		if gone := l.rewinds.takeBack(n.Value); gone != nil {
			l.in.Emit(gone)
		}
		l.rewinds.prompt(n.Value)
	}
	m := u.message(tables.RoleUser, l.promptKind(u, text), text)
	m.Extra = image.extra()
	m.BeginsTurn = m.Kind == tables.KindInjected && l.session.Kind == tables.SessionMain
	t.prompt = l.say(l.side(m))
	t.lastPrompt, t.partAt = cmp.Or(u.id, "-"), u.at
	l.typed = l.typed || m.Kind == tables.KindPrompt
}

// partsApart is the longest time between two parts of a prompt. A prompt that Ctrl-C took
// back before the model answered has the number of the next one, too.
const partsApart = time.Second

// goesOn reports whether a line has a further part of the turn's prompt.
func (t *turn) goesOn(u *update, index string) bool {
	if t == nil || t.lastPrompt == "" || t.prompt == nil {
		return false
	}
	return t.lastPrompt == u.id || index != "" && index == t.index && !u.at.After(t.partAt.Add(partsApart))
}

// hosted reports whether a line is a slash command's, or its output: the model took no
// part.
func (u *update) hosted() bool { return u.GetBool("_meta", "hostTurn") }

// promptKind tells prompts from the program's words, which it hides, and from the task of
// a subagent, which its parent gave.
func (l *log) promptKind(u *update, text string) string {
	if l.session.Kind == tables.SessionSubagent || u.GetBool("_meta", "hideFromScrollback") || strings.HasPrefix(text, reminder) {
		return tables.KindInjected
	}
	return tables.KindPrompt
}

// madeBy begins the ids of prompts that the program made itself.
var madeBy = []string{"scheduler-fired-", "plan-resume-"}

// called notes the id of the turn's prompt, which tells whether somebody typed it.
func (t *turn) called(id string) {
	made := slices.ContainsFunc(madeBy, func(start string) bool { return strings.HasPrefix(id, start) })
	if made && t.index != "" && t.prompt.Kind == tables.KindPrompt {
		t.prompt.Kind, t.prompt.BeginsTurn = tables.KindInjected, true
	}
}

// interjected handles words typed while the model worked. The words of a refusal stand
// twice, and are the refusal's reason: no prompt (FORMAT.md §4.1).
func (l *log) interjected(u *update, text string, image picture) {
	t := l.turn
	if text != "" && t.aside == text {
		t.aside = "" // the second copy
		return
	}
	m := u.message(tables.RoleUser, l.promptKind(u, text), text)
	t.aside, t.response = "", nil
	switch a := l.events.answeredBy(t.began, u.at); {
	case a != nil:
		m.Kind, t.aside, a.words, a.typed = tables.KindInjected, text, text, m
		if t.refused == nil {
			t.early++
		}
		t.refused = nil
	case t.refused != nil: // no event tells, but the call's end
		m.Kind, t.aside, t.refused = tables.KindInjected, text, nil
	default:
		m.Extra = image.extra()
		t.prompt, t.lastPrompt, t.index = m, cmp.Or(u.id, "-"), ""
		l.typed = l.typed || m.Kind == tables.KindPrompt
	}
	l.say(l.side(m))
}

// add adds a further part of a prompt: its parts have lines of their own.
func (t *turn) add(text string, image picture, u *update) {
	if m := t.prompt; text != "" {
		if m.Text != "" {
			m.Text += "\n"
		}
		m.Text += text
	}
	if image != (picture{}) {
		t.prompt.Extra = image.extra()
	}
	t.lastPrompt, t.partAt = cmp.Or(u.id, "-"), u.at
}

// picture describes an image in a prompt.
type picture readers.Image

func (p picture) extra() string {
	if p == (picture{}) {
		return ""
	}
	return readers.Object(map[string]any{"images": []readers.Image{readers.Image(p)}})
}

// contentOf returns the text of a block, or what is kept of an image.
func contentOf(v *fastjson.Value) (text string, image picture) {
	switch readers.Text(v, "type") {
	case "image", "audio":
		return "", picture(readers.ImageOf(strings.ToValidUTF8(readers.Text(v, "mimeType"), "\uFFFD"), v.GetStringBytes("data")))
	case "resource_link":
		return readers.FirstText(v, "uri", "name"), image
	case "resource":
		return readers.Text(v, "resource", "text"), image
	}
	return readers.Text(v, "text"), image
}

// side marks the messages of a subagent's session.
func (s *summary) side(m *tables.Message) *tables.Message {
	m.IsSidechain = s.session.Kind == tables.SessionSubagent
	return m
}

// modelSaid handles a block of an answer: its text, or the thinking. Each block has one
// line, written at the block's end (FORMAT.md §2).
func (l *log) modelSaid(u *update) {
	t := l.current(u)
	if u.hosted() {
		text, _ := contentOf(u.Get("content"))
		l.say(l.side(u.message(tables.RoleUser, tables.KindCommandOutput, text)))
		return
	}
	t.refused, t.aside = nil, ""
	m := l.part(t, u)
	m.UUID = u.id
	if u.kind == "agent_thought_chunk" {
		m.Thinking, _ = contentOf(u.Get("content"))
	} else {
		m.Text, _ = contentOf(u.Get("content"))
	}
	l.say(m)
}

// part returns a part of the answer to which a line belongs, without text. Lines of one
// answer share the time at which the model began it.
func (l *log) part(t *turn, u *update) *tables.Message {
	id := ""
	t.called(readers.Text(u.meta, "promptId"))
	if began := readers.Int(u.meta, "streamStartMs"); began.OK {
		id = readers.Text(u.meta, "promptId") + "@" + strconv.FormatInt(began.Value, 10)
	}
	m := u.message(tables.RoleAssistant, tables.KindResponse, "")
	m.UUID = ""
	m.Model = t.model
	if m.MessageID = id; t.response != nil {
		m.MessageID = cmp.Or(id, t.response.MessageID)
	}
	m.MessageID = cmp.Or(m.MessageID, u.id)
	if t.response == nil || t.response.MessageID != m.MessageID {
		t.response, t.last = m, m
		t.answers++
	}
	return l.side(m)
}

// toResponse returns to an answer, to which the next calls belong.
func (l *log) toResponse(m *tables.Message, u *update) {
	if m == nil || l.now == m || l.now != nil && l.now.Kind == tables.KindResponse && l.now.MessageID == m.MessageID {
		return
	}
	l.say(&tables.Message{
		MessageID: m.MessageID, Role: m.Role, Kind: m.Kind, Model: m.Model, IsSidechain: m.IsSidechain, Timestamp: u.at, Line: u.line,
	})
}
