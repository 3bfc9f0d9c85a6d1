package codex

import (
	"cmp"
	"slices"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/internal/pattern"
	"hindsql/readers"
	"hindsql/tables"
)

// injections lists the beginnings of texts that Codex itself adds as messages of the
// user (FORMAT.md §4.2).
var injections = []string{
	"<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<turn_aborted>", "<skill>",
	"<subagent_notification>", "<codex_internal_context", "<goal_context>", "<recommended_plugins>", "<user_action>",
	"<hook_prompt", "<permissions instructions>", "<collaboration_mode>", "<apps_instructions>", "<skills_instructions>",
	"Warning: apply_patch was requested via ", "Warning: The maximum number of unified exec processes",
	"Warning: Your account was flagged",
}

const shellInput = "<user_shell_command>"

// textKind returns the kind of a user's text; empty if there is no text.
func textKind(text string) string {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return ""
	case strings.HasPrefix(text, shellInput):
		return tables.KindCommand
	}
	for _, start := range injections {
		if strings.HasPrefix(text, start) {
			return tables.KindInjected
		}
	}
	return tables.KindPrompt
}

// userPart is one part of a user's item.
type userPart struct {
	text string
	kind string // a Kind constant
}

// wordKinds maps Codex's words for parts of a user's message to kinds, if a person may
// have given the part. Codex added parts with any other word itself.
var wordKinds = map[string]string{
	"user.text": tables.KindPrompt, "user.image": tables.KindPrompt, "shell.user_command": tables.KindCommand,
}

// userParts returns the parts of a user's item, and for each part the kind: typed or
// added by Codex. Codex's word for the part decides; without one, the beginning of the
// text does. It skips the tags around an image: Codex calls them user.text, but no
// person typed them.
func userParts(r *record) []userPart {
	if s := readers.Text(r.Value, "content"); s != "" {
		return []userPart{{s, textKind(s)}}
	}
	content := r.GetArray("content")
	words := r.GetArray("internal_chat_message_metadata_passthrough", "content_item_kinds")
	var parts []userPart
	for i, c := range content {
		text := readers.Text(c, "text")
		if strings.TrimSpace(text) == "" || imageTag.MatchString(text) && isNextToImage(content, i) {
			continue
		}
		kind := textKind(text)
		if len(words) == len(content) {
			kind = cmp.Or(wordKinds[readers.Text(words[i])], tables.KindInjected)
		}
		parts = append(parts, userPart{text, kind})
	}
	return parts
}

var imageTag = pattern.Lazy(`^(?:<image\b[^\n]*>|</image>)$`)

func isNextToImage(content []*fastjson.Value, i int) bool {
	isImage := func(i int) bool {
		return i >= 0 && i < len(content) && readers.Text(content[i], "type") == "input_image"
	}
	return isImage(i-1) || isImage(i+1)
}

// handleUserItem handles a user's response_item. It may hold both typed and injected text.
func (t *rollout) handleUserItem(r *record, images []readers.Image) {
	var typed, other []string
	kind := ""
	for _, p := range userParts(r) {
		if p.kind == tables.KindInjected {
			t.facts.addEnvironment(strings.TrimSpace(p.text))
			other = append(other, p.text)
			continue
		}
		kind = p.kind
		typed = append(typed, p.text)
	}
	if kind == "" && len(other) == 0 && len(images) > 0 {
		kind = tables.KindPrompt
	}
	if kind == "" {
		t.emitInjected(r, tables.RoleUser, strings.Join(other, "\n\n"))
		return
	}
	t.emitTypedItem(r, kind, typed, other, images)
}

// emitTypedItem emits a user's item with typed text, unless an earlier event already had
// the text.
func (t *rollout) emitTypedItem(r *record, kind string, typed, other []string, images []readers.Image) {
	text := strings.Join(typed, "\n\n")
	t.facts.setGuardedSession(text)
	if kind == tables.KindPrompt && t.prompts.consumeEventText(text, strings.Join(typed, "")) {
		t.advanceChain("user", text)
		return
	}
	m := t.newPrompt(r, text)
	extra := readers.Extra{}
	if len(other) > 0 {
		extra.Set("injected", other)
	}
	extra.Images(images)
	t.emitTyped(r, m, kind, text, extra)
	if kind == tables.KindPrompt {
		p := &t.prompts
		if p.waiting == nil {
			p.waiting = map[*tables.Message]bool{}
		}
		p.open = append(p.open, awaited{m, strings.TrimSpace(text), strings.TrimSpace(strings.Join(typed, ""))})
		p.waiting[m] = true
	}
}

