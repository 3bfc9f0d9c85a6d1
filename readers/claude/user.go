package claude

import (
	"cmp"
	"strings"

	"hindsql/readers"
	"hindsql/tables"
)

// user takes a user line: tool results, the marker of an interruption, a
// summary, or text from a person or from the agent's machinery (§3.4).
func (t *transcript) user(r *record) {
	parts := blocks(r.Get("message", "content"))
	m := t.message(r, tables.RoleUser, "")
	var texts []string
	var images []readers.Image
	results := false
	for _, b := range parts {
		switch b.kind {
		case "text":
			texts = append(texts, b.text)
		case "tool_result":
			results = true
		case "image", "document":
			images = append(images, imageOf(b))
		default:
			t.kinds.Count("user content/"+b.kind, false, r.version, r.at)
		}
	}
	m.Text = strings.Join(texts, "\n\n")
	if len(images) > 0 {
		m.Extra = readers.Object(map[string]any{"images": images})
	}
	m.Kind = t.userKind(r, texts, results, len(images) > 0)
	t.userMessage(r, m, parts)
}

func (t *transcript) userMessage(r *record, m *tables.Message, parts []block) {
	plan, planned := t.acceptedPlan(r, m)
	if planned {
		m.Kind = tables.KindInjected // written by the plan dialog, not typed
		t.emit(plan)
	}
	t.say(r, m)
	switch m.Kind {
	case tables.KindInterruption:
		t.interruption(r, m)
	case tables.KindSummary:
		t.summary(r, m)
	case tables.KindCommand:
		t.clearCommand(r, m)
	case tables.KindPrompt:
		t.spoken = true
	}
	for _, b := range parts {
		if b.kind == "tool_result" {
			t.result(r, b)
		}
	}
}

// userKind says what a user line is.
func (t *transcript) userKind(r *record, texts []string, results, images bool) string {
	switch {
	case results:
		return tables.KindToolResult
	case r.GetBool("isCompactSummary"):
		return tables.KindSummary
	case r.GetBool("isMeta"):
		return tables.KindInjected
	case isInterruption(texts):
		return tables.KindInterruption
	}
	// A prompt may stand beside, or behind, what the agent put into its line.
	kind := ""
	for _, text := range texts {
		if k := textKind(text); k == tables.KindPrompt || kind == "" {
			kind = k
		}
	}
	if kind == "" && images {
		kind = tables.KindPrompt
	}
	if kind == tables.KindPrompt && (t.agent || r.sidechain || !typed(r)) {
		return tables.KindInjected // a parent agent, a task or a peer wrote it
	}
	return cmp.Or(kind, tables.KindInjected)
}

// typed says whether a line's text may come from a person (§3.1 origin, promptSource).
func typed(r *record) bool {
	switch string(r.GetStringBytes("origin", "kind")) {
	case "", "human":
	default:
		return false
	}
	return string(r.GetStringBytes("promptSource")) != "system"
}

// isInterruption: the marker is the whole of the line; prompts and results
// that quote it are common (§7).
func isInterruption(texts []string) bool {
	return len(texts) == 1 && (texts[0] == interruptPlain || texts[0] == interruptTool)
}

// textKinds by how a text begins (§3.4).
var textKinds = []struct{ prefix, kind string }{
	{"<command-name>", tables.KindCommand},
	{"<command-message>", tables.KindCommand},
	{"<bash-input>", tables.KindCommand},
	{"<local-command-stdout>", tables.KindCommandOutput},
	{"<local-command-stderr>", tables.KindCommandOutput},
	{"<bash-stdout>", tables.KindCommandOutput},
	{"<bash-stderr>", tables.KindCommandOutput},
	{"<local-command-caveat>", tables.KindInjected},
	{"Caveat: The messages below", tables.KindInjected},
	{"<task-notification>", tables.KindInjected},
	{"<teammate-message", tables.KindInjected},
	{"<user-prompt-submit-hook>", tables.KindInjected},
	{"Stop hook feedback:", tables.KindInjected},
	{"Operation stopped by hook:", tables.KindInjected},
	{"This session is being continued from a previous conversation", tables.KindInjected},
}

