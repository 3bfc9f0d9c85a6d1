package conversation

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Read returns an agent's session with its pieces.
func Read(ctx context.Context, run Run, agent, id string) (*Conversation, error) {
	r := newReading(ctx, run, agent, id)
	if r.read(); r.err != nil {
		return nil, r.err
	}
	return &r.made, nil
}

// read collects the session, or the wanted window of the session.
func (r *reading) read() {
	r.each(sessionSQL, func(row []any) { r.made.Session = sessionOf(row) })
	if r.err == nil && r.made.ID == "" {
		r.err = &Unclear{ID: text(r.args["id"])}
	}
	r.each(subagentSQL, func(row []any) { r.made.Subagents = append(r.made.Subagents, sessionOf(row)) })
	if !r.from {
		r.each("SELECT count(*), min(timestamp) FROM with_copies.messages WHERE agent = $agent AND session_id = $id AND is_copy AND kind IS DISTINCT FROM 'usage'", func(row []any) {
			if n := number(row[0]); n > 0 {
				r.add(0, 0, Piece{Kind: Copied, Index: -1, Time: moment(row[1]), Who: "copy", Count: n, Link: r.made.ForkedFrom})
			}
		})
	}
	r.each(stopsSQL+r.within("message_index"), r.addStop)
	r.each(compactionsSQL, r.addCompaction)
	r.each(messagesSQL+r.within("message_index"), r.addMessage)
	r.each(callsSQL+r.within("message_index"), r.addCall)
	r.each(r.refusalsSQL(), r.addRefusal)
	r.each(clearsSQL+r.within("after_message_index")+clearsOrder, r.addClear)
	slices.SortStableFunc(r.pieces, func(a, b placed) int {
		return cmp.Or(cmp.Compare(a.order(), b.order()), cmp.Compare(a.place, b.place), cmp.Compare(a.number, b.number))
	})
	for _, p := range r.pieces {
		r.made.Pieces = append(r.made.Pieces, p.Piece)
	}
}

// reading collects a session's rows from the tables. The first error is kept.
type reading struct {
	ctx  context.Context
	run  Run
	args map[string]any // agent and id; also from and to if set
	err  error

	from, to bool // read only messages from $from on; only before $to

	made      Conversation
	pieces    []placed
	calls     map[string]*ToolCall
	stopped   map[int64]bool  // indexes of messages that only mark a stop
	summaries map[string]bool // summaries of compactions, which messages repeat
}

func newReading(ctx context.Context, run Run, agent, id string) *reading {
	return &reading{
		ctx: ctx, run: run, args: map[string]any{"agent": agent, "id": id},
		calls: map[string]*ToolCall{}, stopped: map[int64]bool{}, summaries: map[string]bool{},
	}
}

// placed is a piece and its position within a message.
type placed struct {
	Piece
	place, number int64
}

// order returns the index of the piece's message. Pieces without an index come last,
// except the Copied piece, which comes first.
func (p *placed) order() int64 {
	if p.Index < 0 && p.Kind != Copied {
		return math.MaxInt64
	}
	return p.Index
}

func (r *reading) add(place, number int64, p Piece) {
	r.pieces = append(r.pieces, placed{p, place, number})
}

func (r *reading) each(sql string, visit func([]any)) {
	if r.err != nil {
		return
	}
	set, err := r.run(r.ctx, sql, r.args)
	if r.err = err; err != nil {
		return
	}
	for _, row := range set.Rows {
		visit(row)
	}
}

const sessionColumns = `SELECT s.agent, s.session_id, s.kind, s.project, s.about, s.model, s.git_branch, s.parent_session_id, s.forked_from,
	CASE WHEN s.kind = 'main' AND o.gone_at IS NULL THEN resume(s.agent, coalesce(s.native_id, s.session_id)) END,
	s.started_at, s.ended_at, s.prompt_count, s.rejection_count,
	CAST(coalesce(s.input_tokens, 0) + coalesce(s.output_tokens, 0) + coalesce(s.cache_read_tokens, 0) + coalesce(s.cache_write_tokens, 0) AS BIGINT), s.cost_usd,
	o.gone_at IS NOT NULL, `

// sessionTables follows the name of the project. Only the session itself has one: the
// names of projects take longer than the rest.
const sessionTables = ` FROM sessions s LEFT JOIN sources o USING (source_id) `

