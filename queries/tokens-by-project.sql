-- tokens-by-project: what each project cost
--
-- Per agent and project, most tokens first: tokens in all, read fresh, from
-- the cache and written; the share of subagents and helpers in them, in per
-- cent; tokens per prompt of yours; and dollars, where the agent recorded them
-- (of the sessions that "priced" counts, whole). "estimated_usd" is by a dated list of
-- prices (hindsql prices), whenever the usage was, and "unpriced" the share of the
-- tokens, in per cent, that have no price. It holds the sessions in "usd", too: never
-- add the two.
--
-- row project
-- card project tokens usd estimated_usd sessions agent
-- chart bar label=project value=tokens:count
-- takes since until agent project
-- param top INTEGER = 30   number of rows
-- example hindsql run tokens-by-project since=30d
WITH per_session AS (
  SELECT m.agent, m.session_id, s.project, s.kind, s.cost_usd,
    count(*) FILTER (m.kind = 'prompt' AND m.typed_by = 'human') AS prompts,
    coalesce(sum(m.input_tokens), 0) + coalesce(sum(m.cache_write_tokens), 0) AS fresh,
    coalesce(sum(m.cache_read_tokens), 0) AS cached,
    coalesce(sum(m.output_tokens), 0) AS output,
    sum(m.cost_estimated_usd) AS estimated,
    coalesce(sum(coalesce(m.input_tokens, 0) + coalesce(m.cache_write_tokens, 0) + coalesce(m.cache_read_tokens, 0) + coalesce(m.output_tokens, 0))
      FILTER (m.cost_estimated_usd IS NULL), 0) AS unpriced,
    max(m.timestamp) AS last
  FROM messages m
  LEFT JOIN sessions s USING (agent, session_id)
  WHERE ($since IS NULL OR m.timestamp >= $since)
    AND ($until IS NULL OR m.timestamp < $until)
    AND ($agent IS NULL OR m.agent = $agent)
    AND in_project(s.project, $project)
  GROUP BY ALL
)
SELECT
  agent,
  coalesce(any_value(p.name), t.project, '(no project)') AS project,
  count(*) FILTER (kind = 'main') AS sessions,
  sum(fresh + cached + output)::BIGINT AS tokens,
  sum(fresh)::BIGINT AS fresh,
  sum(cached)::BIGINT AS cached,
  sum(output)::BIGINT AS output,
  round(100 * coalesce(sum(fresh + cached + output) FILTER (kind <> 'main'), 0) / nullif(sum(fresh + cached + output), 0), 1) AS subagent_percent,
  round(sum(fresh + cached + output) / nullif(sum(t.prompts) FILTER (kind = 'main'), 0))::BIGINT AS tokens_per_prompt,
  round(sum(cost_usd), 2) AS usd,
  count(cost_usd) AS priced,
  round(sum(estimated), 2) AS estimated_usd,
  round(100 * sum(unpriced) / sum(fresh + cached + output), 1) AS unpriced,
  max(t.last)::DATE AS last
FROM per_session t
LEFT JOIN projects p ON p.project = t.project
GROUP BY agent, t.project
HAVING sum(fresh + cached + output) > 0
ORDER BY tokens DESC, agent, t.project
LIMIT $top
