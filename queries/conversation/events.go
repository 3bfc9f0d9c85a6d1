package conversation

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"hindsql/internal/result"
)

// Filter selects events. The zero value of a field selects all.
type Filter struct {
	Since, Until time.Time // Until itself is excluded
	Agent        string
	Project      string // part of the project's folder, in any case
	Tool         string // the agent's name of the tool, in any case
	Decision     string // granted or refused
	Kind         string // tool_kind
	Text         string // part of one of the event's texts, in any case
	Offset, Top  int    // events skipped; most events returned, 0 for all
}

// Event holds the fields that all events have.
type Event struct {
	Time             time.Time // zero if unknown
	Agent, Session   string    // Session is empty if the log names none
	About            string    // about line of the session
	Project          string    // folder
	ProjectName      string    // shortest unique name of the project
	Index            int64     // index of the event's message; for a compaction or clear, the last message before; -1 if unknown
	ToolUse          string    // id of the call; empty if the event is no call
	Tool, Kind       string    // the agent's name of the tool; tool_kind
	Command, File    string    // shell command of the call; file that the call is about
	Input, Asked     string    // arguments, JSON; for a plan or question, the text to decide about
	Subject          string    // what the call was about, as the function about says; empty if about says all arguments
	Place            int64     // index of the message to show: the message that makes the call, or Index
	DecidedBy        string    // user, rule, hook …; for a stop, user or system
	Confidence       float64   // 0 to 1
	Evidence, Prompt string    // evidence in the log; next prompt the user typed
}

// events describes how to select one kind of event, for example refusals: the table,
// and the columns to which a filter applies. In the SQL, x is the table, s is sessions,
// and p is projects.
type events struct {
	table, joins string
	fixed        string   // condition on every row
	order        string   // newest first
	texts        []string // columns that Filter.Text searches
	project      string
	until        string // column compared with Filter.Until; empty for x.timestamp

	tool, decision, kind string // columns; empty if the filter doesn't apply
}

func (e *events) from() string {
	return " FROM " + e.table + " x LEFT JOIN sessions s ON s.agent = x.agent AND s.session_id = x.session_id LEFT JOIN projects p ON p.project = " + e.project + " " + e.joins
}

// where returns the SQL condition of a filter, and the arguments to bind.
func (e *events) where(f *Filter) (condition string, args map[string]any) {
	and, args := []string{e.fixed}, map[string]any{}
	add := func(name, value, column, condition string) {
		if value != "" && column != "" {
			and, args[name] = append(and, strings.ReplaceAll(condition, "%", column)), value
		}
	}
	if !f.Since.IsZero() {
		add("since", f.Since.Format(time.RFC3339Nano), "x.timestamp", "% >= CAST($since AS TIMESTAMPTZ)")
	}
	if !f.Until.IsZero() {
		add("until", f.Until.Format(time.RFC3339Nano), cmp.Or(e.until, "x.timestamp"), "% < CAST($until AS TIMESTAMPTZ)")
	}
	add("agent", f.Agent, "x.agent", "% = $agent")
	add("project", f.Project, e.project, "in_project(%, $project)")
	add("tool", f.Tool, e.tool, "lower(%) = lower($tool)")
	add("decision", f.Decision, e.decision, "% = $decision")
	add("kind", f.Kind, e.kind, "% = $kind")
	add("text", f.Text, "concat_ws(chr(10), "+strings.Join(e.texts, ", ")+")", "contains(lower(%), lower($text))")
	return strings.Join(and, " AND "), args
}

// eventColumns lists the columns of an [Event] that every table has.
const eventColumns = "x.timestamp, x.agent, x.session_id, s.about"

func (e *events) count(ctx context.Context, run Run, f *Filter) (int64, error) {
	where, args := e.where(f)
	set, err := run(ctx, "SELECT count(*) FROM (SELECT 1"+e.from()+"WHERE "+where+")", args)
	if err != nil || len(set.Rows) == 0 {
		return 0, err
	}
	return number(set.Rows[0][0]), nil
}