// newPrompt makes a message for a text that a person seems to have typed.
func (t *rollout) newPrompt(r *record, text string) *tables.Message {
	t.flushPending()
	uuid := t.advanceChain("user", text)
	if t.replay.after {
		// Two forks may continue with the same words.
		uuid = hashOf(uuid, []string{t.id})
	}
	return &tables.Message{UUID: uuid, Role: tables.RoleUser, Timestamp: r.at, Line: r.line}
}

// emitTyped emits a prompt or a shell command.
func (t *rollout) emitTyped(r *record, m *tables.Message, kind, text string, extra readers.Extra) {
	m.Kind, m.Text = kind, text
	context, request, edited := splitContext(text)
	if edited && kind == tables.KindPrompt {
		m.Text = request
		extra.Set("ide_context", context)
	}
	if kind == tables.KindPrompt && t.facts.kind != tables.SessionMain && t.facts.kind != tables.SessionSide && !(edited && t.facts.hasTask) {
		m.Kind = tables.KindInjected // the parent's words
		t.facts.setTask(m.Text, t.replay.of != "")
	}
	m.Extra = readers.Object(extra)
	if kind == tables.KindPrompt {
		if len(t.turns) == 0 && t.facts.kind == tables.SessionMain && clearedPlan.MatchString(strings.TrimSpace(text)) {
			m.TypedBy, t.facts.clearedBy = typedByButton, m.UUID
		}
		t.addOpening(m, text)
		if t.hasPlan && isPlanButton(text) {
			m.TypedBy = typedByButton
		}
		t.hasPlan = false
		if !t.compaction.tasks { // otherwise a prompt may come in the middle of a turn
			t.nextTurn(r)
		}
		t.turn.prompted = true
		t.turns = append(t.turns, turnStart{len(t.uuids), m})
		t.compaction.addPrompt()
		if t.prompts.byText == nil {
			t.prompts.byText = map[string]string{}
		}
		t.prompts.byText[m.Text] = m.UUID
	}
	output := ""
	if kind == tables.KindCommand {
		if parts := shellCommand.FindStringSubmatch(text); parts != nil {
			m.Text, output = "!"+parts[1], parts[2]
		}
		if t.turn.shellCut = shellCut.MatchString(output); t.turn.shellCut && t.lastStop != nil && t.lastStop.CutNothing {
			t.lastStop.Phase = tables.PhaseTool
		}
	}
	t.emitMessage(m)
	if output != "" {
		t.emitMessage(&tables.Message{UUID: t.uuidWithoutItem("output"), Role: tables.RoleUser, Kind: tables.KindCommandOutput, Text: output, Timestamp: r.at, Line: r.line})
	}
}

// shellCommand matches a command that a person ran with "!", and what it printed
// (FORMAT.md §4.2).
var shellCommand = pattern.Lazy(`(?s)^\s*<user_shell_command>\s*<command>\n?(.*?)\n?</command>\s*(?:<result>\n?(.*?)\n?</result>\s*)?</user_shell_command>\s*$`)

var reviewedSession = pattern.Lazy(`(?m)^Reviewed Codex session id: (\S+)$`)

// setGuardedSession reads, from a guardian's first prompt, which session the guardian
// judges. If the head already names that session, setGuardedSession does nothing. A
// guardian is a model that reviews another session's calls.
func (f *sessionFacts) setGuardedSession(text string) {
	if f.kind != tables.SessionGuardian || f.parent != "" {
		return
	}
	if m := reviewedSession.FindStringSubmatch(text); m != nil {
		f.parent = m[1]
	}
}

// typedByButton marks a prompt sent by the button that accepts a plan.
const typedByButton = "plan_button"

// isPlanButton reports whether a prompt has the words that the button for accepting a
// plan sends. A person may type the same words; so the caller also checks that a plan
// came before.
func isPlanButton(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasPrefix(text, "PLEASE IMPLEMENT THIS PLAN:\n") || text == "Implement the plan."
}

