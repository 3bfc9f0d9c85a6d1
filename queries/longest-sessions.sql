-- longest-sessions: where the time went
--
-- Sessions by active time: the gaps between messages, leaving out those over
-- "idle" minutes, in which nobody was there. Subagents count in their parents'
-- time, as they run while it waits. Dollars are the session's own, estimated by
-- a dated list of prices (hindsql prices).
--
-- row session
-- card started active_hours about | session project
-- chart bar label=project,about value=active_hours
-- takes since until agent project
-- param idle DOUBLE = 10   minutes after which a gap is idle
-- param top INTEGER = 20   number of rows
-- example hindsql run longest-sessions since=30d idle=5
WITH minutes AS ( -- fewer rows to sort: gaps inside a minute count as active, unless idle is shorter than one
  SELECT hash(agent, session_id) AS session, epoch_us(timestamp) // CASE WHEN $idle >= 1 THEN 60_000_000 ELSE 1 END AS minute, -- a number sorts faster than two texts
    min(timestamp) AS first, max(timestamp) AS last
  FROM messages
  WHERE timestamp IS NOT NULL AND kind IS DISTINCT FROM 'usage'
    AND ($since IS NULL OR timestamp >= $since)
    AND ($until IS NULL OR timestamp < $until)
    AND ($agent IS NULL OR agent = $agent)
  GROUP BY ALL
), gaps AS (
  SELECT session, first, epoch(last) - epoch(first) AS inside, epoch(first) - epoch(lag(last) OVER (PARTITION BY session ORDER BY first)) AS gap FROM minutes
), active AS (
  SELECT session, min(first) AS first, sum(inside) + coalesce(sum(gap) FILTER (gap <= $idle * 60), 0) AS seconds
  FROM gaps GROUP BY ALL
)
SELECT
  strftime(a.first, '%Y-%m-%d %H:%M') AS started,
  s.agent,
  coalesce(p.name, s.project, '(no project)') AS project,
  s.about,
  round(coalesce(a.seconds, 0) / 3600, 2) AS active_hours,
  round((epoch(s.ended_at) - epoch(a.first)) / 3600, 2) AS open_hours,
  s.prompt_count AS prompts,
  s.tool_call_count AS calls,
  s.compaction_count AS compacted,
  round(s.cost_estimated_usd, 2) AS estimated_usd,
  s.session_id AS session
FROM active a
JOIN sessions s ON a.session = hash(s.agent, s.session_id)
LEFT JOIN projects p ON p.project = s.project
WHERE s.kind = 'main'
  AND in_project(s.project, $project)
ORDER BY active_hours DESC, s.session_id
LIMIT $top
