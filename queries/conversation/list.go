package conversation

import "context"

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
SELECT g.agent, g.session_id, g.native_id, g.own_kind, g.folder, g.about, g.model, g.git_branch, g.parent_session_id, g.forked_from,
	CASE WHEN o.gone_at IS NULL THEN resume(g.agent, coalesce(g.native_id, g.session_id)) END,
	g.started_at, g.ended_at, g.prompt_count, g.rejection_count, g.tokens, g.cost_usd, o.gone_at IS NOT NULL,
	g.project_name, CAST(g.rejection_count + coalesce(b.refused, 0) AS BIGINT), CAST(g.tokens + coalesce(b.tokens, 0) AS BIGINT), g.cost_estimated_usd
FROM page g LEFT JOIN below b ON b.agent = g.agent AND b.session_id = g.session_id LEFT JOIN sources o ON o.source_id = g.source_id
ORDER BY g.n`
)

// Sessions returns the sessions that people began, the latest first, and the number of
// all matches. A session matches if it ended at or after Since and began before Until.
func Sessions(ctx context.Context, run Run, f Filter) ([]Listed, int64, error) {
	return eventsListed(ctx, run, &f, &sessions, listColumns, listSQL, func(row []any) Listed {
		return Listed{Session: sessionOf(row), Refusals: number(row[19]), AllTokens: number(row[20]), Estimated: maybe[float64](row[21])}
	})
}
