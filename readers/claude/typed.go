package claude

import (
	"cmp"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/internal/pattern"
	"hindsql/readers"
	"hindsql/tables"
)

// userText is the text of a user line, split into typed and injected text.
type userText struct {
	kind     string
	text     string   // of a prompt or command, the typed text; otherwise all text
	injected []string // texts beside the typed text that no person typed
}

// parseTexts splits a line's text blocks into typed and injected text. It looks at each
// block separately: Claude Code puts blocks of its own before a typed block, and
// several queued inputs are several blocks. An image without text counts as typed.
func parseTexts(texts []string, images bool) userText {
	var typed, asides, rest []string
	kind, other := "", ""
	for _, text := range texts {
		put, text := splitInjected(text)
		asides = append(asides, put...)
		switch k := textKind(text); k {
		case "":
		case tables.KindPrompt:
			typed, kind = append(typed, unwrapMidTurn(text)), k
		case tables.KindCommand:
			typed, kind = append(typed, commandText(text)), cmp.Or(kind, k)
		default:
			rest, other = append(rest, text), cmp.Or(other, k)
		}
	}
	switch {
	case kind != "":
		return userText{kind, strings.Join(typed, "\n\n"), append(asides, rest...)}
	case images && other == "":
		return userText{tables.KindPrompt, "", asides}
	}
	return userText{cmp.Or(other, tables.KindInjected), strings.Join(texts, "\n\n"), nil}
}

// injectedTags lists the tags that Claude Code or an editor puts before a typed text.
var injectedTags = []string{"system-reminder", "ide_opened_file", "ide_selection", "ide_diagnostics", "uploaded_files"}

// splitInjected splits a block into Claude Code's tags (put) and the text after them. A
// tag counts only if it is closed: a person who mentions a tag usually doesn't close
// it.
func splitInjected(text string) (put []string, rest string) {
	rest = text
	for {
		trimmed := strings.TrimSpace(rest)
		end := injectedTagEnd(trimmed)
		if end == 0 {
			return put, rest
		}
		put, rest = append(put, trimmed[:end]), strings.TrimSpace(trimmed[end:])
	}
}

// injectedTagEnd returns the end of the tag at the start of a text; 0 if the text
// starts with no tag.
func injectedTagEnd(text string) int {
	for _, tag := range injectedTags {
		if !strings.HasPrefix(text, "<"+tag) {
			continue
		}
		closing := "</" + tag + ">"
		if at := strings.Index(text, closing); at >= 0 {
			return at + len(closing)
		}
	}
	return 0
}

// textKinds maps the beginnings of texts to kinds (FORMAT.md §3.3).
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
	{"Unknown skill: ", tables.KindInjected},
	{"This session is being continued from a previous conversation", tables.KindInjected},
}

