-- slow-commands: where the time of commands goes
--
-- Shell commands by program, with the subcommand of git, npm and the like:
-- how often they ran, minutes in all, seconds in the middle and at the longest.
-- Where the agent doesn't record a command's own time, the wait for your
-- approval is in it; those over "wait" minutes are taken for such waiting and
-- counted apart. Agents that record no times (VS Code) are left out.
--
-- row program
-- chart bar label=program value=total_minutes:count
-- takes since until agent project
-- param seconds DOUBLE = 0   shortest command that is counted
-- param wait DOUBLE = 10   minutes after which you are taken to have been away
-- param top INTEGER = 30   number of rows
-- example hindsql run slow-commands since=30d seconds=60
WITH calls AS (
  SELECT c.agent, c.session_id, c.message_index, c.status, CASE WHEN c.duration_ms <= 60000 * $wait THEN c.duration_ms / 1000 END AS seconds, c.command, c.timestamp, (seconds, c.session_id, c.message_index, c.batch_index) AS by_length,
    program(c.command) AS program
  FROM tool_calls c
  LEFT JOIN sessions s USING (agent, session_id)
  WHERE c.command IS NOT NULL AND c.status IN ('ok', 'error', 'interrupted')
    AND c.duration_ms >= 1000 * $seconds
    AND ($since IS NULL OR c.timestamp >= $since)
    AND ($until IS NULL OR c.timestamp < $until)
    AND ($agent IS NULL OR c.agent = $agent)
    AND in_project(s.project, $project)
)
SELECT
  agent,
  program,
  count(seconds) AS ran,
  round(sum(seconds) / 60, 1) AS total_minutes,
  round(median(seconds), 1) AS median_seconds,
  round(max(seconds), 1) AS longest_seconds,
  count(*) FILTER (status = 'interrupted') AS interrupted,
  count(*) - count(seconds) AS waited,
  strftime(arg_max(timestamp, by_length) FILTER (seconds IS NOT NULL), '%Y-%m-%d %H:%M') AS longest_at,
  arg_max(command, by_length) FILTER (seconds IS NOT NULL) AS longest,
  arg_max(session_id || ':' || message_index, by_length) FILTER (seconds IS NOT NULL) AS session
FROM calls
GROUP BY agent, program
HAVING count(seconds) > 0
ORDER BY total_minutes DESC, ran DESC, agent, program
LIMIT $top
