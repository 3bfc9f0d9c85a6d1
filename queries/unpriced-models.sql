-- unpriced-models: models that the list of prices doesn't have
--
-- Per agent and model of which no cost can be estimated, most tokens first:
-- answers, tokens, their share of all tokens, in per cent, and when it was last
-- used. hindsql prices lists the prices; docs/prices.md says how a model is looked up,
-- and how to name prices of your own.
--
-- chart bar label=agent,model value=tokens:count
-- takes since until agent project
-- example hindsql run unpriced-models since=30d
WITH counted AS (
  SELECT m.agent, coalesce(m.model, s.model) AS model, m.session_id, m.kind, m.timestamp, m.cost_estimated_usd,
    coalesce(m.input_tokens, 0) + coalesce(m.cache_write_tokens, 0) + coalesce(m.cache_read_tokens, 0) + coalesce(m.output_tokens, 0) AS tokens
  FROM messages m
  LEFT JOIN sessions s USING (agent, session_id)
  WHERE tokens > 0
    AND ($since IS NULL OR m.timestamp >= $since)
    AND ($until IS NULL OR m.timestamp < $until)
    AND ($agent IS NULL OR m.agent = $agent)
    AND in_project(s.project, $project)
)
SELECT
  agent,
  model,
  count(DISTINCT session_id) AS sessions,
  count(*) FILTER (kind IS DISTINCT FROM 'usage') AS answers,
  sum(tokens)::BIGINT AS tokens,
  round(100 * sum(tokens) / (SELECT sum(tokens) FROM counted), 1) AS percent,
  max(timestamp)::DATE AS last
FROM counted
WHERE cost_estimated_usd IS NULL
GROUP BY agent, model
ORDER BY tokens DESC, agent, model
