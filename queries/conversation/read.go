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
	r := &reading{ctx: ctx, run: run, args: map[string]any{"agent": agent, "id": id}}
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
		r.each("SELECT count(*), min(timestamp) FROM with_copies.messages WHERE agent = $agent AND session_id = $id AND is_copy AND kind IS DISTINCT FROM 'usage'", r.copied)
	}
	r.each(stopsSQL+r.within("message_index"), r.stop)
	r.each(compactionsSQL, r.compaction)
	r.each(messagesSQL+r.within("message_index"), r.message)
	r.each(callsSQL+r.within("message_index"), r.call)
	r.each(r.refusals(), r.refusal)
	r.each(clearsSQL+r.within("after_message_index")+clearsOrder, r.clear)
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

const sessionColumns = `SELECT s.agent, s.session_id, s.native_id, s.kind, s.project, s.about, s.model, s.git_branch, s.parent_session_id, s.forked_from,
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
		exit_code, duration_ms, result_message_index, parent_tool_use_id, subagent_session_id, batch_size, decision, decided_by,
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
	gone, _ := row[17].(bool)
	return Session{
		Agent: text(row[0]), ID: text(row[1]), NativeID: text(row[2]), Kind: text(row[3]), Project: text(row[4]), About: text(row[5]),
		Model: text(row[6]), Branch: text(row[7]), Parent: text(row[8]), ForkedFrom: text(row[9]), Resume: text(row[10]),
		StartedAt: moment(row[11]), EndedAt: moment(row[12]), Prompts: number(row[13]), Refused: number(row[14]), Tokens: number(row[15]),
		CostUSD: maybe[float64](row[16]), Gone: gone, ProjectName: text(row[18]),
	}
}

func (r *reading) copied(row []any) {
	if n := number(row[0]); n > 0 {
		r.add(0, 0, Piece{Kind: Copied, Index: -1, Time: moment(row[1]), Who: "copy", Count: n, Link: r.made.ForkedFrom})
	}
}

func (r *reading) message(row []any) {
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

func (r *reading) call(row []any) {
	c := &ToolCall{
		ID: text(row[3]), Tool: text(row[4]), Kind: text(row[5]), Command: text(row[6]), File: text(row[7]), Input: text(row[8]), Output: text(row[9]),
		Status: text(row[10]), ExitCode: maybe[int64](row[11]), Duration: time.Duration(number(row[12])) * time.Millisecond,
		Result: numberOr(row[13], -1), Parent: text(row[14]), Subagent: text(row[15]),
		Batch: number(row[1]), BatchSize: number(row[16]), Decision: text(row[17]), DecidedBy: text(row[18]), About: text(row[19]),
	}
	if r.calls == nil {
		r.calls = map[string]*ToolCall{}
	}
	r.calls[c.ID] = c
	r.add(2, number(row[1]), Piece{Kind: Call, Index: numberOr(row[0], -1), Time: moment(row[2]), Who: "agent", Call: c, Link: c.Subagent})
}

func (r *reading) refusal(row []any) {
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

func (r *reading) stop(row []any) {
	index := numberOr(row[0], -1)
	if r.stopped == nil {
		r.stopped = map[int64]bool{}
	}
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

func (r *reading) compaction(row []any) {
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
	if r.summaries == nil {
		r.summaries = map[string]bool{}
	}
	r.summaries[text(row[6])] = row[6] != nil
	if !r.isIn(numberOr(row[0], -1)) {
		return // but a wanted message may repeat the summary
	}
	r.add(5, 0, Piece{Kind: Compaction, Index: numberOr(row[0], -1), Time: moment(row[1]), Who: "compaction", What: strings.Join(what, ", "), Text: text(row[6])})
}

func (r *reading) clear(row []any) {
	what := cmp.Or(text(row[2]), map[bool]string{true: "a plan was accepted, and the context cleared"}[text(row[3]) == "plan"], "the context was cleared")
	if sure, ok := row[5].(float64); ok && sure < 1 {
		what += fmt.Sprintf(" (inferred, confidence %v)", sure)
	}
	r.add(6, 0, Piece{Kind: Clear, Index: numberOr(row[0], -1), Time: moment(row[1]), Who: "clear", What: what, Link: text(row[4])})
}
