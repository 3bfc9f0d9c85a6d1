package conversation

import (
	"cmp"
	"context"
	"strings"
	"time"

	"hindsql/internal/result"
)

// Filter says which events are wanted. The zero value of a field wants all.
type Filter struct {
	Since, Until time.Time // until is the first moment that is no longer wanted
	Agent        string
	Project      string // part of the project's folder, in any case
	Tool         string // as the agent calls it, in any case
	Decision     string // granted or refused
	Kind         string // what the tool does
	Text         string // a part of what an event says, in any case
	Offset, Top  int    // so many are left out, and so many given at most; a Top of 0 is no limit
}

// Event is what all events have in common.
type Event struct {
	Time             time.Time // zero where unknown
	Agent, Session   string    // an empty session is one that no log names
	About            string    // of the session
	Project          string    // folder
	ProjectName      string    // as short as tells it from others
	Index            int64     // of the message that brought it; of a compaction and a clear, the last before it; -1 where unknown
	ToolUse          string    // id of the call, where it is one's
	Tool, Kind       string    // of the call: as the agent calls it, and what it does
	Command, File    string    // what the call would have run, or be about
	Input, Asked     string    // its arguments, JSON; of a plan or a question, the text that was to be decided about
	Place            int64     // message to show for it: the one that makes the call, else Index
	DecidedBy        string    // user, rule, hook … ; of a stop, user or system
	Confidence       float64   // 0 to 1
	Evidence, Prompt string    // what the log has of it; what the user typed next
}

// events are the rows of a kind of event: what they are taken from, and which
// column is what of a filter. Each has columns x of its table, s of sessions and
// p of projects.
type events struct {
	table, joins string
	fixed        string   // condition that all meet
	order        string   // newest first
	texts        []string // where a text is looked for
	project      string
	until        string // what is compared with the end of a range; empty for the time

	tool, decision, kind string // columns; empty for a filter that doesn't apply
}

func (e *events) from() string {
	return " FROM " + e.table + " x LEFT JOIN sessions s ON s.agent = x.agent AND s.session_id = x.session_id LEFT JOIN projects p ON p.project = " + e.project + " " + e.joins
}

// where is the condition of a filter, with what it binds.
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
	add("project", f.Project, e.project, "contains(lower(%), lower($project))")
	add("tool", f.Tool, e.tool, "lower(%) = lower($tool)")
	add("decision", f.Decision, e.decision, "% = $decision")
	add("kind", f.Kind, e.kind, "% = $kind")
	add("text", f.Text, "concat_ws(chr(10), "+strings.Join(e.texts, ", ")+")", "contains(lower(%), lower($text))")
	return strings.Join(and, " AND "), args
}

// eventColumns are those of an [Event] that every table has.
const eventColumns = "x.timestamp, x.agent, x.session_id, s.about"

func (e *events) count(ctx context.Context, run Run, f *Filter) (int64, error) {
	where, args := e.where(f)
	set, err := run(ctx, "SELECT count(*) FROM (SELECT 1"+e.from()+"WHERE "+where+")", args)
	if err != nil || len(set.Rows) == 0 {
		return 0, err
	}
	return number(set.Rows[0][0]), nil
}

// page runs a statement over the rows that a filter wants, which it knows as
// page: those of the columns named, with what they have in common, and their
// number n.
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

// onKept is an order of the columns of kept.
func onKept(order string) string { return strings.ReplaceAll(order, "x.", "") }

// eventsListed gives the events of a kind, and how many match in all.
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

// shared are the columns of page that [eventOf] reads, and those of a call.
const (
	shared  = "g.timestamp, g.agent, g.session_id, g.about, g.folder, g.project_name"
	askedOf = "coalesce(%[1]s->>'plan', %[1]s->>'summary', %[1]s->>'$.questions[0].question')"
)

// callOf reads message_index, tool_use_id, tool_name, tool_kind, command,
// file_path, input, what was asked, and the message that makes the call.
func (e *Event) callOf(row []any) {
	e.Index, e.ToolUse, e.Tool, e.Kind = numberOr(row[0], -1), text(row[1]), text(row[2]), text(row[3])
	e.Command, e.File, e.Input, e.Asked, e.Place = text(row[4]), text(row[5]), text(row[6]), text(row[7]), numberOr(row[8], -1)
}

func eventOf(row []any) Event {
	return Event{
		Time: moment(row[0]), Agent: text(row[1]), Session: text(row[2]), About: text(row[3]),
		Project: text(row[4]), ProjectName: text(row[5]),
	}
}
