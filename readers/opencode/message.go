package opencode

import (
	"cmp"
	"math"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// entry is a message with its parts (FORMAT.md §3).
type entry struct {
	tables.Message
	id     string
	index  int    // index in the entries
	parent string // id of the message it answers
	role   string
	calls  []*call
	extra  readers.Extra
	cost   float64 // US$
	size   tables.Maybe[int64]

	steps    counts // counts of the step-finish parts
	noTokens bool   // the message has no token counts of its own

	texts, injected, thinking []string
	hasFiles                  bool        // a file or an agent is attached
	compaction                *compaction // request for a compaction, or nil
	subtask                   *subtask    // task for a subagent, or nil
	isShell                   bool        // placeholder for a command typed after a !
	finish                    string      // the model's reason to stop
	errorName, errorMessage   string      // name and message of the error that ended the message; empty if none
	completed                 tables.Maybe[int64]
	isSummaryTurn             bool // meant as the summary of a compaction
	endsInCall                bool // the last text, reasoning or tool part is a call
	inactive                  bool // undone by the user
}

// compaction is a request for a compaction.
type compaction struct {
	auto bool
	tail string // first message that stays; empty if none stays
}

// subtask is a command's task for a subagent.
type subtask struct{ command, prompt string }

// addToList appends a value to a list in extra.
func (e *entry) addToList(key string, value any) {
	list, _ := e.extra[key].([]any)
	e.extra.Set(key, append(list, value))
}

var roles = readers.SetOf(`user assistant`)

// readMessage reads a message and its parts.
func (c *session) readMessage(m *storedMessage) {
	c.parseObject(m.data, m.line, m.name(), func(v *fastjson.Value) {
		role := c.words.Intern(v.GetStringBytes("role"))
		created := readers.Time(v.Get("time", "created"))
		if created.IsZero() {
			created = readers.Millis(m.created)
		}
		c.kinds.Record(v, "message/"+role, roles[role], c.version, created)
		if !roles[role] {
			return
		}
		e := &entry{id: m.id, index: len(c.entries), role: role, inactive: m.removed}
		e.Message = tables.Message{
			UUID:        c.uuid(m.id),
			Role:        role,
			Timestamp:   created,
			IsSidechain: c.isSubagent(),
			Line:        m.line,
		}
		if original := c.originals[m.id]; original != "" {
			e.OriginSessionID = c.forkedFrom
			e.extra.Set("copied_as", m.id)
		}
		c.readHeader(e, v)
		c.entries = append(c.entries, e)
		c.byID[e.id] = e
	})
	e := c.byID[m.id]
	if e == nil {
		return
	}
	for _, p := range m.parts {
		c.parseObject(p.data, m.line, m.name()+", a part", func(v *fastjson.Value) { c.readPart(e, p, v) })
	}
	if e.role == tables.RoleUser {
		c.setPrompt(e)
	} else {
		e.addSteps()
		c.setAnswer(e)
	}
}

// readHeader reads a message's own fields, without its parts.
func (c *session) readHeader(e *entry, v *fastjson.Value) {
	e.parent = readers.Text(v, "parentID")
	if e.parent != "" {
		e.ParentUUID = c.uuid(e.parent)
	}
	e.extra.Set("agent", c.words.Intern(v.GetStringBytes("agent")))
	if e.role == tables.RoleUser {
		return
	}
	e.Model = c.words.Intern(v.GetStringBytes("modelID"))
	e.extra.Set("provider", c.words.Intern(v.GetStringBytes("providerID")))
	e.finish = c.words.Intern(v.GetStringBytes("finish"))
	e.StopReason = e.finish
	e.completed = readers.Int(v, "time", "completed")
	e.isSummaryTurn = readers.Bool(v, "summary")
	if dir := readers.Text(v, "path", "cwd"); dir != "" && dir != c.directory {
		e.extra.Set("cwd", dir)
	}
	if cost := v.GetFloat64("cost"); cost > 0 && cost < math.MaxInt32 {
		e.cost = cost
		e.extra.Set("cost_usd", cost)
	}
	if failure := v.Get("error"); failure != nil && failure.Type() == fastjson.TypeObject {
		e.errorName = c.words.Intern(failure.GetStringBytes("name"))
		e.errorMessage = readers.Text(failure, "data", "message")
		e.extra.Set("error", e.errorName)
		e.extra.Int("status_code", readers.Int(failure, "data", "statusCode"))
	}
	c.readTokens(e, v.Get("tokens"))
}

// counts holds the tokens of a message or of its steps.
type counts struct {
	input, output, reasoning, cacheRead, cacheWrite, total tables.Maybe[int64]
	cost                                                   float64 // US$
}

func readCounts(v *fastjson.Value) counts {
	n := counts{
		input: readers.Count(v, "input"), output: readers.Count(v, "output"), reasoning: readers.Count(v, "reasoning"),
		cacheRead: readers.Count(v, "cache", "read"), cacheWrite: readers.Count(v, "cache", "write"), total: readers.Count(v, "total"),
	}
	if !n.total.OK {
		n.total = sum(n.input, n.output, n.reasoning, n.cacheRead, n.cacheWrite)
	}
	return n
}

func (n *counts) add(o counts) {
	for _, c := range [][2]*tables.Maybe[int64]{
		{&n.input, &o.input}, {&n.output, &o.output}, {&n.reasoning, &o.reasoning}, {&n.cacheRead, &o.cacheRead}, {&n.cacheWrite, &o.cacheWrite},
	} {
		*c[0] = addCounts(*c[0], *c[1])
	}
	n.total = o.total // the last step's total, because each step sends the whole context again
}

// addCounts adds two counts. The sum is NotACount if either is impossible, and the rows
// report it.
func addCounts(a, b tables.Maybe[int64]) tables.Maybe[int64] {
	if all := sum(a, b); all.OK || !a.OK && !b.OK {
		return all
	}
	return tables.Some[int64](tables.NotACount)
}

// readTokens reads the counts of a message. The counts of an unanswered message are all 0
// and are ignored.
func (c *session) readTokens(e *entry, v *fastjson.Value) {
	if v == nil || v.Type() != fastjson.TypeObject || allZero(v) {
		e.noTokens = true
		if v == nil || e.finish == "" {
			return
		}
	}
	e.setTokens(readCounts(v))
}

func (e *entry) setTokens(n counts) {
	e.InputTokens, e.OutputTokens, e.ReasoningTokens = n.input, n.output, n.reasoning
	e.CacheReadTokens, e.CacheWriteTokens = n.cacheRead, n.cacheWrite
	e.TokensReliable, e.size = tables.Some(true), n.total
}

// addSteps takes a message's tokens and cost from its steps, if the message has none.
func (e *entry) addSteps() {
	if all := sum(e.steps.input, e.steps.output, e.steps.reasoning, e.steps.cacheRead, e.steps.cacheWrite); e.noTokens && all.OK && all.Value > 0 {
		e.setTokens(e.steps)
	}
	if e.cost == 0 && e.steps.cost > 0 {
		e.cost = e.steps.cost
		e.extra.Set("cost_usd", e.cost)
	}
}

func allZero(v *fastjson.Value) bool {
	for _, keys := range [][]string{{"input"}, {"output"}, {"reasoning"}, {"cache", "read"}, {"cache", "write"}} {
		if n := v.Get(keys...); n != nil && (n.Type() != fastjson.TypeNumber || n.GetFloat64() != 0) {
			return false
		}
	}
	return true
}

// sum adds counts. The result is missing if any count is impossible or all are missing.
func sum(counts ...tables.Maybe[int64]) (all tables.Maybe[int64]) {
	for _, n := range counts {
		if n.OK && (n.Value < 0 || n.Value > tables.MaxCount) {
			return tables.Maybe[int64]{}
		}
		all.Value += n.Value
		all.OK = all.OK || n.OK
	}
	return all
}

// text returns the joined text parts of a message.
func (e *entry) text() string { return strings.Join(e.texts, "\n\n") }

// typedAfterMark is the text that opencode writes in place of a command that the user
// typed after "!". The next message holds the command, as a call that no model made
// (FORMAT.md §4).
const typedAfterMark = "The following tool was executed by the user"

// setPrompt sets the kind of a user's message: typed by the user, or injected by the
// program or a subagent's parent.
func (c *session) setPrompt(e *entry) {
	e.Text = e.text()
	injected := strings.Join(e.injected, "\n\n")
	switch {
	case e.compaction != nil:
		e.Kind = tables.KindCommand
		if e.compaction.auto {
			e.TypedBy = tables.TypedByAgent
		} else if e.Text == "" {
			e.Text = "/compact"
		}
	case e.Text == "" && injected == typedAfterMark:
		e.Kind, e.isShell = tables.KindCommand, true
		return
	case c.isSubagent():
		e.Kind = tables.KindInjected
	case e.subtask != nil && e.subtask.command != "":
		e.Kind = tables.KindCommand
		e.Text = cmp.Or(e.Text, "/"+e.subtask.command)
	case e.Text != "", e.hasFiles, e.subtask != nil:
		e.Kind = tables.KindPrompt
	default:
		e.Kind = tables.KindInjected
	}
	if e.subtask != nil {
		if e.Text == "" {
			e.Text = e.subtask.prompt
		} else if e.subtask.prompt != "" {
			e.extra.Set("subtask_prompt", e.subtask.prompt)
		}
	}
	if e.Text == "" {
		e.Text = injected
	} else if injected != "" {
		e.extra.Set("injected", injected)
	}
}

// setShellCommands handles commands that the user typed after "!". It turns the
// placeholder messages into the user's commands, and the messages with the calls into
// their output. A command that the user stopped makes no interruption: only the end of
// its output says so, and any command can print the same.
func (c *session) setShellCommands() {
	for _, e := range c.entries {
		typed := c.byID[e.parent]
		if e.role != tables.RoleAssistant || typed == nil || !typed.isShell || e.Model != "" && len(e.texts) > 0 {
			continue
		}
		e.Kind = tables.KindCommandOutput
		for _, t := range e.calls {
			typed.Text = tables.JoinText(typed.Text, "!"+t.Command)
			e.Text = tables.JoinText(e.Text, t.result.Output)
			delete(c.callIDs, t.ToolUseID)
		}
		e.calls, e.StopReason, e.Model = nil, "", ""
	}
	for _, e := range c.entries {
		if e.isShell && e.Text == "" {
			e.Text = typedAfterMark
		}
	}
}
