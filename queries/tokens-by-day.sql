-- tokens-by-day: tokens read and written, day by day
--
-- Days are those of your time zone. Each message is counted once, copies in
-- resumed sessions left out; tokens that no answer names, but a total of the
-- log, are no message. "unsure" is the share of messages, in per cent,
-- whose output is only what was known when they began, so too low. Dollars are
-- estimated by a dated list of prices (hindsql prices), whenever the usage was;
-- "unpriced" is the share of the tokens, in per cent, that have none.
--
-- chart line label=day value=output:count unit=tokens
-- takes since until agent project
-- param top INTEGER = 31   number of rows
-- example hindsql run tokens-by-day since=14d top=14
SELECT
  m.timestamp::DATE AS day,
  m.agent,
  count(m.output_tokens) FILTER (m.kind IS DISTINCT FROM 'usage') AS messages,
  sum(m.input_tokens)::BIGINT AS input,
  sum(m.cache_write_tokens)::BIGINT AS cache_write,
  sum(m.cache_read_tokens)::BIGINT AS cache_read,
  sum(m.output_tokens)::BIGINT AS output,
  round(100 * sum(m.cache_read_tokens) / nullif(sum(coalesce(m.input_tokens, 0) + coalesce(m.cache_write_tokens, 0) + coalesce(m.cache_read_tokens, 0)), 0), 1) AS cached_percent,
  round(100 * count(*) FILTER (NOT m.tokens_reliable AND m.kind IS DISTINCT FROM 'usage') / nullif(messages, 0), 1) AS unsure,
  round(sum(m.cost_estimated_usd), 2) AS estimated_usd,
  round(100 * coalesce(sum(coalesce(m.input_tokens, 0) + coalesce(m.cache_write_tokens, 0) + coalesce(m.cache_read_tokens, 0) + coalesce(m.output_tokens, 0)) FILTER (m.cost_estimated_usd IS NULL), 0)
    / nullif(sum(coalesce(m.input_tokens, 0) + coalesce(m.cache_write_tokens, 0) + coalesce(m.cache_read_tokens, 0) + coalesce(m.output_tokens, 0)), 0), 1) AS unpriced
FROM messages m
LEFT JOIN sessions s USING (agent, session_id)
WHERE coalesce(m.output_tokens, m.input_tokens, m.cache_read_tokens, m.cache_write_tokens) IS NOT NULL
  AND ($since IS NULL OR m.timestamp >= $since)
  AND ($until IS NULL OR m.timestamp < $until)
  AND ($agent IS NULL OR m.agent = $agent)
  AND in_project(s.project, $project)
GROUP BY ALL
ORDER BY day DESC NULLS LAST, m.agent
LIMIT $top
