-- tokens-by-model: what each model read and wrote
--
-- Per agent and model: answers, tokens, the share of what was read that came
-- from the cache, tokens written an answer, and US dollars, estimated by a dated
-- list of prices (hindsql prices), whenever the usage was. Each message is counted once,
-- copies in resumed sessions left out. "unsure" is the share of answers, in
-- per cent, whose output is only what was known when they began, so too low. Models of
-- which no token is recorded are left out.
--
-- card model all_tokens output estimated_usd answers agent
-- chart bar label=agent,model value=all_tokens:count
-- takes since until agent project
-- param model VARCHAR = NULL   part of the model's name, in any case
-- example hindsql run tokens-by-model since=30d
SELECT
  m.agent,
  coalesce(m.model, s.model) AS model,
  count(DISTINCT m.session_id) AS sessions,
  count(m.output_tokens) FILTER (m.kind IS DISTINCT FROM 'usage') AS answers,
  sum(coalesce(m.input_tokens, 0) + coalesce(m.cache_write_tokens, 0) + coalesce(m.cache_read_tokens, 0) + coalesce(m.output_tokens, 0))::BIGINT AS all_tokens,
  sum(m.input_tokens)::BIGINT AS input,
  sum(m.cache_write_tokens)::BIGINT AS cache_write,
  sum(m.cache_read_tokens)::BIGINT AS cache_read,
  sum(m.output_tokens)::BIGINT AS output,
  round(100 * sum(m.cache_read_tokens) / nullif(sum(coalesce(m.input_tokens, 0) + coalesce(m.cache_write_tokens, 0) + coalesce(m.cache_read_tokens, 0)), 0), 1) AS cached_percent,
  round(avg(m.output_tokens) FILTER (m.kind IS DISTINCT FROM 'usage')) AS output_each,
  round(sum(m.cost_estimated_usd), 2) AS estimated_usd,
  round(100 * count(*) FILTER (NOT m.tokens_reliable AND m.kind IS DISTINCT FROM 'usage') / nullif(answers, 0), 1) AS unsure,
  max(m.timestamp)::DATE AS last
FROM messages m
LEFT JOIN sessions s USING (agent, session_id)
WHERE coalesce(m.output_tokens, m.input_tokens, m.cache_read_tokens, m.cache_write_tokens) IS NOT NULL
  AND ($since IS NULL OR m.timestamp >= $since)
  AND ($until IS NULL OR m.timestamp < $until)
  AND ($agent IS NULL OR m.agent = $agent)
  AND in_project(s.project, $project)
  AND ($model IS NULL OR contains(lower(coalesce(m.model, s.model)), lower($model)))
GROUP BY m.agent, coalesce(m.model, s.model)
HAVING all_tokens > 0
ORDER BY all_tokens DESC, m.agent, model
