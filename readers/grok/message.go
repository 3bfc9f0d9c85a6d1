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

// userMessage handles a line of the user's side: a prompt, a command, the program's
// words, or words typed while the model worked (FORMAT.md §2).
func (l *log) userMessage(u *update) {
	text, image := contentOf(u.Get("content"))
	index := readers.JSON(u.Get("_meta", "promptIndex"))
	if l.turn.continuesPrompt(u, index) {
		l.turn.addPart(text, image, u)
		return
	}
	switch shell := readers.Text(u.Value, "content", "_meta", "bash_command"); {
	case shell != "":
		t := l.beginTurn(u)
		t.prompt, t.shell = l.emitMessage(l.markSidechain(u.message(tables.RoleUser, tables.KindCommand, "!"+shell))), shell
		return
	case u.isHosted():
		l.beginTurn(u).prompt = l.emitMessage(l.markSidechain(u.message(tables.RoleUser, tables.KindCommand, text)))
		return
	case index == "" && l.turn != nil:
		l.interjected(u, text, image)
		return
	}
	t := l.beginTurn(u)
	t.model, t.index = l.words.Intern(u.GetStringBytes("_meta", "modelId")), index
	if n := readers.Int(u.Value, "_meta", "promptIndex"); n.OK {
		if undone := l.rewinds.undoCancelled(n.Value); undone != nil {
			l.in.Emit(undone)
		}
		l.rewinds.addPrompt(n.Value)
	}
	m := u.message(tables.RoleUser, l.promptKind(u, text), text)
	m.Extra = image.extra()
	m.BeginsTurn = m.Kind == tables.KindInjected && l.session.Kind == tables.SessionMain
	t.prompt = l.emitMessage(l.markSidechain(m))
	t.lastPrompt, t.partAt = cmp.Or(u.id, "-"), u.at
	l.typed = l.typed || m.Kind == tables.KindPrompt
}

// partsApart is the longest time between two parts of a prompt. A prompt that Ctrl-C took
// back before the model answered has the number of the next one, too.
const partsApart = time.Second

// continuesPrompt reports whether a line has a further part of the turn's prompt.
func (t *turn) continuesPrompt(u *update, index string) bool {
	if t == nil || t.lastPrompt == "" || t.prompt == nil {
		return false
	}
	return t.lastPrompt == u.id || index != "" && index == t.index && !u.at.After(t.partAt.Add(partsApart))
}

// isHosted reports whether a line is a slash command's, or its output: the model took no
// part.
func (u *update) isHosted() bool { return u.GetBool("_meta", "hostTurn") }

// promptKind distinguishes prompts from the program's words, which it hides, and from
// the task of a subagent, which its parent gave.
func (l *log) promptKind(u *update, text string) string {
	if l.session.Kind == tables.SessionSubagent || u.GetBool("_meta", "hideFromScrollback") || strings.HasPrefix(text, reminder) {
		return tables.KindInjected
	}
	return tables.KindPrompt
}

// programPrompts begins the ids of prompts that the program made itself.
var programPrompts = []string{"scheduler-fired-", "plan-resume-"}

// markProgramPrompt marks a prompt that the program made itself, by its id.
func (t *turn) markProgramPrompt(id string) {
	made := slices.ContainsFunc(programPrompts, func(start string) bool { return strings.HasPrefix(id, start) })
	if made && t.index != "" && t.prompt.Kind == tables.KindPrompt {
		t.prompt.Kind, t.prompt.BeginsTurn = tables.KindInjected, true
	}
}

// interjected handles words typed while the model worked. The words of a refusal stand
// twice, and are the refusal's reason: no prompt (FORMAT.md §4.1).
func (l *log) interjected(u *update, text string, image picture) {
	t := l.turn
	if text != "" && t.repeatedWords == text {
		t.repeatedWords = "" // the second copy
		return
	}
	m := u.message(tables.RoleUser, l.promptKind(u, text), text)
	t.repeatedWords, t.response = "", nil
	switch a := l.events.nextFollowUp(t.began, u.at); {
	case a != nil:
		m.Kind, t.repeatedWords, a.words, a.typed = tables.KindInjected, text, text, m
		if t.awaitingWords == nil {
			t.earlyWords++
		}
		t.awaitingWords = nil
	case t.awaitingWords != nil: // no event shows it, but the call's end
		m.Kind, t.repeatedWords, t.awaitingWords = tables.KindInjected, text, nil
	default:
		m.Extra = image.extra()
		t.prompt, t.lastPrompt, t.index = m, cmp.Or(u.id, "-"), ""
		l.typed = l.typed || m.Kind == tables.KindPrompt
	}
	l.emitMessage(l.markSidechain(m))
}

// addPart adds a further part of a prompt: its parts have lines of their own.
func (t *turn) addPart(text string, image picture, u *update) {
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

// markSidechain marks the messages of a subagent's session.
func (s *summary) markSidechain(m *tables.Message) *tables.Message {
	m.IsSidechain = s.session.Kind == tables.SessionSubagent
	return m
}

// modelMessage handles a block of an answer: its text, or the thinking. Each block has
// one line, written at the block's end (FORMAT.md §2).
func (l *log) modelMessage(u *update) {
	t := l.currentTurn(u)
	if u.isHosted() {
		text, _ := contentOf(u.Get("content"))
		l.emitMessage(l.markSidechain(u.message(tables.RoleUser, tables.KindCommandOutput, text)))
		return
	}
	t.awaitingWords, t.repeatedWords = nil, ""
	m := l.responsePart(t, u)
	m.UUID = u.id
	if u.kind == "agent_thought_chunk" {
		m.Thinking, _ = contentOf(u.Get("content"))
	} else {
		m.Text, _ = contentOf(u.Get("content"))
	}
	l.emitMessage(m)
}

// responsePart returns a part of the answer to which a line belongs, without text. Lines
// of one answer share the time at which the model began it.
func (l *log) responsePart(t *turn, u *update) *tables.Message {
	id := ""
	t.markProgramPrompt(readers.Text(u.meta, "promptId"))
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
	return l.markSidechain(m)
}

// returnTo returns to an answer, to which the next calls belong.
func (l *log) returnTo(m *tables.Message, u *update) {
	if m == nil || l.lastMessage == m || l.lastMessage != nil && l.lastMessage.Kind == tables.KindResponse && l.lastMessage.MessageID == m.MessageID {
		return
	}
	l.emitMessage(&tables.Message{
		MessageID: m.MessageID, Role: m.Role, Kind: m.Kind, Model: m.Model, IsSidechain: m.IsSidechain, Timestamp: u.at, Line: u.line,
	})
}
