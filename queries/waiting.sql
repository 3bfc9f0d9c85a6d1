-- waiting: how long agents waited for your answer, day by day
--
-- By project: questions that you answered, and that nobody did, and the time until then,
-- as far as the log tells it: "untold" are the waits that no log tells. So the
-- minutes are the least that agents waited. Most logs tell of a refusal only.
--
-- chart line label=day value=minutes:count
-- param since TIMESTAMPTZ = NULL   first moment counted
-- param until TIMESTAMPTZ = NULL   first moment no longer counted
-- param agent VARCHAR = NULL   one agent only
-- param project VARCHAR = NULL   part of the project's folder, in any case
-- param top INTEGER = 30   number of rows
-- example hindsql run waiting since=14d
SELECT
  timestamp::DATE AS day,
  regexp_extract(project, '[^/\\]+[/\\]?$') AS project,
  count(*) AS waits,
  count(waited_ms) AS timed,
  count(*) - count(waited_ms) AS untold,
  round(sum(waited_ms) / 60000, 1) AS minutes,
  round(median(waited_ms) / 1000, 1) AS median_seconds,
  round(max(waited_ms) / 60000, 1) AS longest_minutes
FROM tool_calls
WHERE decided_by IN ('user', 'nobody') AND decision IS NOT NULL
  AND timestamp IS NOT NULL
  AND ($since IS NULL OR timestamp >= $since)
  AND ($until IS NULL OR timestamp < $until)
  AND ($agent IS NULL OR agent = $agent)
  AND ($project IS NULL OR contains(lower(tool_calls.project), lower($project)))
GROUP BY day, tool_calls.project
ORDER BY day DESC, minutes DESC NULLS LAST, waits DESC, tool_calls.project
LIMIT $top