// page runs a statement on one page of events: the rows that the filter selects, up to
// its Top. The statement reads them from a table called page, which has the shared
// columns, the given columns, and the row number n.
func (e *events) page(ctx context.Context, run Run, f *Filter, columns, statement string) (result.Set, error) {
	where, args := e.where(f)
	limit := ""
	if f.Top > 0 {
		limit = " LIMIT $top OFFSET $offset"
		args["top"], args["offset"] = int64(f.Top), int64(f.Offset)
	}
	return run(ctx, "WITH kept AS MATERIALIZED (SELECT "+eventColumns+", "+e.project+" AS folder, coalesce(p.name, "+e.project+") AS project_name, "+columns+
		e.from()+"WHERE "+where+" ORDER BY "+e.order+limit+"), page AS MATERIALIZED (SELECT *, row_number() OVER (ORDER BY "+strings.ReplaceAll(e.order, "x.", "")+") AS n FROM kept)\n"+statement, args)
}

// listEvents returns the selected events and the number of all matches.
func listEvents[T any](ctx context.Context, run Run, f *Filter, e *events, columns, statement string, of func(row []any) T) (list []T, count int64, err error) {
	if count, err = e.count(ctx, run, f); err != nil || count <= int64(f.Offset) {
		return nil, count, err
	}
	set, err := e.page(ctx, run, f, columns, statement)
	for _, row := range set.Rows {
		list = append(list, of(row))
	}
	return list, count, err
}

// shared lists the columns of page that [eventOf] reads.
const shared = "g.timestamp, g.agent, g.session_id, g.about, g.folder, g.project_name"

// setCall reads message_index, tool_use_id, tool_name, tool_kind, command, file_path,
// input, the text to decide about, the index of the message that makes the call, and
// what the call was about.
func (e *Event) setCall(row []any) {
	e.Index, e.ToolUse, e.Tool, e.Kind = numberOr(row[0], -1), text(row[1]), text(row[2]), text(row[3])
	e.Command, e.File, e.Input, e.Asked, e.Place = text(row[4]), text(row[5]), text(row[6]), text(row[7]), numberOr(row[8], -1)
	e.Subject = text(row[9])
}

func eventOf(row []any) Event {
	return Event{
		Time: moment(row[0]), Agent: text(row[1]), Session: text(row[2]), About: text(row[3]),
		Project: text(row[4]), ProjectName: text(row[5]),
	}
}

// Approved is a call that the agent asked a person about, with the person's decision.
type Approved struct {
	Event
	Decision string        // granted or refused
	Scope    string        // how long a grant lasts: once, session, project, always; empty if unknown
	Waited   time.Duration // time the agent waited; zero if unknown
	Status   string        // result of the call, as in tool_calls
	Diff     string        // unified diff of a refused edit
	Reason   string        // reason for a refusal
}

var approvals = events{
	table: "tool_calls", fixed: `x.decided_by = 'user' AND x.decision IN ('granted', 'refused')
		AND NOT EXISTS (FROM with_copies.rejections i WHERE i.is_inferred AND i.agent = x.agent AND i.session_id = x.session_id AND i.tool_use_id = x.tool_use_id)`,
	order: "x.timestamp DESC, x.tool_use_id, x.agent, x.session_id", project: "x.project", tool: "x.tool_name", decision: "x.decision", kind: "x.tool_kind",
	texts: []string{"x.command", "x.file_path", "CAST(x.input AS VARCHAR)", "s.about"},
}

const approvalColumns = `x.message_index, x.tool_use_id, x.tool_name, x.tool_kind, x.command, x.file_path, x.decision, x.decision_scope, x.waited_ms, x.status, x.decision_confidence`

// approvalSQL joins tool_calls again to read inputs for the page's calls only.
var approvalSQL = `SELECT ` + shared + `, g.message_index, g.tool_use_id, g.tool_name, g.tool_kind, g.command, g.file_path, CAST(c.input AS VARCHAR), asked(c.input), g.message_index,
	nullif(about(file_in(g.folder, g.file_path), g.command, c.input), CAST(c.input AS VARCHAR)), g.decision_confidence, g.decision, g.decision_scope, g.waited_ms, g.status, r.proposed_diff, r.reason, r.next_prompt
FROM page g
LEFT JOIN tool_calls c ON c.agent = g.agent AND c.session_id = g.session_id AND c.tool_use_id = g.tool_use_id
LEFT JOIN rejections r ON r.agent = g.agent AND r.session_id = g.session_id AND r.tool_use_id = g.tool_use_id
ORDER BY g.n`

