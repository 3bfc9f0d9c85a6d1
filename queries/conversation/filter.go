package conversation

import (
	"cmp"
	"context"
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
		e.from()+"WHERE "+where+" ORDER BY "+e.order+limit+"), page AS MATERIALIZED (SELECT *, row_number() OVER (ORDER BY "+onKept(e.order)+") AS n FROM kept)\n"+statement, args)
}

// onKept rewrites an ORDER BY for the table kept, whose columns have no prefix "x.".
func onKept(order string) string { return strings.ReplaceAll(order, "x.", "") }

// eventsListed returns the selected events and the number of all matches.
func eventsListed[T any](ctx context.Context, run Run, f *Filter, e *events, columns, statement string, of func(row []any) T) (list []T, count int64, err error) {
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

// callOf reads message_index, tool_use_id, tool_name, tool_kind, command, file_path,
// input, the text to decide about, the index of the message that makes the call, and
// what the call was about.
func (e *Event) callOf(row []any) {
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
