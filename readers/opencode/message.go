package opencode

import (
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
	place  int    // index in the entries
	parent string // id of the message it answers
	role   string
	calls  []*call
	extra  readers.Extra
	cost   float64 // US$
	size   tables.Maybe[int64]

	steps     counts // counts of the step-finish parts
	uncounted bool   // the message has no token counts of its own

	texts, injected, thinking []string
	attached                  bool        // a file or an agent is attached
	ask                       *compaction // request for a compaction, or nil
	subtask                   *subtask    // task for a subagent, or nil
	shell                     bool        // placeholder for a command typed after a !
	finish                    string      // the model's reason to stop
	failure, failed           string      // name and message of the error that ended the message; empty if none
	completed                 tables.Maybe[int64]
	summary                   bool // meant as the summary of a compaction
	toolLast                  bool // the last text, reasoning or tool part is a call
	inactive                  bool // undone by the user
}

// compaction is a request for a compaction.
type compaction struct {
	auto bool
	tail string // first message that stays; empty if none stays
}

// subtask is a command's task for a subagent.
type subtask struct{ command, prompt string }

// also appends a value to a list in extra.
func (e *entry) also(key string, value any) {
	list, _ := e.extra[key].([]any)
	e.extra.Set(key, append(list, value))
}

var roles = readers.SetOf(`user assistant`)

// message reads a message and its parts.
func (c *session) message(m *storedMessage) {
	c.object(m.data, m.line, m.name(), func(v *fastjson.Value) {
		role := c.words.Of(v.GetStringBytes("role"))
		created := readers.Time(v.Get("time", "created"))
		if created.IsZero() {
			created = readers.Millis(m.created)
		}
		c.kinds.Record(v, "message/"+role, roles[role], c.version, created)
		if !roles[role] {
			return
		}
		e := &entry{id: m.id, place: len(c.entries), role: role, inactive: m.removed}
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
		c.header(e, v)
		c.entries = append(c.entries, e)
		c.byID[e.id] = e
	})
	e := c.byID[m.id]
	if e == nil {
		return
	}
	for _, p := range m.parts {
		c.object(p.data, m.line, m.name()+", a part", func(v *fastjson.Value) { c.part(e, p, v) })
	}
	if e.role == tables.RoleUser {
		c.user(e)
	} else {
		e.addSteps()
		c.assistant(e)
	}
}

// header reads a message's own fields, without its parts.
func (c *session) header(e *entry, v *fastjson.Value) {
	e.parent = readers.Text(v, "parentID")
	if e.parent != "" {
		e.ParentUUID = c.uuid(e.parent)
	}
	e.extra.Set("agent", c.words.Of(v.GetStringBytes("agent")))
	if e.role == tables.RoleUser {
		return
	}
	e.Model = c.words.Of(v.GetStringBytes("modelID"))
	e.extra.Set("provider", c.words.Of(v.GetStringBytes("providerID")))
	e.finish = c.words.Of(v.GetStringBytes("finish"))
	e.StopReason = e.finish
	e.completed = readers.Int(v, "time", "completed")
	e.summary = readers.Bool(v, "summary")
	if dir := readers.Text(v, "path", "cwd"); dir != "" && dir != c.directory {
		e.extra.Set("cwd", dir)
	}
	if cost := v.GetFloat64("cost"); cost > 0 && cost < math.MaxInt32 {
		e.cost = cost
		e.extra.Set("cost_usd", cost)
	}
	if failure := v.Get("error"); failure != nil && failure.Type() == fastjson.TypeObject {
		e.failure = c.words.Of(failure.GetStringBytes("name"))
		e.failed = readers.Text(failure, "data", "message")
		e.extra.Set("error", e.failure)
		e.extra.Int("status_code", readers.Int(failure, "data", "statusCode"))
	}
	c.tokens(e, v.Get("tokens"))
}

// counts holds the tokens of a message or of its steps.
type counts struct {
	input, output, reasoning, cacheRead, cacheWrite, total tables.Maybe[int64]
	cost                                                   float64 // US$
}

func countsIn(v *fastjson.Value) counts {
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
		*c[0] = plus(*c[0], *c[1])
	}
	n.total = o.total // the last step's total, because each step sends the whole context again
}

// plus adds two counts. The sum is NotACount if either is impossible, and the rows
// report it.
func plus(a, b tables.Maybe[int64]) tables.Maybe[int64] {
	if all := sum(a, b); all.OK || !a.OK && !b.OK {
		return all
	}
	return tables.Some[int64](tables.NotACount)
}

// tokens reads the counts of a message. The counts of an unanswered message are all 0
// and are ignored.
func (c *session) tokens(e *entry, v *fastjson.Value) {
	if v == nil || v.Type() != fastjson.TypeObject || allZero(v) {
		e.uncounted = true
		if v == nil || e.finish == "" {
			return
		}
	}
	e.count(countsIn(v))
}

func (e *entry) count(n counts) {
	e.InputTokens, e.OutputTokens, e.ReasoningTokens = n.input, n.output, n.reasoning
	e.CacheReadTokens, e.CacheWriteTokens = n.cacheRead, n.cacheWrite
	e.TokensReliable, e.size = tables.Some(true), n.total
}

// addSteps takes a message's tokens and cost from its steps, if the message has none.
func (e *entry) addSteps() {
	if all := sum(e.steps.input, e.steps.output, e.steps.reasoning, e.steps.cacheRead, e.steps.cacheWrite); e.uncounted && all.OK && all.Value > 0 {
		e.count(e.steps)
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
		if n.OK && (n.Value < 0 || n.Value > tables.MostCounted) {
			return tables.Maybe[int64]{}
		}
		all.Value += n.Value
		all.OK = all.OK || n.OK
	}
	return all
}

// text returns the joined text parts of a message.
func (e *entry) text() string { return strings.Join(e.texts, "\n\n") }