// clearedPlan matches the first prompt of a session begun by the button "Yes, clear
// context and implement": a file with the plan or, in older versions, the plan itself
// (FORMAT.md §7.1).
var clearedPlan = pattern.Lazy(`^Read the approved plan at \S[^\n]*[/\\]attachments[/\\][0-9a-f-]{36}[/\\]approved-plan\.md and implement it\.\s*$` +
	`|^A previous agent produced the plan below to accomplish the user's \w+\. Implement the plan in a fresh context\. Treat the plan as the source of user intent, `)

// Headings in prompts that an editor completed: the first two begin the text that the
// editor put before the prompt, the last one stands before the prompt itself (FORMAT.md
// §4.2).
const (
	ideContext = "# Context from my IDE setup:"
	ideFiles   = "# Files mentioned by the user:"
	ideRequest = "## My request for Codex:\n"
)

func splitContext(text string) (context, request string, ok bool) {
	start := strings.TrimSpace(text)
	if !strings.HasPrefix(start, ideContext) && !strings.HasPrefix(start, ideFiles) {
		return "", "", false
	}
	at := strings.LastIndex(text, ideRequest)
	if at < 0 {
		return "", "", false
	}
	return text[:at], strings.TrimSpace(text[at+len(ideRequest):]), true
}

func (t *rollout) emitInjected(r *record, role, text string) {
	t.flushPending()
	t.emitMessage(&tables.Message{
		UUID: t.advanceChain(role, text), Role: role, Kind: tables.KindInjected,
		Text: text, Timestamp: r.at, Line: r.line,
	})
}

// prompts matches user_message events to items. If a file has these events but a user's
// item has none, Codex added the item, in words that injections doesn't list yet.
type prompts struct {
	open       []awaited                // prompts whose event hasn't come
	waiting    map[*tables.Message]bool // the messages in open
	eventTexts []string                 // texts of events whose item hasn't come
	events     bool                     // the file has user_message events
	byText     map[string]string        // uuid of each prompt
}

type awaited struct {
	*tables.Message
	text   string
	joined string // the parts without separator, as events of old formats write them
}

// matchesEvent reports whether an event's text is the text of the item, or a part of it.
func (a *awaited) matchesEvent(text string) bool {
	return a.text == text || a.joined == text || a.text == "" || text != "" && strings.Contains(a.text, text)
}

// handleUserEvent handles a user_message event, or the UserMessage item that replaces
// it in the paginated format (FORMAT.md §4.1).
func (t *rollout) handleUserEvent(r *record, text, kind string) {
	if kind != "" && kind != "plain" {
		return
	}
	p := &t.prompts
	p.events = true
	trimmed := strings.TrimSpace(text)
	first := firstRecent(len(p.open), func(i int) string { return p.open[i].text })
	for i := len(p.open) - 1; i >= first; i-- {
		if p.open[i].matchesEvent(trimmed) {
			delete(p.waiting, p.open[i].Message)
			p.open = slices.Delete(p.open, i, i+1)
			return
		}
	}
	if trimmed == "" {
		return
	}
	p.eventTexts = append(p.eventTexts, trimmed)
	t.emitTyped(r, t.newPrompt(r, text), tables.KindPrompt, text, map[string]any{})
}

func (p *prompts) consumeEventText(text, joined string) bool {
	text, joined = strings.TrimSpace(text), strings.TrimSpace(joined)
	for i := firstRecent(len(p.eventTexts), func(i int) string { return p.eventTexts[i] }); i < len(p.eventTexts); i++ {
		if s := p.eventTexts[i]; s == text || s == joined {
			p.eventTexts = slices.Delete(p.eventTexts, i, i+1)
			return true
		}
	}
	return false
}

// isDoubtful reports whether Codex may have written a prompt itself: the file has
// user_message events, but none for this prompt.
func (p *prompts) isDoubtful(m *tables.Message) bool { return p.events && p.waiting[m] }

// markInjected turns prompts without an event into injected messages.
func (p *prompts) markInjected() {
	if !p.events {
		return
	}
	for _, a := range p.open {
		a.Kind = tables.KindInjected
	}
}
