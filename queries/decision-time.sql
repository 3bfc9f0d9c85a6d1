-- decision-time: how long you take to say no
--
-- Per agent and tool: refusals, and the seconds from the call to your answer.
-- "at once" are those within 5 seconds, which a rule could decide; "late" took
-- over 5 minutes: the agent stood waiting. Counted as tool_calls.waited_ms has
-- it, as "waiting" does; a ninth in ten of few says nothing, so it is empty under
-- 10.
--
-- chart bar label=agent,tool value=median_seconds
-- takes since until agent project
-- param tool VARCHAR = NULL   one tool only, as the agent calls it, in any case
-- example hindsql run decision-time since=90d
WITH refusals AS (
  SELECT r.agent, r.tool_name, c.waited_ms / 1000 AS seconds
  FROM rejections r
  JOIN tool_calls c USING (agent, session_id, tool_use_id)
  LEFT JOIN sessions s USING (agent, session_id)
  WHERE r.decided_by = 'user' AND NOT r.cascaded
    AND ($since IS NULL OR r.timestamp >= $since)
    AND ($until IS NULL OR r.timestamp < $until)
    AND ($agent IS NULL OR r.agent = $agent)
    AND in_project(s.project, $project)
    AND ($tool IS NULL OR lower(r.tool_name) = lower($tool))
)
SELECT
  agent,
  tool_name AS tool,
  count(*) AS refused,
  count(seconds) AS timed,
  round(median(seconds), 1) AS median_seconds,
  CASE WHEN count(seconds) >= 10 THEN round(quantile_cont(seconds, 0.9), 1) END AS p90_seconds,
  round(max(seconds) / 60, 1) AS longest_minutes,
  count(*) FILTER (seconds <= 5) AS at_once,
  count(*) FILTER (seconds > 300) AS late
FROM refusals
GROUP BY agent, tool_name
ORDER BY refused DESC, agent, tool