// asides are tags that the agent puts before a typed text.
var asides = []string{"system-reminder", "ide_opened_file", "ide_selection", "ide_diagnostics"}

func textKind(text string) string {
	text = strings.TrimSpace(text)
	for _, tag := range asides {
		for strings.HasPrefix(text, "<"+tag) {
			_, after, closed := strings.Cut(text, "</"+tag+">")
			if text = strings.TrimSpace(after); !closed || text == "" {
				return tables.KindInjected
			}
		}
	}
	for _, k := range textKinds {
		if strings.HasPrefix(text, k.prefix) {
			return k.kind
		}
	}
	if text == "" {
		return ""
	}
	return tables.KindPrompt
}

// interruption is the marker line (§7). What was cut is told by the result
// that came before it: a refusal with STOP, a tool cut while it ran, or neither.
func (t *transcript) interruption(r *record, m *tables.Message) {
	i := &tables.Interruption{
		Type:         tables.InterruptedByUser,
		Phase:        tables.PhaseResponse,
		CutUUID:      t.chain.visible(r.parent),
		CutMessageID: readers.Text(r.Value, "interruptedMessageId"),
		Marker:       m.Text,
		Evidence:     tables.EvidenceRecorded,
		Confidence:   1,
		Timestamp:    r.at,
	}
	if m.Text == interruptTool {
		i.Phase = tables.PhaseTool
	}
	t.cut(i)
	if t.agent || r.sidechain {
		i.Phase = tables.PhaseSubagent // it repeats the parent's
	}
	if r.GetBool("interruptedByShutdown") {
		i.Type = tables.InterruptedBySystem
	}
	t.stopped = nil
	t.emit(i)
}

// cut fills in the call that an interruption cut, by the result before it.
func (t *transcript) cut(i *tables.Interruption) {
	if stop := t.stops[i.CutUUID]; stop != nil {
		i.Phase, i.ToolUseID = tables.PhaseApproval, stop.ToolUseID
		i.PairedRejection = stop.Status == tables.StatusRejected
	} else if cut := t.cutTools[i.CutUUID]; cut != nil {
		i.Phase, i.ToolUseID = tables.PhaseTool, cut.ToolUseID
		i.PartialOutput = partialOutput(cut.Output)
	}
}

// partialOutput is what a cut tool had printed: the text around the marker.
func partialOutput(output string) string {
	_, rest := exitCode(output)
	return strings.TrimSpace(strings.TrimPrefix(rest, interruptTool))
}

// attachment takes a line of injected context. Only a prompt that was typed
// while the agent worked is a message (§3.4).
func (t *transcript) attachment(r *record) {
	a := r.Get("attachment")
	if readers.Text(a, "type") != "queued_command" || !t.queuedPrompt(r) {
		t.chain.pass(r)
		return
	}
	m := t.message(r, tables.RoleUser, tables.KindPrompt)
	var texts []string
	for _, b := range blocks(a.Get("prompt")) {
		texts = append(texts, b.text)
	}
	m.Text = strings.Join(texts, "\n\n")
	if k := textKind(m.Text); k != "" {
		m.Kind = k
	}
	if m.Kind == tables.KindPrompt && (t.agent || r.sidechain) {
		m.Kind = tables.KindInjected
	}
	m.Extra = `{"queued":true}`
	t.say(r, m)
}

// queuedPrompt: a task's notification is queued likewise, and a prompt that
// became a line of its own is not told twice.
func (t *transcript) queuedPrompt(r *record) bool {
	mode := string(r.GetStringBytes("attachment", "commandMode"))
	source := readers.Text(r.Value, "attachment", "source_uuid")
	return (mode == "prompt" || mode == "") && (source == "" || !t.chain.has(source))
}