// textKind returns the kind of a text without injected tags; empty for a blank text.
func textKind(text string) string {
	text = strings.TrimSpace(text)
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

// Claude Code wraps a text typed while the agent worked: midTurn stands before it, and
// one of the other two after it, depending on the version.
const (
	midTurn      = "The user sent a new message while you were working:\n"
	midTurnTask  = "\n\nIMPORTANT: After completing your current task, you MUST address the user's message above."
	midTurnOther = "\n\nThis is how Claude Code surfaces "
)

func unwrapMidTurn(text string) string {
	inner, wrapped := strings.CutPrefix(strings.TrimSpace(text), midTurn)
	if !wrapped {
		return text
	}
	for _, tail := range []string{midTurnTask, midTurnOther} {
		if at := strings.LastIndex(inner, tail); at >= 0 {
			inner = inner[:at]
		}
	}
	return inner
}

// pastedPart matches a part that a person pasted into a prompt (FORMAT.md §3.3).
var pastedPart = pattern.Lazy(`(?s)<pasted_content id="[0-9a-f]{4}">\n(.*?)\n?</pasted_content id="[0-9a-f]{4}">`)

// unwrapPastes returns a text without the tags around its pasted parts; empty if it has
// none.
func unwrapPastes(text string) string {
	if !strings.Contains(text, "<pasted_content ") || !pastedPart.MatchString(text) {
		return ""
	}
	return strings.TrimSpace(pastedPart.ReplaceAllString(text, "$1"))
}

var (
	commandName = pattern.Lazy(`(?s)<command-name>\s*(.*?)\s*</command-name>`)
	commandArgs = pattern.Lazy(`(?s)<command-args>\s*(.*?)\s*</command-args>`)
	bashInput   = pattern.Lazy(`(?s)^\s*<bash-input>(.*)</bash-input>\s*$`)
)

// commandText returns a command as the user typed it; the log writes commands as tags.
// A truncated text, or a text with unknown tags, stays unchanged.
func commandText(text string) string {
	if m := bashInput.FindStringSubmatch(text); m != nil {
		return "!" + strings.TrimSpace(m[1])
	}
	name := commandName.FindStringSubmatch(text)
	if name == nil || name[1] == "" {
		return text
	}
	command := "/" + strings.TrimPrefix(name[1], "/") // 2.0.x wrote some without the slash
	if args := commandArgs.FindStringSubmatch(text); args != nil && args[1] != "" {
		command += " " + args[1]
	}
	return command
}

// planStart begins the prompt that Claude Code writes when a person accepts a plan and
// clears the context. A person may type a prompt with the same beginning; newer
// versions record who wrote it.
const planStart = "Implement the following plan:"

// typedBy returns who typed a line (FORMAT.md §3.4): [tables.TypedByHuman],
// [tables.TypedBySDK], "scheduled", or Claude Code's own word for a text that it wrote
// itself. If several fields say it, the newest kind of field decides.
func typedBy(r *record) string {
	if origin := readers.Text(r.Value, "turnOrigin"); origin != "" {
		return origin
	}
	if !readers.IsNull(r.Get("scheduledTaskId")) {
		return "scheduled"
	}
	for _, path := range [][]string{{"origin", "kind"}, {"attachment", "origin", "kind"}} {
		if origin := readers.Text(r.Value, path...); origin != "" {
			return origin
		}
	}
	entrypoint := readers.Text(r.Value, "entrypoint")
	switch source := readers.Text(r.Value, "promptSource"); source {
	case "typed", "queued", "suggestion_accepted":
		return tables.TypedByHuman
	case "", tables.TypedBySDK:
		isWindow := entrypoint == "claude-desktop" || entrypoint == "claude-vscode" // a person types there
		if isWindow || source == "" && !strings.HasPrefix(entrypoint, "sdk") {
			return tables.TypedByHuman
		}
		return tables.TypedBySDK
	default:
		return source
	}
}

// isPromptSource reports whether this typist's texts are prompts: it is a person, a
// program in a person's place, or a schedule.
func isPromptSource(typist string) bool {
	return typist == tables.TypedByHuman || typist == tables.TypedBySDK || typist == "scheduled"
}

// neverTyped lists fields that mark lines written by Claude Code itself.
var neverTyped = []string{"wakeupSource", "turnCompanion"}

// typedKind returns the kind of a line: the kind of its texts or, if no person typed
// them, injected. by is the typist of a prompt or command; empty for a person.
func (t *transcript) typedKind(r *record, s userText) (kind, by string) {
	if s.kind != tables.KindPrompt && s.kind != tables.KindCommand {
		return s.kind, ""
	}
	by = typedBy(r)
	put := !isPromptSource(by) || s.kind == tables.KindPrompt && (t.agent || r.sidechain || isPlan(r, s.text))
	for _, flag := range neverTyped {
		v := r.Get(flag)
		put = put || !readers.IsNull(v) && v.Type() != fastjson.TypeFalse
	}
	if put {
		return tables.KindInjected, ""
	}
	if by == tables.TypedByHuman {
		by = ""
	}
	return s.kind, by
}

// afterDeath is the text that Claude Code writes in the user's role when it is
// restarted after a crash.
const afterDeath = "Continue from where you left off."

// beginsTurn reports whether an injected line begins a turn, because Claude Code goes
// on without a prompt.
func beginsTurn(r *record, m *tables.Message) bool {
	if m.Kind != tables.KindInjected || m.Role != tables.RoleUser {
		return false
	}
	switch {
	case m.Text == afterDeath:
		return true
	case r.GetBool("isMeta"):
		return false
	}
	by := typedBy(r)
	return by == "auto_continuation" || by == "auto-continuation" || by == "task_notification" || by == "task-notification"
}

// isPlan reports whether Claude Code's dialog for accepting a plan wrote the text.
func isPlan(r *record, text string) bool {
	if len(r.GetStringBytes("planContent")) > 0 {
		return true
	}
	return strings.HasPrefix(text, planStart+"\n") && readers.Text(r.Value, "promptSource") != "typed"
}