const (
	sessionSQL  = sessionColumns + "coalesce(n.name, s.project)" + sessionTables + "LEFT JOIN projects n ON n.project = s.project WHERE s.agent = $agent AND s.session_id = $id"
	subagentSQL = sessionColumns + "NULL" + sessionTables + "WHERE s.agent = $agent AND s.parent_session_id = $id ORDER BY s.started_at, s.session_id"
	messagesSQL = `SELECT message_index, timestamp, kind, typed_by, text, thinking, is_active FROM messages
		WHERE agent = $agent AND session_id = $id AND (text IS NOT NULL OR thinking IS NOT NULL)`
	callsSQL = `SELECT message_index, batch_index, timestamp, tool_use_id, tool_name, tool_kind, command, file_path, CAST(input AS VARCHAR), output, status,
		exit_code, duration_ms, result_message_index, parent_tool_use_id, subagent_session_id, decision, decided_by,
		nullif(about(file_in(project, file_path), command, input), CAST(input AS VARCHAR)) FROM tool_calls WHERE agent = $agent AND session_id = $id`
	refusalsSQL = `SELECT message_index, timestamp, tool_use_id, tool_name, tool_kind, command, file_path, CAST(tool_input AS VARCHAR), decided_by, reason, next_prompt,
		proposed_diff, cascaded, nullif(about(file_in(project, file_path), command, tool_input), CAST(tool_input AS VARCHAR)) FROM rejections WHERE agent = $agent AND session_id = $id`
	refusalsOrder = " ORDER BY timestamp, tool_use_id"
	stopsSQL      = `SELECT message_index, timestamp, type, phase, tool_name, partial_output, marker, paired_rejection FROM interruptions
		WHERE agent = $agent AND session_id = $id`
	compactionsSQL = `SELECT after_message_index, timestamp, trigger, pre_tokens, post_tokens, len(replaced_message_indices), summary FROM compactions
		WHERE agent = $agent AND session_id = $id`
	clearsSQL = `SELECT after_message_index, timestamp, command, trigger, next_session_id, confidence FROM clears
		WHERE agent = $agent AND session_id = $id`
	clearsOrder = " ORDER BY timestamp"
)

func sessionOf(row []any) Session {
	gone, _ := row[16].(bool)
	return Session{
		Agent: text(row[0]), ID: text(row[1]), Kind: text(row[2]), Project: text(row[3]), About: text(row[4]),
		Model: text(row[5]), Branch: text(row[6]), Parent: text(row[7]), ForkedFrom: text(row[8]), Resume: text(row[9]),
		StartedAt: moment(row[10]), EndedAt: moment(row[11]), Prompts: number(row[12]), Refused: number(row[13]), Tokens: number(row[14]),
		CostUSD: pointerTo[float64](row[15]), Gone: gone, ProjectName: text(row[17]),
	}
}

func (r *reading) addMessage(row []any) {
	if r.summaries[text(row[4])] {
		return
	}
	index, kind, active := numberOr(row[0], -1), text(row[2]), row[6]
	p := Piece{Kind: Kind(kind), Index: index, Time: moment(row[1]), Who: speaker(kind, text(row[3])), Abandoned: active == false}
	if thought := strings.TrimSpace(text(row[5])); thought != "" {
		p := p
		p.Kind, p.Text = Thinking, thought
		r.add(1, 0, p)
	}
	if p.Text = strings.Trim(text(row[4]), "\r\n"); p.Text != "" && kind != "tool_result" && !(r.stopped[index] && slices.Contains([]string{"interruption", "notice", "error"}, kind)) {
		r.add(1, 1, p)
	}
}

// speaker returns the speaker of a kind of message.
func speaker(kind, typedBy string) string {
	switch kind {
	case "prompt", "command":
		if typedBy == "" || typedBy == "human" {
			return "you"
		}
		return typedBy
	case "response":
		return "agent"
	case "command_output":
		return "output"
	}
	return kind
}

func (r *reading) addCall(row []any) {
	c := &ToolCall{
		ID: text(row[3]), Tool: text(row[4]), Kind: text(row[5]), Command: text(row[6]), File: text(row[7]), Input: text(row[8]), Output: text(row[9]),
		Status: text(row[10]), ExitCode: pointerTo[int64](row[11]), Duration: time.Duration(number(row[12])) * time.Millisecond,
		Result: numberOr(row[13], -1), Parent: text(row[14]), Subagent: text(row[15]),
		Decision: text(row[16]), DecidedBy: text(row[17]), About: text(row[18]),
	}
	r.calls[c.ID] = c
	r.add(2, number(row[1]), Piece{Kind: Call, Index: numberOr(row[0], -1), Time: moment(row[2]), Who: "agent", Call: c, Link: c.Subagent})
}

func (r *reading) addRefusal(row []any) {
	index, cascaded := numberOr(row[0], -1), row[12] == true
	refusal := &Refusal{By: text(row[8]), Reason: text(row[9]), Next: text(row[10]), Diff: text(row[11]), Cascaded: cascaded}
	c := r.calls[text(row[2])]
	if c == nil { // the log no longer holds the call
		c = &ToolCall{ID: text(row[2]), Tool: text(row[3]), Kind: text(row[4]), Command: text(row[5]), File: text(row[6]), Input: text(row[7]), About: text(row[13]), Status: "rejected", Result: index}
		r.add(3, 0, Piece{Kind: Call, Index: index, Time: moment(row[1]), Who: "agent", Call: c})
	}
	c.Refusal = refusal
	if c.Result < 0 {
		c.Result = index
	}
}

