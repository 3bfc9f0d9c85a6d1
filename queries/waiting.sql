-- waiting: how long agents waited for your answer, day by day
--
-- By project: questions that you answered, and that nobody did, and the time until then,
-- as far as the log tells it: "untold" are the waits that no log tells. So the
-- minutes are the least that agents waited. Most logs tell of a refusal only.
-- The last column is the longest wait, for "hindsql show".
--
-- chart line label=day value=minutes:count
-- takes since until agent project
-- param top INTEGER = 30   number of rows
-- example hindsql run waiting since=14d
SELECT
  timestamp::DATE AS day,
  coalesce(any_value(p.name), c.project, '(no project)') AS project,
  count(*) AS waits,
  count(waited_ms) AS timed,
  count(*) - count(waited_ms) AS untold,
  round(sum(waited_ms) / 60000, 1) AS minutes,
  round(median(waited_ms) / 1000, 1) AS median_seconds,
  round(max(waited_ms) / 60000, 1) AS longest_minutes,
  arg_max(session_id || ':' || message_index, (coalesce(waited_ms, 0), timestamp, session_id, message_index)) AS session
FROM tool_calls c
LEFT JOIN projects p ON p.project = c.project
WHERE decided_by IN ('user', 'nobody') AND decision IS NOT NULL
  AND timestamp IS NOT NULL
  AND ($since IS NULL OR timestamp >= $since)
  AND ($until IS NULL OR timestamp < $until)
  AND ($agent IS NULL OR agent = $agent)
  AND in_project(c.project, $project)
GROUP BY day, c.project
ORDER BY day DESC, minutes DESC NULLS LAST, waits DESC, c.project
LIMIT $top
