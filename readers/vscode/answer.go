package vscode

import (
	"cmp"
	"strconv"
	"strings"

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

// answer makes the messages of a request's answer: one for each round, and one for
// shown text and calls outside all rounds.
func (c *chat) answer(r *request, v, metadata *fastjson.Value) {
	model := modelOf(v, metadata)
	for _, round := range metadata.GetArray("toolCallRounds") {
		c.round(r, round, model)
	}
	exceeded := metadata.GetBool("maxToolCallsExceeded")
	c.results(r, metadata.GetObject("toolCallResults"), exceeded)
	shown := c.parts(r, v.GetArray("response"))
	c.join(r, shown, model)
	c.carry(r, exceeded)
	c.summaries(r, metadata)
	c.tokens(r, v, metadata)
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
	c.subagents(r, shown, model)
}

// results assigns a request's results to the calls of its rounds by id. If no id is
// known and there are as many results as calls, it assigns the results in order. If the
// answer reached the limit of rounds (exceeded), the last calls have no results.
func (c *chat) results(r *request, results *fastjson.Object, exceeded bool) {
	if results == nil {
		return
	}
	calls, _ := r.made()
	byID := map[string]*call{}
	for _, t := range append(c.takeCarried(r), calls...) {
		byID[t.native] = t
	}
	if exceeded {
		calls = calls[:len(calls)-len(r.lastCalls())]
	}
	var left []*fastjson.Value
	results.Visit(func(id []byte, v *fastjson.Value) {
		if t := byID[string(id)]; t != nil {
			t.answer(v)
		} else {
			left = append(left, v)
		}
	})
	byOrder := len(left) == len(calls) && len(left) == results.Len()
	for i, v := range left {
		c.kinds.Count("request content/result of an unknown call", byOrder, "", noTime)
		if byOrder {
			calls[i].answer(v)
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
	b.Model = c.words.Of([]byte(model))
	b.Timestamp, b.RequestID, b.Line = r.started, r.id, r.line
	r.rounds = append(r.rounds, b)
	return b
}

func (c *chat) round(r *request, v *fastjson.Value, model string) {
	c.kinds.Record(v, "request content/round", true, "", noTime)
	b := c.newRound(r, readers.Text(v, "id"), cmp.Or(readers.Text(v, "phaseModelId"), model))
	b.Text = readers.Text(v, "response")
	b.Thinking = texts(v.Get("thinking", "text"))
	b.ReasoningTokens = readers.Count(v, "thinking", "tokens")
	if at := readers.Time(v.Get("timestamp")); !at.IsZero() {
		b.Timestamp = at
	}
	for _, t := range v.GetArray("toolCalls") {
		c.kinds.Count("round content/call", true, "", noTime)
		b.calls = append(b.calls, c.roundCall(r, t, "id"))
	}
	if text := summaryText(v.Get("summary")); text != "" {
		b.summary = &summary{text: text, round: b.id}
	}
	if k := v.Get("compaction"); !readers.IsNull(k) {
		b.encrypted = true
	}
}

// texts returns a text, or the texts of a list, joined.
func texts(v *fastjson.Value) string {
	if v == nil || v.Type() != fastjson.TypeArray {
		return readers.Text(v)
	}
	var all strings.Builder
	for _, one := range v.GetArray() {
		all.Write(one.GetStringBytes())
	}
	return all.String()
}

// tokens sets a request's tokens on the request's last message, to count them once. VS
// Code records only the tokens of the request's last API call.
func (c *chat) tokens(r *request, v, metadata *fastjson.Value) {
	first := func(counts ...tables.Maybe[int64]) tables.Maybe[int64] {
		for _, n := range counts {
			if n.OK {
				return n
			}
		}
		return tables.Maybe[int64]{}
	}
	in := first(readers.Count(v, "promptTokens"), readers.Count(v, "result", "usage", "promptTokens"), readers.Count(metadata, "promptTokens"))
	out := first(readers.Count(v, "completionTokens"), readers.Count(v, "result", "usage", "completionTokens"), readers.Count(metadata, "outputTokens"))
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
	questions, given, ok := readers.AskedAndAnswered(t.Input, result)
	if !ok {
		return nil
	}
	return readers.Answers(questions, func(_ int, q *fastjson.Value, _ []string) (texts []string) {
		answer := given.Get(readers.Text(q, "header"))
		texts = append(texts, readers.Texts(answer.GetArray("selected"))...)
		if words := readers.Text(answer, "freeText"); words != nobodyThere {
			texts = append(texts, words)
		}
		return texts
	})
}
