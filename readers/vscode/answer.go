package vscode

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

// round is one message of the model: the answer to one call of its API (FORMAT.md
// §3.3).
type round struct {
	tables.Message
	id      string
	calls   []*call
	summary *summary
	agent   string // id of the subagent that made it; empty for the session's own model
	by      *call  // the call that started the subagent; nil if unknown
	// encrypted: the server compacted everything before this round.
	encrypted bool
}

// readAnswer makes the messages of a request's answer: one for each round, and one for
// shown text and calls outside all rounds.
func (c *chat) readAnswer(r *request, v, metadata *fastjson.Value) {
	model := modelOf(v, metadata)
	for _, round := range metadata.GetArray("toolCallRounds") {
		c.readRound(r, round, model)
	}
	exceeded := metadata.GetBool("maxToolCallsExceeded")
	c.readResults(r, metadata.GetObject("toolCallResults"), exceeded)
	shown := c.readParts(r, v.GetArray("response"))
	c.join(r, shown, model)
	c.setCarried(r, exceeded)
	c.readSummaries(r, metadata)
	c.setTokens(r, v, metadata)
	if n := len(r.rounds); n > 0 {
		last := r.rounds[n-1]
		last.StopReason = stateWords[r.state]
		if exceeded {
			last.Extra = readers.Object(map[string]any{"max_tool_calls_exceeded": true})
		}
		if n > 1 && last.Timestamp.Equal(r.started) && !r.ended.IsZero() {
			last.Timestamp = r.ended
		}
	}
	c.addSubagents(r, shown, model)
}

// readResults assigns a request's results to the calls of its rounds by id. If no id is
// known and there are as many results as calls, it assigns the results in order. If the
// answer reached the limit of rounds (exceeded), the last calls have no results.
func (c *chat) readResults(r *request, results *fastjson.Object, exceeded bool) {
	if results == nil {
		return
	}
	calls, _ := r.modelCalls()
	byID := map[string]*call{}
	for _, t := range append(c.carriedCalls(r), calls...) {
		byID[t.native] = t
	}
	if exceeded {
		calls = calls[:len(calls)-len(r.lastCalls())]
	}
	var left []*fastjson.Value
	results.Visit(func(id []byte, v *fastjson.Value) {
		if t := byID[string(id)]; t != nil {
			t.readResult(v)
		} else {
			left = append(left, v)
		}
	})
	byOrder := len(left) == len(calls) && len(left) == results.Len()
	for i, v := range left {
		c.kinds.Count("request content/result of an unknown call", byOrder, "", noTime)
		if byOrder {
			calls[i].readResult(v)
			calls[i].byOrder = true
		}
	}
}

// modelOf returns the model that answered: the name from the server, otherwise the
// user's choice without the vendor.
func modelOf(v, metadata *fastjson.Value) string {
	if m := readers.Text(metadata, "resolvedModel"); m != "" {
		return m
	}
	id := readers.Text(v, "modelId")
	if _, m, ok := strings.Cut(id, "/"); ok {
		return m
	}
	return id
}

// newRound begins a message of the model.
func (c *chat) newRound(r *request, id, model string) *round {
	b := &round{id: id}
	b.UUID = r.uuid + "/" + cmp.Or(id, strconv.Itoa(len(r.rounds)))
	b.Role, b.Kind = tables.RoleAssistant, tables.KindResponse
	b.Model = c.words.Intern([]byte(model))
	b.Timestamp, b.RequestID, b.Line = r.started, r.id, r.line
	r.rounds = append(r.rounds, b)
	return b
}

func (c *chat) readRound(r *request, v *fastjson.Value, model string) {
	c.kinds.Record(v, "request content/round", true, "", noTime)
	b := c.newRound(r, readers.Text(v, "id"), cmp.Or(readers.Text(v, "phaseModelId"), model))
	b.Text = readers.Text(v, "response")
	b.Thinking = joinTexts(v.Get("thinking", "text"))
	b.ReasoningTokens = readers.Count(v, "thinking", "tokens")
	if at := readers.Time(v.Get("timestamp")); !at.IsZero() {
		b.Timestamp = at
	}
	for _, t := range v.GetArray("toolCalls") {
		c.kinds.Count("round content/call", true, "", noTime)
		b.calls = append(b.calls, c.newRoundCall(r, t, "id"))
	}
	if text := textIn(v.Get("summary")); text != "" {
		b.summary = &summary{text: text, round: b.id}
	}
	if k := v.Get("compaction"); !readers.IsNull(k) {
		b.encrypted = true
	}
}

