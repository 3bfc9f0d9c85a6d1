package conversation

import (
	"cmp"
	"fmt"

	"hindsql/internal/result"
	"hindsql/internal/words"
)

// Rows returns a table with one row a piece and whole texts, for tabular formats.
func (c *Conversation) Rows() result.Set {
	set := result.Set{Columns: result.Columns("time TIMESTAMPTZ", "who VARCHAR", "kind VARCHAR", "text VARCHAR", "tool VARCHAR", "command VARCHAR", "file VARCHAR",
		"status VARCHAR", "refused_by VARCHAR", "reason VARCHAR", "proposed_diff VARCHAR", "input JSON", "output VARCHAR", "count BIGINT",
		"leads_to VARCHAR", "session VARCHAR", "message BIGINT")}
	for _, p := range c.Pieces {
		call, refusal := p.Call, &Refusal{}
		if call == nil {
			call = &ToolCall{}
		} else if call.Refusal != nil {
			refusal = call.Refusal
		}
		said := p.Text
		if p.What != "" && said == "" {
			said = p.What
		} else if p.What != "" {
			said = p.What + ": " + said
		}
		set.Rows = append(set.Rows, []any{
			orNull(p.Time, p.Time.IsZero()), texted(p.Who), string(p.Kind), texted(said), texted(call.Tool), texted(call.Command), texted(call.File),
			texted(call.Status), texted(refusal.By), texted(refusal.Reason), texted(refusal.Diff), texted(call.Input), texted(call.Output), orNull(p.Count, p.Count == 0),
			texted(p.Link), c.ID, orNull(p.Index, p.Index < 0),
		})
	}
	return set
}

// texted returns a text, or NULL if empty.
func texted(s string) any { return orNull(s, s == "") }

func orNull(v any, isNull bool) any {
	if isNull {
		return nil
	}
	return v
}

// HitRows returns hits as a table. The column session is a reference to the hit's
// message.
func HitRows(hits []Hit) result.Set {
	set := result.Set{Columns: result.Columns("time TIMESTAMPTZ", "agent VARCHAR", "project VARCHAR", "about VARCHAR", "kind VARCHAR", "line VARCHAR", "session VARCHAR")}
	for _, h := range hits {
		reference := h.Session
		if h.Index >= 0 {
			reference = fmt.Sprintf("%s:%d", h.Session, h.Index)
		}
		set.Rows = append(set.Rows, []any{orNull(h.Time, h.Time.IsZero()), h.Agent, cmp.Or(h.ProjectName, words.NoProject), texted(h.About), h.Kind, h.Line, reference})
	}
	return set
}
