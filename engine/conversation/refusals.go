package conversation

import (
	"context"
	"fmt"
	"strings"
	"time"

	"hindsql/tables"
)

// Refused is a call that was refused.
type Refused struct {
	Event
	Diff     string // unified diff of the edit
	Denial   string // the agent's own word for it
	Reason   string
	Cascaded bool   // it wasn't refused itself, but went down with another
	Cause    string // id of the call that it went down with
	With     []Fallen
	After    After
}

// Fallen is a call that went down with one that was refused.
type Fallen struct{ ToolUse, Tool, Command, File string }

// After is the first thing that an agent did after a refusal.
type After struct {
	Next    Next
	Index   int64 // of its message; -1 for nothing
	Time    time.Time
	Tool    string // of a call
	Command string
	File    string
	Input   string // arguments, JSON
	Asked   string // of a plan or a question, its text
	ToolUse string
	Answer  string // what it said where it made no call
}

// Next is what kind of thing came next.
type Next string

// What comes after a refusal.
const (
	Again       Next = "again" // the same call
	SameTool    Next = "same tool"
	AnotherTool Next = "another tool"
	Answered    Next = "answered"
	Nothing     Next = "nothing"
)

var refusals = events{
	table: "rejections", fixed: "NOT x.cascaded", order: "x.timestamp DESC, x.tool_use_id, x.agent, x.session_id",
	project: "s.project", tool: "x.tool_name", by: "x.decided_by", kind: "x.tool_kind", call: "x.tool_use_id",
	texts: []string{"x.reason", "x.next_prompt", "x.command", "x.file_path", "CAST(x.tool_input AS VARCHAR)", "s.about"},
}

const refusalColumns = `x.message_index, x.tool_use_id, x.tool_name, x.tool_kind, x.command, x.file_path, x.tool_input, x.decided_by, x.confidence, x.evidence,
	x.next_prompt, x.proposed_diff, x.denial_kind, x.reason, x.cascaded, x.cause_tool_use_id`

// refusalSQL gives refusals with what came next: the first call that the model
// made in a later message, and the first answer in one, as the query
// after-refusal does. A test holds both to the same. Inner joins find those, so that
// a hash is made of the page and not of all messages.
var refusalSQL = `, called AS (
	SELECT g.n, g.agent, g.session_id, min(c.message_index) AS place FROM page g
	JOIN tool_calls c ON c.agent = g.agent AND c.session_id = g.session_id AND c.message_index > g.message_index
	WHERE c.batch_index = 0 AND c.parent_tool_use_id IS NULL GROUP BY ALL
), answered AS (
	SELECT g.n, g.agent, g.session_id, min(m.message_index) AS place FROM page g
	JOIN messages m ON m.agent = g.agent AND m.session_id = g.session_id AND m.message_index > g.message_index
	WHERE m.kind = 'response' AND m.text IS NOT NULL GROUP BY ALL
), calls AS (
	SELECT d.n, c.* FROM called d JOIN tool_calls c ON c.agent = d.agent AND c.session_id = d.session_id AND c.message_index = d.place
	WHERE c.batch_index = 0 AND c.parent_tool_use_id IS NULL
), answers AS (
	SELECT e.n, m.* FROM answered e JOIN messages m ON m.agent = e.agent AND m.session_id = e.session_id AND m.message_index = e.place
), own AS (
	SELECT g.n, c.message_index FROM page g JOIN tool_calls c ON c.agent = g.agent AND c.session_id = g.session_id AND c.tool_use_id = g.tool_use_id
)
SELECT ` + shared + `, g.message_index, g.tool_use_id, g.tool_name, g.tool_kind, g.command, g.file_path, CAST(g.tool_input AS VARCHAR), ` + fmt.Sprintf(askedOf, "g.tool_input") + `,
	coalesce(o.message_index, g.message_index), g.decided_by, g.confidence, g.evidence, g.next_prompt, g.proposed_diff, g.denial_kind, g.reason, g.cascaded, g.cause_tool_use_id,
	c.message_index, c.timestamp, c.tool_use_id, c.tool_name, c.command, c.file_path, CAST(c.input AS VARCHAR), ` + fmt.Sprintf(askedOf, "c.input") + `,
	a.message_index, a.timestamp, a.text
FROM page g
LEFT JOIN own o ON o.n = g.n
LEFT JOIN calls c ON c.n = g.n
LEFT JOIN answers a ON a.n = g.n
ORDER BY g.n`

