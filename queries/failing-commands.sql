-- failing-commands: which programs fail, and with which exit code
--
-- Shell commands that ran, by program, with the subcommand of git, npm and the
-- like: how many failed, their share in per cent, the usual exit code, and the
-- end of what the last failure printed. Refused and interrupted ones are left
-- out. An exit code of 1 may mean no more than "nothing found" (grep, diff).
--
-- row program
-- card program failed percent | last_command | last_said session
-- chart bar label=program value=failed:count
-- takes since until agent project
-- param min BIGINT = 1   fewest failures of a program that is shown
-- param top INTEGER = 30   number of rows
-- example hindsql run failing-commands since=30d min=5
WITH named AS ( -- once for equal commands: program is dear
  SELECT command, program(command) AS program FROM (SELECT DISTINCT command FROM tool_calls WHERE command IS NOT NULL AND status IN ('ok', 'error'))
), calls AS (
  SELECT c.agent, c.status, c.exit_code, c.error_type, c.command, c.timestamp, CASE WHEN c.status = 'error' THEN (coalesce(c.timestamp, '-infinity'), c.session_id, c.message_index, c.batch_index) END AS moment,
    CASE WHEN c.status = 'error' THEN struct_pack(c.source_id, c.message_index, c.batch_index) END AS place,
    n.program
  FROM tool_calls c
  JOIN named n USING (command)
  LEFT JOIN sessions s USING (agent, session_id)
  WHERE c.command IS NOT NULL AND c.status IN ('ok', 'error')
    AND ($since IS NULL OR c.timestamp >= $since)
    AND ($until IS NULL OR c.timestamp < $until)
    AND ($agent IS NULL OR c.agent = $agent)
    AND in_project(s.project, $project)
), programs AS (
  SELECT
    agent,
    program,
    count(*) FILTER (status = 'error') AS failed,
    count(*) AS ran,
    round(100 * failed / ran, 1) AS percent,
    mode(exit_code ORDER BY exit_code) FILTER (status = 'error') AS usual_exit_code,
    mode(error_type ORDER BY error_type) FILTER (status = 'error') AS usual_error,
    max(timestamp) FILTER (status = 'error')::DATE AS last,
    arg_max(command, moment) FILTER (status = 'error') AS last_command,
    arg_max(place, moment) FILTER (status = 'error') AS place
  FROM calls
  GROUP BY agent, program
  HAVING failed >= greatest($min, 1)
)
SELECT * EXCLUDE (said, session), CASE WHEN length(said) > 120 THEN '…' || right(said, 119) ELSE said END AS last_said, session
FROM (
  SELECT p.* EXCLUDE (place), trim(regexp_replace(right(c.output, 600), '(?:\x1b\[[0-9;]*[A-Za-z]|\s)+', ' ', 'g')) AS said, c.session_id || ':' || c.message_index AS session
  FROM programs p
  LEFT JOIN tool_calls c ON c.source_id = p.place.source_id AND c.message_index = p.place.message_index AND c.batch_index = p.place.batch_index)
ORDER BY failed DESC, percent DESC, agent, program
LIMIT $top
