package pilines

import (
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/internal/pattern"
	"hindsql/readers"
	"hindsql/tables"
)

// roles maps the roles of messages to their methods (readers/pi/FORMAT.md §2.3).
var roles = map[string]func(*log, *entry, *fastjson.Value){
	"user":            (*log).user,
	"developer":       (*log).injected,
	"assistant":       (*log).assistant,
	"toolResult":      (*log).toolResult,
	"bashExecution":   (*log).shell,
	"pythonExecution": (*log).python,
	"custom":          (*log).injected,
	"hookMessage":     (*log).injected,
	"system":          ignore, // the instructions, tools and skills that the model gets
	"fileMention":     (*log).injected,
	// Only in pi's memory, by its README: never seen in a file.
	"branchSummary":     ignore,
	"compactionSummary": ignore,
}

// role returns a message's kind and its method; nil for an unknown role.
func (l *log) role(v *fastjson.Value) (kind string, handle func(*log, *entry, *fastjson.Value)) {
	role := l.words.Intern(v.GetStringBytes("message", "role"))
	of := roles[role]
	if own := clawRoles[role]; l.claw != nil && own != nil {
		of = own
	}
	if of != nil {
		handle = func(l *log, e *entry, v *fastjson.Value) { of(l, e, v.Get("message")) }
	}
	return "message/" + role, handle
}

// emitMessage emits a message for a line.
func (l *log) emitMessage(e *entry, m *tables.Message, c content) {
	if e.lastMessage != nil {
		m.ParentUUID = e.lastMessage.uuid
	}
	e.hasMessage, e.lastMessage = true, e
	m.UUID, m.Timestamp, m.Line, m.IsSidechain = e.uuid, e.at, e.line, l.agent
	m.Extra = readers.Object(c.extra)
	l.in.Emit(m)
}

// user handles a prompt: steering and follow-up prompts look the same. A subagent's
// prompts are its parent's.
func (l *log) user(e *entry, v *fastjson.Value) {
	c := l.content(v.Get("content"), "user")
	m := &tables.Message{Role: tables.RoleUser, Kind: tables.KindPrompt, Text: c.text(), TypedText: typedSkill(c.text())}
	if l.agent || readers.Bool(v, "synthetic") || readers.Text(v, "attribution") == "agent" {
		m.Kind = tables.KindInjected
	}
	l.emitMessage(e, m, c)
}

// skill matches a skill's text in place of what a person typed: the skill's name, and words.
var skill = pattern.Lazy(`^(?s)<skill name="([^"\n]+)" location="[^"\n]*">\n.*?\n</skill>(?:\n\n(.*))?$`)

// typedSkill returns what was typed (readers/pi/FORMAT.md §2.3); empty for any other text.
func typedSkill(text string) string {
	if m := skill.FindStringSubmatch(text); m != nil {
		return strings.TrimSpace("/skill:" + m[1] + " " + m[2])
	}
	return ""
}

// injected handles a message of an extension or the agent itself.
func (l *log) injected(e *entry, v *fastjson.Value) {
	c := l.content(v.Get("content"), "injected")
	c.extra.Text("custom_type", readers.Text(v, "customType"))
	for _, file := range v.GetArray("files") { // oh-my-pi's fileMention
		c.texts = append(c.texts, tables.JoinText(readers.Text(file, "path"), readers.Text(file, "content")))
	}
	l.emitMessage(e, &tables.Message{Role: tables.RoleUser, Kind: tables.KindInjected, Text: c.text()}, c)
}

// shell handles a typed command, such as !make, and the command's output. With !!, the
// model doesn't see it.
func (l *log) shell(e *entry, v *fastjson.Value) {
	mark := "!"
	if readers.Bool(v, "excludeFromContext") {
		mark = "!!"
	}
	l.typed(e, v, mark+readers.Text(v, "command"))
}

// python handles oh-my-pi's typed code: $ and code.
func (l *log) python(e *entry, v *fastjson.Value) {
	mark := "$"
	if readers.Bool(v, "excludeFromContext") {
		mark = "$$"
	}
	l.typed(e, v, mark+readers.Text(v, "code"))
}

func (l *log) typed(e *entry, v *fastjson.Value, text string) {
	l.emitMessage(e, &tables.Message{Role: tables.RoleUser, Kind: tables.KindCommand, Text: text}, content{})
	printed := &tables.Message{
		UUID: e.uuid + outputMark, ParentUUID: e.uuid, Role: tables.RoleUser, Kind: tables.KindCommandOutput,
		Text: readers.Text(v, "output"), Timestamp: e.at, Line: e.line, IsSidechain: l.agent,
	}
	var c content
	c.extra.Int("exit_code", readers.Int(v, "exitCode"))
	c.extra.Flag("cancelled", readers.Bool(v, "cancelled"))
	c.extra.Flag("truncated", readers.Bool(v, "truncated"))
	c.extra.Text("full_output_path", readers.Text(v, "fullOutputPath"))
	e.hasOutput, printed.Extra = true, readers.Object(c.extra)
	l.in.Emit(printed)
}

// content holds the parts of a message's content.
type content struct {
	texts    []string
	thinking []string
	extra    readers.Extra
	calls    bool // the message has tool calls
}

func (c *content) text() string { return strings.Join(c.texts, "\n\n") }

// isEmpty reports whether a response has no text, thinking and calls.
func (c *content) isEmpty() bool { return c.text() == "" && len(c.thinking) == 0 && !c.calls }

// content reads a message's content: a string, or parts. The response reads the calls.
func (l *log) content(v *fastjson.Value, of string) (c content) {
	if v == nil {
		return c
	}
	if v.Type() == fastjson.TypeString {
		c.texts = []string{readers.Text(v)}
		return c
	}
	var images []readers.Image
	for _, p := range v.GetArray() {
		switch kind := string(p.GetStringBytes("type")); kind {
		case "text":
			c.texts = append(c.texts, readers.Text(p, "text"))
		case "thinking":
			if text := readers.Text(p, "thinking"); text != "" {
				c.thinking = append(c.thinking, text)
			}
		case "image":
			images = append(images, readers.ImageOf(readers.Text(p, "mimeType"), p.GetStringBytes("data")))
		case "toolCall":
			c.calls = true
		case "redactedThinking", "fallback", "anthropicServerTool":
		default:
			l.kinds.Count(of+" content/"+kind, false, "", readers.Time(nil))
		}
	}
	c.extra.Images(images)
	return c
}
