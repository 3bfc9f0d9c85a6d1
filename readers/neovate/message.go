package neovate

import (
	"cmp"
	"path"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// entry is one message line (FORMAT.md §3).
type entry struct {
	tables.Message
	role     string // user, assistant, tool or system
	broken   bool   // the line before it is no message
	index    int    // index in entries
	parent   *entry // see resolveParents; nil if none
	active   bool   // on the active line of the conversation
	replaced bool   // by a compaction
	calls    []*call
	results  []*result
	marker   string // text of an interruption's marker; empty if none
	stop     *stop  // the interruption that begins with this line
	endsTurn bool   // the line refuses a call without a reason, which ends the turn
}

const (
	interrupted = "[Request interrupted by user]"
	compacted   = "Chat history compacted successfully."
)

// readMessage handles a message line.
func (l *log) readMessage(v *fastjson.Value, line int64, at time.Time) {
	role := l.words.Intern(v.GetStringBytes("role"))
	known := role == "user" || role == "assistant" || role == "tool" || role == "system"
	l.kinds.Record(v, "message/"+role, known, "", at)
	if !known {
		return
	}
	e := &entry{role: role, index: len(l.entries), broken: l.broken}
	l.broken = false
	e.Message = tables.Message{
		UUID:            readers.Text(v, "uuid"),
		ParentUUID:      readers.Text(v, "parentUuid"),
		OriginSessionID: l.originSession(v),
		Role:            tables.RoleUser,
		Timestamp:       at,
		IsSidechain:     l.agent || v.Exists("metadata", "agentId"),
		Line:            line,
	}
	l.entries = append(l.entries, e)
	if e.UUID != "" && l.byUUID[e.UUID] == nil {
		l.byUUID[e.UUID] = e
	}
	c := l.readContent(e, v.Get("content"))
	ui := readers.Text(v, "uiContent")
	switch role {
	case "assistant":
		l.setAnswer(e, v, c)
	case "system":
		e.Role, e.Kind, e.Text = tables.RoleSystem, tables.KindNotice, c.allText()
	default:
		l.setUserMessage(e, c, ui, readers.Bool(v, "hidden"))
	}
	if ui != "" && ui != e.Text && e.Kind != tables.KindSummary {
		c.extra.Set("ui_content", ui)
	}
	if agent := readers.Text(v, "metadata", "agentId"); agent != "" {
		c.extra.Set("agent_id", agent)
		c.extra.Set("agent_type", readers.Text(v, "metadata", "agentType"))
	}
	e.Extra = readers.Object(c.extra)
}

// originSession returns the session from which /branch copied a line; empty for a line
// of the file's own session. If the file was resumed by its path, its own lines have
// another id, and originSession returns that id.
func (l *log) originSession(v *fastjson.Value) string {
	if from := v.Get("forkedFrom"); from != nil {
		id := readers.Text(from, "sessionId")
		l.facts.forkedFrom = cmp.Or(l.facts.forkedFrom, id)
		return id
	}
	id := readers.Text(v, "sessionId")
	if id == "" || strings.TrimSuffix(path.Base(id), ".jsonl") == l.id {
		return ""
	}
	return id
}

// content holds the parts of a message's content.
type content struct {
	texts    []string
	hidden   []string // texts of the agent itself
	thinking []string
	extra    readers.Extra
}

func (c *content) allText() string {
	return tables.JoinText(strings.Join(c.hidden, "\n\n"), strings.Join(c.texts, "\n\n"))
}

// readContent reads a message's content: a string, or parts.
func (l *log) readContent(e *entry, v *fastjson.Value) *content {
	c := &content{}
	if v == nil {
		return c
	}
	if v.Type() == fastjson.TypeString {
		c.addText(readers.Text(v), false)
		return c
	}
	var images []readers.Image
	for _, p := range v.GetArray() {
		switch kind := readers.Text(p, "type"); kind {
		case "text":
			c.addText(readers.Text(p, "text"), p.GetBool("hidden"))
		case "reasoning":
			c.thinking = append(c.thinking, readers.Text(p, "text"))
		case "image":
			images = append(images, readers.ImageOf(readers.Text(p, "mimeType"), p.GetStringBytes("data")))
		case "tool_use":
			l.toolUse(e, p)
		case "tool-result":
			l.toolResult(e, p, readers.Text(p, "toolCallId"))
		case "tool_result": // 0.9 to 0.14, in a user's line
			l.toolResult(e, p, readers.Text(p, "id"))
		default:
			l.kinds.Count(e.role+" content/"+kind, false, "", e.Timestamp)
		}
	}
	c.extra.Images(images)
	return c
}

// reminder begins the agent's text before a prompt (FORMAT.md §3.2).
const reminder = "<system-reminder>"

func (c *content) addText(text string, hidden bool) {
	trimmed := strings.TrimSpace(text)
	if hidden || strings.HasPrefix(trimmed, reminder) && strings.HasSuffix(trimmed, "</system-reminder>") {
		c.hidden = append(c.hidden, text)
		return
	}
	c.texts = append(c.texts, text)
}

func (l *log) setAnswer(e *entry, v *fastjson.Value, c *content) {
	e.Role, e.Kind = tables.RoleAssistant, tables.KindResponse
	e.Text, e.Thinking = c.allText(), strings.Join(c.thinking, "\n\n")
	e.Model = l.words.Intern(v.GetStringBytes("model"))
	usage := v.Get("usage")
	e.InputTokens, e.OutputTokens = readers.Count(usage, "input_tokens"), readers.Count(usage, "output_tokens")
	e.CacheReadTokens = readers.Count(usage, "cache_read_input_tokens")
	e.CacheWriteTokens = readers.Count(usage, "cache_creation_input_tokens")
	e.TokensReliable = tables.Maybe[bool]{Value: e.InputTokens.OK, OK: e.InputTokens.OK}
}

// setUserMessage handles a user's line, or a line of results.
func (l *log) setUserMessage(e *entry, c *content, ui string, hidden bool) {
	e.Text = strings.Join(c.texts, "\n\n")
	e.Thinking = strings.Join(c.thinking, "\n\n")
	e.Kind = userKind(e.Text)
	switch {
	case e.role == "tool" || len(e.results) > 0:
		e.Kind = tables.KindToolResult
	case ui == compacted && e.ParentUUID == "":
		e.Kind = tables.KindSummary
	case e.Text == interrupted:
		e.Kind, e.marker = tables.KindInterruption, interrupted
	case hidden, e.Text == "" && len(c.hidden) > 0:
		e.Kind = tables.KindInjected
	case e.Kind == tables.KindPrompt && l.agent:
		e.Kind = tables.KindInjected // written by the parent agent
	case e.Kind == tables.KindCommandOutput:
		l.inferDirectory(e.Text)
	case strings.HasPrefix(e.Text, typedShell):
		e.Text = "!" + strings.TrimSuffix(strings.TrimPrefix(e.Text, typedShell), "</bash-input>")
	}
	if e.Text == "" {
		e.Text = c.allText()
	} else if len(c.hidden) > 0 {
		c.extra.Set("injected", strings.Join(c.hidden, "\n\n"))
	}
}

// typedShell begins a command that was typed after ! (FORMAT.md §3.2).
const typedShell = "<bash-input>"

// userKinds maps the beginnings of texts to kinds.
var userKinds = []struct{ prefix, kind string }{
	{typedShell, tables.KindCommand},
	{"<bash-stdout>", tables.KindCommandOutput},
	{"<bash-stderr>", tables.KindCommandOutput},
	{reminder, tables.KindInjected},
}

func userKind(text string) string {
	for _, k := range userKinds {
		if strings.HasPrefix(text, k.prefix) {
			return k.kind
		}
	}
	if readers.IsCommand(text) {
		return tables.KindCommand
	}
	return tables.KindPrompt
}

// inferDirectory sets the working directory from a command's output, if the directory's
// slug is the name of the log's folder. The log names the directory nowhere else.
func (l *log) inferDirectory(output string) {
	_, rest, found := strings.Cut(output, "\nDirectory: ")
	if !found || l.facts.directory != "" {
		return
	}
	if directory, _, _ := strings.Cut(rest, "\n"); slugOf(directory) == l.folder {
		l.facts.directory = directory
	}
}

// toolKinds maps Neovate Code's tools, including old names, to their kinds.
var toolKinds = readers.ToolsOf(`
	edit: edit write
	command: bash bash_output kill_bash
	read: read ls
	search: glob grep
	web: fetch
	plan: ExitPlanMode exitPlanMode
	question: AskUserQuestion
	agent: task
`)

func toolKind(name string) string { return toolKinds.Kind(name, strings.HasPrefix(name, "mcp__")) }

// call is a tool call and its results.
type call struct {
	tables.ToolCall
	native  string // the model's own id
	at      *entry
	results []*result
	aborted bool // refused only because the user pressed Esc while the call waited
}

// toolUse handles a tool_use part of an assistant's message. Some servers number calls
// anew in every response, so a repeated id is made unique.
func (l *log) toolUse(e *entry, v *fastjson.Value) {
	id := readers.Text(v, "id")
	c := &call{native: id, at: e}
	name := l.words.Intern(v.GetStringBytes("name"))
	input := v.Get("input")
	c.ToolCall = tables.ToolCall{
		ToolUseID: id,
		ToolName:  name,
		ToolKind:  toolKind(name),
		Input:     readers.JSON(input),
		FilePath:  readers.Text(input, "file_path"),
		Timestamp: e.Timestamp,
		Line:      e.Line,
	}
	if before := l.calls[id]; before != nil && id != "" && before.at.UUID != e.UUID {
		c.ToolUseID = id + "@" + e.UUID
	}
	readers.SetArguments(&c.ToolCall, readers.Text(input, "command"), edits)
	l.calls[id] = c
	e.calls = append(e.calls, c)
}

// edits returns the change of an edit or write, whether or not it ran.
var edits = readers.EditIn("file_path", "old_string", "new_string content")
