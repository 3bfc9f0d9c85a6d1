package web

import (
	"context"
	"slices"
	"strings"

	"hindsql/internal/result"
	"hindsql/queries/conversation"
	"hindsql/queries/html"
)

// links returns a function that returns the URL of a cell's link, or "". A session id,
// with or without the index of a message, links to the session's page. In the query
// rejections, the id of a refused call links to the call's page.
func (d *drawing) links(ctx context.Context, a *answer) func(row, column int) string {
	at := func(name string) int {
		return slices.IndexFunc(a.Columns, func(c result.Column) bool { return c.Name == name })
	}
	agent, session, call := at("agent"), at("session_id"), at("tool_use_id")
	isID := make([]bool, len(a.Columns))
	for i, c := range a.Columns {
		isID[i] = html.IsID(c)
	}
	var agents map[string]string
	if agent < 0 && slices.Contains(isID, true) {
		agents = d.agentsOf(ctx, a, isID)
	}
	agentOf := func(row []any, id string) string {
		if agent >= 0 {
			return textOf(row[agent])
		}
		return agents[id]
	}
	refusals := d.file == "rejections" && agent >= 0 && session >= 0
	return func(row, column int) string {
		values := a.Rows[row]
		text := textOf(values[column])
		if refusals && column == call && text != "" {
			return refusalURL(textOf(values[agent]), textOf(values[session]), text)
		}
		if !isID[column] || text == "" {
			return ""
		}
		id, message := conversation.Split(text)
		if of := agentOf(values, id); of != "" {
			return sessionURL(of, id, message)
		}
		return ""
	}
}

func textOf(v any) string {
	s, _ := v.(string)
	return s
}

// agentsOf returns the agent of each session id in a result. It leaves out ids that
// sessions of two agents share.
func (d *drawing) agentsOf(ctx context.Context, a *answer, isID []bool) map[string]string {
	var ids []string
	for _, row := range a.Rows {
		for i, v := range row {
			if isID[i] {
				if id, _ := conversation.Split(textOf(v)); id != "" {
					ids = append(ids, id)
				}
			}
		}
	}
	slices.Sort(ids)
	agents := map[string]string{}
	set, err := d.run(ctx, `SELECT session_id, any_value(agent) FROM sessions WHERE session_id IN (SELECT unnest(string_split($ids, chr(10))))
		GROUP BY session_id HAVING count(DISTINCT agent) = 1`, map[string]any{"ids": strings.Join(slices.Compact(ids), "\n")})
	if err != nil {
		return agents // links are optional; the rows are the answer
	}
	for _, row := range set.Rows {
		agents[textOf(row[0])] = textOf(row[1])
	}
	return agents
}
