package claude

import (
	"cmp"
	"strings"

	"github.com/valyala/fastjson"

	"hindsql/readers"
	"hindsql/tables"
)

// said is what the texts of a user line come to.
type said struct {
	kind     string
	text     string   // of a prompt or a command as it was typed; else all of it
	injected []string // what stood beside typed text, and nobody typed
}

// readTexts judges each text block of a line by itself: the agent puts blocks
// of its own before a typed one, and several queued inputs are as many blocks.
// An image without a word is typed too.
func readTexts(texts []string, images bool) said {
	var typed, asides, rest []string
	kind, other := "", ""
	for _, text := range texts {
		put, text := splitAsides(text)
		asides = append(asides, put...)
		switch k := textKind(text); k {
		case "":
		case tables.KindPrompt:
			typed, kind = append(typed, unwrapped(text)), k
		case tables.KindCommand:
			typed, kind = append(typed, commandText(text)), cmp.Or(kind, k)
		default:
			rest, other = append(rest, text), cmp.Or(other, k)
		}
	}
	switch {
	case kind != "":
		return said{kind, strings.Join(typed, "\n\n"), append(asides, rest...)}
	case images && other == "":
		return said{tables.KindPrompt, "", asides}
	}
	return said{cmp.Or(other, tables.KindInjected), strings.Join(texts, "\n\n"), nil}
}

// asides are tags that the agent puts before a typed text.
var asides = []string{"system-reminder", "ide_opened_file", "ide_selection", "ide_diagnostics", "uploaded_files"}

// splitAsides parts a block into what the agent put before the text, and the
// text. Who writes of such a tag doesn't close it.
func splitAsides(text string) (put []string, rest string) {
	rest = text
	for {
		trimmed := strings.TrimSpace(rest)
		end := asideEnd(trimmed)
		if end == 0 {
			return put, rest
		}
		put, rest = append(put, trimmed[:end]), strings.TrimSpace(trimmed[end:])
	}
}

// asideEnd is where the tag that a text begins with ends; 0 where it begins
// with none.
func asideEnd(text string) int {
	for _, tag := range asides {
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

// textKinds by how a text begins (FORMAT.md §3.3).
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

// textKind is the kind of a text without asides; empty for a blank one.
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

// The wrapper round a text that was typed while the agent worked, and what
// versions put behind the text.
const (
	midTurn      = "The user sent a new message while you were working:\n"
	midTurnTask  = "\n\nIMPORTANT: After completing your current task, you MUST address the user's message above."
	midTurnOther = "\n\nThis is how Claude Code surfaces "
)

func unwrapped(text string) string {
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

var (
	commandName = readers.Lazy(`(?s)<command-name>\s*(.*?)\s*</command-name>`)
	commandArgs = readers.Lazy(`(?s)<command-args>\s*(.*?)\s*</command-args>`)
	bashInput   = readers.Lazy(`(?s)^\s*<bash-input>(.*)</bash-input>\s*$`)
)

// commandText is a command as it was typed, which the log writes as tags. One
// that is cut short, or tagged otherwise, stays as it is.
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

// planStart begins what an accepted plan with cleared context put in a
// person's place. A person may begin so too; newer versions say who did.
const planStart = "Implement the following plan:"

// typist is who typed a line (FORMAT.md §3.4): [tables.TypedByHuman], [tables.TypedBySDK], a
// schedule, or, in the agent's own words, machinery whose text is no prompt.
// The newest field that a version wrote decides.
func typist(r *record) string {
	if origin := readers.Text(r.Value, "turnOrigin"); origin != "" {
		return origin
	}
	if r.Get("scheduledTaskId") != nil {
		return "scheduled"
	}
	for _, path := range [][]string{{"origin", "kind"}, {"attachment", "origin", "kind"}} {
		if origin := readers.Text(r.Value, path...); origin != "" {
			return origin
		}
	}
	switch source := readers.Text(r.Value, "promptSource"); source {
	case "typed", "queued", "suggestion_accepted":
		return tables.TypedByHuman
	case "":
		if strings.HasPrefix(readers.Text(r.Value, "entrypoint"), "sdk") {
			return tables.TypedBySDK
		}
		return tables.TypedByHuman
	default:
		return source
	}
}

// begins says whether what a typist writes is a prompt: a person's, a program's
// in a person's place, or one that was laid down for a time.
func begins(typist string) bool {
	return typist == tables.TypedByHuman || typist == tables.TypedBySDK || typist == "scheduled"
}

// neverTyped are flags of lines that the agent wrote by itself.
var neverTyped = []string{"wakeupSource", "turnCompanion"}

// typedKind is what a line is whose texts come to the kind: the same, or
// injected, where nobody typed it. by is empty for a person.
func (t *transcript) typedKind(r *record, s said) (kind, by string) {
	if s.kind != tables.KindPrompt && s.kind != tables.KindCommand {
		return s.kind, ""
	}
	by = typist(r)
	put := !begins(by) || s.kind == tables.KindPrompt && (t.agent || r.sidechain || isPlan(r, s.text))
	for _, flag := range neverTyped {
		v := r.Get(flag)
		put = put || v != nil && v.Type() != fastjson.TypeNull && v.Type() != fastjson.TypeFalse
	}
	if put {
		return tables.KindInjected, ""
	}
	if by == tables.TypedByHuman {
		by = ""
	}
	return s.kind, by
}

// afterDeath is what the program puts in a person's place when it was started
// again behind its own death.
const afterDeath = "Continue from where you left off."

// beginsTurn says whether a line that nobody typed begins a turn of its own: the
// program goes on by itself.
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
	by := typist(r)
	return by == "auto_continuation" || by == "auto-continuation" || by == "task_notification" || by == "task-notification"
}

// isPlan says whether the plan dialog wrote a line's text.
func isPlan(r *record, text string) bool {
	if len(r.GetStringBytes("planContent")) > 0 {
		return true
	}
	return strings.HasPrefix(text, planStart+"\n") && readers.Text(r.Value, "promptSource") != "typed"
}
