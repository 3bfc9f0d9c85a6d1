-- overview: what you and your agents did, project by project
--
-- Sessions, prompts, tool calls, tokens read and written (cached ones
-- included), compactions, calls you refused, and times you interrupted without
-- refusing a call. The projects used last come first, the total at the end.
-- Copies that resumed sessions carry along are counted once.
--
-- row project, with a total
-- card project last prompts tokens refused agent
-- chart bar label=agent,project value=calls:count except=all
-- param since TIMESTAMPTZ = NULL   first moment of a session that is counted
-- param until TIMESTAMPTZ = NULL   first moment of a session that is no longer counted
-- takes agent
-- param top INTEGER = 15   number of projects
-- example hindsql run overview since=7d
WITH stops AS (
  SELECT agent, session_id, count(*) AS stops
  FROM interruptions
  WHERE type = 'user' AND phase IS DISTINCT FROM 'subagent' AND NOT paired_rejection
  GROUP BY ALL
), refusals AS (
  SELECT agent, session_id, count(*) AS refusals
  FROM rejections
  WHERE decided_by = 'user' AND NOT cascaded
  GROUP BY ALL
), totals AS (
  SELECT
    s.agent,
    s.project,
    grouping(s.agent) AS is_total,
    max(s.ended_at) AS last,
    count(*) FILTER (s.kind = 'main') AS sessions,
    sum(s.prompt_count) AS prompts,
    sum(s.tool_call_count) AS calls,
    sum(s.input_tokens + s.cache_read_tokens + s.cache_write_tokens + s.output_tokens) AS tokens,
    sum(s.compaction_count) AS compacted,
    sum(r.refusals) AS refused,
    sum(i.stops) AS stopped
  FROM sessions s
  LEFT JOIN refusals r USING (agent, session_id)
  LEFT JOIN stops i USING (agent, session_id)
  WHERE s.kind <> 'server' AND (s.kind <> 'guardian' OR s.message_count > 0)
    AND ($since IS NULL OR s.ended_at >= $since) AND ($until IS NULL OR s.ended_at < $until)
    AND ($agent IS NULL OR s.agent = $agent)
  GROUP BY GROUPING SETS ((s.agent, s.project), ())
), newest AS (
  FROM totals
  QUALIFY row_number() OVER (ORDER BY is_total, last DESC NULLS LAST, project) <= coalesce($top, 2_000_000_000) OR is_total = 1
)
SELECT
  CASE WHEN is_total = 1 THEN 'all' ELSE agent END AS agent,
  CASE WHEN is_total = 1 THEN 'total' ELSE coalesce(p.name, t.project, '(no project)') END AS project,
  t.last::DATE AS last,
  t.sessions,
  coalesce(t.prompts, 0)::BIGINT AS prompts,
  coalesce(calls, 0)::BIGINT AS calls,
  coalesce(tokens, 0)::BIGINT AS tokens,
  coalesce(compacted, 0)::BIGINT AS compacted,
  coalesce(refused, 0)::BIGINT AS refused,
  coalesce(stopped, 0)::BIGINT AS stopped
FROM newest t
LEFT JOIN projects p ON p.project = t.project
ORDER BY is_total, t.last DESC NULLS LAST, t.project
