package claude

import (
	"strings"

	"hindsql/readers"
	"hindsql/tables"
)

// handleUser handles a user line: tool results, a marker, a summary, or text from a
// person or from Claude Code itself (FORMAT.md §3.3).
func (t *transcript) handleUser(r *record) {
	t.parts = t.parser.parseBlocks(t.parts[:0], r.Get("message", "content"))
	parts := t.parts
	m := t.message(r, tables.RoleUser, "")
	var extra readers.Extra
	texts, images := t.contentOf(r, parts)
	extra.Images(images)
	m.Text = strings.Join(texts, "\n\n")
	switch {
	case r.results > 0:
		m.Kind = tables.KindToolResult
		t.handleComment(r, m, parts, texts, &extra)
	case r.GetBool("isCompactSummary"):
		m.Kind = tables.KindSummary
	case r.GetBool("isMeta"):
		m.Kind = tables.KindInjected
		if m.Text == afterDeath {
			t.endings.addGoOn(t.chain.nearestMessage(r.parent))
		}
	case isMarker(r, parts) && t.followsUnreadableAnswer(r):
		m.Kind, r.afterUnreadable = tables.KindInjected, true
	case isMarker(r, parts) && t.agent && t.facts.kind != tables.SessionSubagent:
		m.Kind = tables.KindInjected // Claude Code ends a helper by itself, for example because the person types on
	case isMarker(r, parts):
		m.Kind = tables.KindInterruption
	default:
		for _, text := range texts {
			handleNotification(r, text, t.calls)
		}
		t.setTypedKind(r, m, parseTexts(texts, len(images) > 0), &extra)
	}
	m.Extra = readers.Object(extra)
	t.emitUserMessage(r, m, parts)
}

// contentOf returns the texts and images of a user's line or queued prompt.
func (t *transcript) contentOf(r *record, parts []block) (texts []string, images []readers.Image) {
	for _, b := range parts {
		switch b.kind {
		case "text":
			texts = append(texts, b.text)
		case "image", "document":
			images = append(images, imageOf(b))
		case "tool_result":
			r.results++
		default:
			t.kinds.Count("user content/"+b.kind, false, r.version, r.at)
		}
	}
	return texts, images
}

// setTypedKind sets the kind of a line that a person may have typed. For typed text, it
// moves the text added by Claude Code into extra. Other text stays unchanged.
func (t *transcript) setTypedKind(r *record, m *tables.Message, s userText, extra *readers.Extra) {
	if m.Kind, m.TypedBy = t.typedKind(r, s); m.Kind != s.kind {
		return
	}
	m.Text, m.TypedText = s.text, unwrapPastes(s.text)
	if len(s.injected) > 0 {
		extra.Set("injected", s.injected)
	}
}

func (t *transcript) emitUserMessage(r *record, m *tables.Message, parts []block) {
	if plan, planned := t.clearByPlan(r, m); planned {
		m.Kind = tables.KindInjected // written by the plan dialog, not typed
		delete(t.chain.prompts, "")
		t.emit(plan)
		if !plan.InSession {
			t.clearedAt = r.at
		}
	}
	switch m.Kind {
	case tables.KindPrompt, tables.KindCommand, tables.KindInterruption:
		t.outages = nil
	}
	m.BeginsTurn = r.kind == "user" && beginsTurn(r, m)
	t.emitMessage(r, m)
	if r.afterUnreadable {
		t.emitUnreadableAnswer(r)
	}
	switch m.Kind {
	case tables.KindInterruption:
		t.emitInterruption(r, m)
	case tables.KindSummary:
		t.emitCompaction(r, m)
	case tables.KindCommand:
		t.emitClear(r, m)
	case tables.KindPrompt:
		t.hasSpoken = true
	}
	for _, b := range parts {
		if b.kind == "tool_result" {
			t.handleResult(r, b)
		}
	}
}

// handleAttachment handles an attachment line: context that Claude Code added. Only a
// prompt typed while the agent worked becomes a message (FORMAT.md §3.4).
func (t *transcript) handleAttachment(r *record) {
	a := r.Get("attachment")
	for _, b := range t.parser.parseBlocks(nil, a.Get("prompt")) {
		handleNotification(r, b.text, t.calls)
	}
	if readers.Text(a, "type") != "queued_command" || !t.queuedPrompt(r) {
		t.chain.addSkipped(r)
		t.handleHook(r, a)
		return
	}
	m := t.message(r, tables.RoleUser, "")
	texts, images := t.contentOf(r, t.parser.parseBlocks(nil, a.Get("prompt")))
	extra := readers.Extra{"queued": true}
	extra.Images(images)
	m.Text = strings.Join(texts, "\n\n")
	t.setTypedKind(r, m, parseTexts(texts, len(images) > 0 || strings.TrimSpace(m.Text) == ""), &extra)
	m.Extra = readers.Object(extra)
	t.emitMessage(r, m)
}

// queuedPrompt reports whether an attachment is a prompt from the queue that has no
// line of its own. Notifications of tasks are queued, too, but they are no prompts.
func (t *transcript) queuedPrompt(r *record) bool {
	mode := string(r.GetStringBytes("attachment", "commandMode"))
	source := readers.Text(r.Value, "attachment", "source_uuid")
	return (mode == "prompt" || mode == "") && !r.GetBool("attachment", "isMeta") && (source == "" || !t.chain.hasMessage(source))
}