// Refusals gives the calls that were refused, newest first, and how many match
// in all. Those that went down with another stand with that, unless the filter
// names the call.
func Refusals(ctx context.Context, run Run, f Filter) ([]Refused, int64, error) {
	of := refusals
	if f.Call != "" {
		of.fixed = "true"
	}
	list, count, err := eventsListed(ctx, run, &f, &of, refusalColumns, refusalSQL, refusedOf)
	if err == nil {
		err = fallen(ctx, run, list)
	}
	return list, count, err
}

func refusedOf(row []any) Refused {
	r := Refused{Event: eventOf(row), Diff: text(row[20]), Denial: text(row[21]), Reason: text(row[22]), Cascaded: row[23] == true, Cause: text(row[24])}
	r.callOf(row[7:])
	r.DecidedBy, r.Evidence, r.Prompt = text(row[16]), text(row[18]), text(row[19])
	r.Confidence, _ = row[17].(float64)
	r.After = r.afterOf(row[25:])
	return r
}

// callOf reads message_index, tool_use_id, tool_name, tool_kind, command,
// file_path, input, what was asked, and the message that makes the call.
func (e *Event) callOf(row []any) {
	e.Index, e.ToolUse, e.Tool, e.Kind = numberOr(row[0], -1), text(row[1]), text(row[2]), text(row[3])
	e.Command, e.File, e.Input, e.Asked, e.Place = text(row[4]), text(row[5]), text(row[6]), text(row[7]), numberOr(row[8], -1)
}

func (r *Refused) afterOf(row []any) After {
	called, answered := numberOr(row[0], -1), numberOr(row[8], -1)
	switch {
	case called >= 0 && (answered < 0 || called <= answered):
		a := After{
			Next: AnotherTool, Index: called, Time: moment(row[1]), ToolUse: text(row[2]), Tool: text(row[3]), Command: text(row[4]),
			File: text(row[5]), Input: text(row[6]), Asked: text(row[7]),
		}
		if a.Tool == r.Tool {
			a.Next = SameTool
			if a.File == r.File && a.Command == r.Command && a.File+a.Command != "" {
				a.Next = Again
			}
		}
		return a
	case answered >= 0:
		return After{Next: Answered, Index: answered, Time: moment(row[9]), Answer: text(row[10])}
	}
	return After{Next: Nothing, Index: -1}
}

// Took is how long after the refusal it was done; zero where the log doesn't say.
func (r Refused) Took() time.Duration {
	if r.Time.IsZero() || r.After.Time.Before(r.Time) {
		return 0
	}
	return r.After.Time.Sub(r.Time)
}

// fallen puts calls that went down with refused ones beside those.
func fallen(ctx context.Context, run Run, list []Refused) error {
	at, ids := map[[3]string]*Refused{}, []string{}
	for i := range list {
		r := &list[i]
		at[[3]string{r.Agent, r.Session, r.ToolUse}] = r
		ids = append(ids, tables.Quote(r.ToolUse))
	}
	if len(ids) == 0 {
		return nil
	}
	set, err := run(ctx, `SELECT agent, session_id, cause_tool_use_id, tool_use_id, tool_name, command, file_path FROM rejections
		WHERE cascaded AND cause_tool_use_id IN (`+strings.Join(ids, ", ")+`) ORDER BY timestamp, tool_use_id`, nil)
	for _, row := range set.Rows {
		if r := at[[3]string{text(row[0]), text(row[1]), text(row[2])}]; r != nil {
			r.With = append(r.With, Fallen{text(row[3]), text(row[4]), text(row[5]), text(row[6])})
		}
	}
	return err
}