// Approvals returns the calls that a person was asked about, newest first, and the
// number of all matches.
func Approvals(ctx context.Context, run Run, f Filter) ([]Approved, int64, error) {
	return listEvents(ctx, run, &f, &approvals, approvalColumns, approvalSQL, func(row []any) Approved {
		a := Approved{
			Event: eventOf(row), Decision: text(row[17]), Scope: text(row[18]), Waited: time.Duration(number(row[19])) * time.Millisecond, Status: text(row[20]),
			Diff: text(row[21]), Reason: text(row[22]),
		}
		a.setCall(row[6:])
		a.DecidedBy, a.Prompt = "user", text(row[23])
		a.Confidence, _ = row[16].(float64)
		return a
	})
}

// text returns a value as text, empty for NULL.
func text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	return fmt.Sprint(v)
}

// number returns a whole number, 0 for NULL.
func number(v any) int64 { return numberOr(v, 0) }

func numberOr(v any, other int64) int64 {
	switch v := v.(type) {
	case int64:
		return v
	case int32:
		return int64(v)
	}
	return other
}

func moment(v any) time.Time {
	at, _ := v.(time.Time)
	return at
}

func pointerTo[T any](v any) *T {
	if v, ok := v.(T); ok {
		return &v
	}
	return nil
}

// Listed is a session in a list, with totals that include its subagents.
type Listed struct {
	Session
	Refusals  int64 // refusals by a person, subagents included
	AllTokens int64 // tokens, subagents included
	Estimated *float64
}

var sessions = events{
	table: "(SELECT *, ended_at AS timestamp FROM sessions WHERE kind = 'main')", fixed: "true", order: "x.timestamp DESC NULLS LAST, x.session_id, x.agent",
	project: "x.project", until: "x.started_at", texts: []string{"x.about", "x.title", "x.session_id", "x.project", "x.git_branch"},
}

const (
	listColumns = `x.native_id, x.kind AS own_kind, x.model, x.git_branch, x.parent_session_id, x.forked_from, x.source_id, x.started_at, x.ended_at, x.prompt_count, x.rejection_count,
	CAST(coalesce(x.input_tokens, 0) + coalesce(x.output_tokens, 0) + coalesce(x.cache_read_tokens, 0) + coalesce(x.cache_write_tokens, 0) AS BIGINT) AS tokens,
	x.cost_usd, x.cost_estimated_usd`
	listSQL = `, below AS (
	SELECT agent, parent_session_id AS session_id, sum(coalesce(input_tokens, 0) + coalesce(output_tokens, 0) + coalesce(cache_read_tokens, 0) + coalesce(cache_write_tokens, 0)) AS tokens,
		sum(rejection_count) AS refused
	FROM sessions WHERE parent_session_id IS NOT NULL GROUP BY ALL
)
SELECT g.agent, g.session_id, g.own_kind, g.folder, g.about, g.model, g.git_branch, g.parent_session_id, g.forked_from,
	CASE WHEN o.gone_at IS NULL THEN resume(g.agent, coalesce(g.native_id, g.session_id)) END,
	g.started_at, g.ended_at, g.prompt_count, g.rejection_count, g.tokens, g.cost_usd, o.gone_at IS NOT NULL,
	g.project_name, CAST(g.rejection_count + coalesce(b.refused, 0) AS BIGINT), CAST(g.tokens + coalesce(b.tokens, 0) AS BIGINT), g.cost_estimated_usd
FROM page g LEFT JOIN below b ON b.agent = g.agent AND b.session_id = g.session_id LEFT JOIN sources o ON o.source_id = g.source_id
ORDER BY g.n`
)

// Sessions returns the sessions that people began, the latest first, and the number of
// all matches. A session matches if it ended at or after Since and began before Until.
func Sessions(ctx context.Context, run Run, f Filter) ([]Listed, int64, error) {
	return listEvents(ctx, run, &f, &sessions, listColumns, listSQL, func(row []any) Listed {
		return Listed{Session: sessionOf(row), Refusals: number(row[18]), AllTokens: number(row[19]), Estimated: pointerTo[float64](row[20])}
	})
}