// joinTexts returns a text, or the texts of a list, joined.
func joinTexts(v *fastjson.Value) string {
	if v == nil || v.Type() != fastjson.TypeArray {
		return readers.Text(v)
	}
	var all strings.Builder
	for _, one := range v.GetArray() {
		all.Write(one.GetStringBytes())
	}
	return all.String()
}

// setTokens sets a request's tokens on the request's last message, to count them once. VS
// Code records only the tokens of the request's last API call.
func (c *chat) setTokens(r *request, v, metadata *fastjson.Value) {
	in := cmp.Or(readers.Count(v, "promptTokens"), readers.Count(v, "result", "usage", "promptTokens"), readers.Count(metadata, "promptTokens"))
	out := cmp.Or(readers.Count(v, "completionTokens"), readers.Count(v, "result", "usage", "completionTokens"), readers.Count(metadata, "outputTokens"))
	if len(r.rounds) == 0 || !in.OK && !out.OK {
		return
	}
	last := r.rounds[len(r.rounds)-1]
	last.InputTokens, last.OutputTokens = in, out
	one := len(metadata.GetArray("toolCallRounds")) == 1 || len(r.rounds) == 1 && len(last.calls) == 0
	last.TokensReliable = tables.Some(in.OK && one)
}

// nobodyThere is the answer that VS Code gives to each question itself, in autopilot.
const nobodyThere = "The user is not available to respond and will review your work later. Work autonomously and make good decisions."

// answersOf returns the questions of askQuestions with what the person answered
// (microsoft/vscode, builtinTools/askQuestionsTool.ts): the result has the labels picked
// and the person's words by the question's header. It returns nil if the result is none,
// or VS Code's own.
func answersOf(t *call, result string) []tables.Answer {
	if t.ToolKind != tables.ToolQuestion || t.outcome.status != tables.StatusOK {
		return nil
	}
	questions, answers, ok := readers.ParseAnswers(t.Input, result)
	if !ok {
		return nil
	}
	return readers.Answers(questions, func(_ int, q *fastjson.Value, _ []string) (texts []string) {
		answer := answers.Get(readers.Text(q, "header"))
		texts = append(texts, readers.Texts(answer.GetArray("selected"))...)
		if words := readers.Text(answer, "freeText"); words != nobodyThere {
			texts = append(texts, words)
		}
		return texts
	})
}

// readResult reads the result that the model got (FORMAT.md §3.3).
func (t *call) readResult(v *fastjson.Value) {
	if v == nil || v.Type() != fastjson.TypeObject {
		return
	}
	t.hasResult = true
	var out strings.Builder
	for _, one := range v.GetArray("content") {
		value := one.Get("value")
		switch {
		case value.GetObject() != nil:
			writeTree(&out, value.Get("node"))
		case readers.Text(one, "mimeType") != "":
			data := one.GetStringBytes("data")
			if data == nil {
				data = one.GetStringBytes("data", "$base64")
			}
			t.images = append(t.images, readers.ImageOf(readers.Text(one, "mimeType"), data))
		default:
			out.Write(value.GetStringBytes())
		}
	}
	t.result = out.String()
}

// writeTree writes the text of a tree made by the prompt-tsx library: a node of type 1
// has children, a node of type 2 has text.
func writeTree(out *strings.Builder, v *fastjson.Value) {
	if v == nil {
		return
	}
	if text := v.Get("text"); text != nil {
		if readers.Bool(v, "lineBreakBefore") && out.Len() > 0 && !strings.HasSuffix(out.String(), "\n") {
			out.WriteByte('\n')
		}
		out.Write(text.GetStringBytes())
	}
	for _, child := range v.GetArray("children") {
		writeTree(out, child)
	}
}