func (r *reading) addStop(row []any) {
	index := numberOr(row[0], -1)
	r.stopped[index] = true
	if row[7] == true {
		return // the same keypress refused a call, and the call shows the refusal
	}
	who, cut := "you", text(row[5])
	if text(row[2]) != "user" {
		who, cut = "the system", text(row[6])
	}
	what := cmp.Or(text(row[4]), map[bool]string{true: "the " + text(row[3])}[text(row[3]) != ""], "the agent")
	r.add(4, 0, Piece{Kind: Stop, Index: index, Time: moment(row[1]), Who: "stop", What: who + " stopped " + what, Text: cut})
}

func (r *reading) addCompaction(row []any) {
	var what []string
	if trigger := text(row[2]); trigger != "" {
		what = append(what, trigger)
	}
	switch {
	case row[3] != nil && row[4] != nil:
		what = append(what, fmt.Sprintf("%d → %d tokens", number(row[3]), number(row[4])))
	case row[3] != nil:
		what = append(what, fmt.Sprintf("%d tokens", number(row[3])))
	}
	if n := number(row[5]); n > 0 {
		what = append(what, fmt.Sprintf("%d messages replaced", n))
	}
	r.summaries[text(row[6])] = row[6] != nil
	if !r.isIn(numberOr(row[0], -1)) {
		return // but a wanted message may repeat the summary
	}
	r.add(5, 0, Piece{Kind: Compaction, Index: numberOr(row[0], -1), Time: moment(row[1]), Who: "compaction", What: strings.Join(what, ", "), Text: text(row[6])})
}

func (r *reading) addClear(row []any) {
	what := cmp.Or(text(row[2]), map[bool]string{true: "a plan was accepted, and the context cleared"}[text(row[3]) == "plan"], "the context was cleared")
	if sure, ok := row[5].(float64); ok && sure < 1 {
		what += fmt.Sprintf(" (inferred, confidence %v)", sure)
	}
	r.add(6, 0, Piece{Kind: Clear, Index: numberOr(row[0], -1), Time: moment(row[1]), Who: "clear", What: what, Link: text(row[4])})
}

// Window is part of a session: the pieces of a range of messages.
type Window struct {
	*Conversation
	From, To    int64 // range of messages: From … To-1
	First, Last int64 // range of the session's messages without copies; Last is -1 if the session has none
}

// HasBefore reports whether the session has messages before the window.
func (w *Window) HasBefore() bool { return w.From > w.First }

// HasAfter reports whether the session has messages after the window.
func (w *Window) HasAfter() bool { return w.To <= w.Last }

// ReadWindow reads count messages of a session, starting at message from, and no
// others. A call comes with its result and its refusal, even if their messages are
// outside the window. The Copied piece comes with the first window, pieces without a
// message with the last. From is moved into the range of the session's messages.
func ReadWindow(ctx context.Context, run Run, agent, id string, from, count int64) (*Window, error) {
	w := &Window{Last: -1}
	r := newReading(ctx, run, agent, id)
	r.each("SELECT min(message_index), max(message_index) FROM messages WHERE agent = $agent AND session_id = $id", func(row []any) {
		w.First, w.Last = number(row[0]), numberOr(row[1], -1)
	})
	w.From = max(w.First, min(from, w.Last))
	w.To = w.From + max(count, 1)
	if w.To < w.From { // overflow
		w.To = math.MaxInt64
	}
	if w.HasBefore() {
		r.from, r.args["from"] = true, w.From
	}
	if w.HasAfter() {
		r.to, r.args["to"] = true, w.To
	}
	r.read()
	if r.err != nil {
		return nil, r.err
	}
	w.Conversation = &r.made
	return w, nil
}

// within returns an SQL condition: the message index in column lies in the window.
func (r *reading) within(column string) (and string) {
	switch {
	case r.from && r.to:
		return " AND " + column + " >= $from AND " + column + " < $to"
	case r.from:
		return " AND (" + column + " >= $from OR " + column + " IS NULL)"
	case r.to:
		return " AND " + column + " < $to"
	}
	return ""
}

// isIn reports whether a message index lies in the window. A negative index means that
// an event has no message; it belongs to the last window.
func (r *reading) isIn(index int64) bool {
	if index < 0 {
		return !r.to
	}
	return !(r.from && index < r.args["from"].(int64)) && !(r.to && index >= r.args["to"].(int64))
}

// refusalsSQL returns the query for refusals. In a window the query selects refusals of
// the window's calls, and refusals in the window whose call is missing.
func (r *reading) refusalsSQL() string {
	if !r.from && !r.to {
		return refusalsSQL + refusalsOrder
	}
	const calls = "SELECT coalesce(tool_use_id, '') FROM tool_calls WHERE agent = $agent AND session_id = $id"
	return refusalsSQL + " AND (coalesce(tool_use_id, '') IN (" + calls + r.within("message_index") + ") OR (coalesce(tool_use_id, '') NOT IN (" + calls + ")" +
		r.within("message_index") + "))" + refusalsOrder
}