// emitResult emits the result of a call. A call that still waits gets none. kept is what
// became of an edit, an EditKept constant, or empty.
func (c *chat) emitResult(t *call, kept string) {
	if t.outcome.status == tables.StatusPending {
		t.Open = true // a skip doesn't end other calls
		return
	}
	e := &tables.ToolResult{ToolUseID: t.ToolUseID, Output: t.result, Status: t.outcome.status, ErrorType: t.outcome.errorType, DurationUnknown: true, SubagentSessionID: t.child}
	e.ExitCode = t.exitCode()
	if p := t.part; p != nil {
		e.Output = cmp.Or(e.Output, p.output, p.terminal.output)
		if d := p.terminal.duration; d.OK && d.Value >= 0 {
			e.DurationMS, e.DurationUnknown = d, false
			if !p.terminal.started.IsZero() {
				e.Timestamp = p.terminal.started.Add(time.Duration(d.Value) * time.Millisecond)
			}
		}
		if t.outcome.by == tables.ByHook {
			e.Output = cmp.Or(e.Output, p.title) // the hook's reason
		}
	}
	e.Answers, e.EditKept = answersOf(t, e.Output), kept
	c.in.Emit(e)
}

// addSubagents makes one message for all calls of a subagent, after the message that
// started it. VS Code keeps no text of a subagent, except its result.
func (c *chat) addSubagents(r *request, shown []item, model string) {
	made := map[string]*round{}
	for _, it := range shown {
		p := it.tool
		if p == nil || p.subagent == "" {
			continue
		}
		b := made[p.subagent]
		if b == nil {
			place, by := r.findCaller(p.subagent)
			b = c.newRound(r, "subagent/"+p.subagent, model)
			b.IsSidechain, b.agent, b.by = true, p.subagent, by
			b.Extra = readers.Object(map[string]any{"subagent_invocation_id": p.subagent})
			r.rounds = slices.Insert(r.rounds[:len(r.rounds)-1], place, b)
			made[p.subagent] = b
		}
		b.calls = append(b.calls, c.newShownCall(r, p, b))
	}
}

// findCaller returns the call that started a subagent, and the index after this call's
// round. id is the call's id, from its part or from the model. If no call has the id,
// findCaller returns the index after all rounds and nil.
func (r *request) findCaller(id string) (int, *call) {
	for i, b := range r.rounds {
		for _, t := range b.calls {
			if withoutSuffix(t.native) == id || t.part != nil && t.part.id == id {
				return i + 1, t
			}
		}
	}
	return len(r.rounds), nil
}

// summary is a text with which Copilot replaced the messages up to a certain round, to
// save tokens (FORMAT.md §8).
type summary struct {
	text     string
	round    string // id of the last round replaced
	pre      tables.Maybe[int64]
	duration tables.Maybe[int64]
	extra    readers.Extra
}

func readSummary(v *fastjson.Value) *summary {
	s := &summary{text: textIn(v), round: readers.Text(v, "toolCallRoundId"), extra: readers.Extra{}}
	s.pre, s.duration = readers.Count(v, "contextLengthBefore"), readers.Count(v, "durationMs")
	for _, key := range []string{"source", "outcome", "model", "summarizationMode"} {
		s.extra.Text(key, readers.Text(v, key))
	}
	return s
}

// readSummaries reads the summaries of a request, each once: VS Code may store the same
// one in three places.
func (c *chat) readSummaries(r *request, metadata *fastjson.Value) {
	list := metadata.GetArray("summaries")
	if one := metadata.Get("summary"); one.GetObject() != nil {
		list = append(list[:len(list):len(list)], one)
	}
	seen := map[string]bool{}
	for _, v := range list {
		s := readSummary(v)
		c.kinds.Count("request content/summary", true, "", noTime)
		if s.text == "" || seen[s.round] {
			continue
		}
		seen[s.round] = true
		r.summaries = append(r.summaries, s)
	}
	for _, b := range r.rounds {
		if b.summary != nil && !seen[b.summary.round] {
			seen[b.summary.round] = true
			r.summaries = append(r.summaries, b.summary)
		}
	}
}
