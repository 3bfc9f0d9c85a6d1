-- refused-commands: which programs you refuse to run
--
-- Shell commands by program, with the subcommand of git, npm and the like: how
-- many you refused, how many ran, and what you last said. Refused each time:
-- a rule that denies it spares you the question. Of a command with several
-- parts the first program counts; a leading cd and variables are passed over.
--
-- row program
-- card program refused ran | last_command | last_said session
-- chart bar label=program value=refused:count
-- takes since until agent project
-- param decided_by VARCHAR = 'user' {user,rule,mode,setting,nobody,hook,classifier,sandbox,unknown,all}   who refused
-- param top INTEGER = 30   number of rows
-- example hindsql run refused-commands since=90d
WITH calls AS (
  SELECT c.agent, c.session_id, c.message_index, c.status, c.command, r.tool_use_id, r.reason, r.next_prompt, c.timestamp, (coalesce(c.timestamp, '-infinity'), c.session_id, c.message_index, c.batch_index) AS moment,
    program(c.command) AS program
  FROM tool_calls c
  LEFT JOIN sessions s USING (agent, session_id)
  LEFT JOIN rejections r ON r.agent = c.agent AND r.session_id = c.session_id AND r.tool_use_id = c.tool_use_id
    AND coalesce($decided_by, 'all') IN ('all', r.decided_by) AND NOT r.cascaded
  WHERE c.command IS NOT NULL
    AND ($since IS NULL OR c.timestamp >= $since)
    AND ($until IS NULL OR c.timestamp < $until)
    AND ($agent IS NULL OR c.agent = $agent)
    AND in_project(s.project, $project)
)
SELECT
  agent,
  program,
  count(tool_use_id) AS refused,
  count(*) FILTER (status IN ('ok', 'error')) AS ran,
  count(tool_use_id) || ' of ' || count(*) AS share,
  max(timestamp) FILTER (tool_use_id IS NOT NULL)::DATE AS last,
  arg_max(command, moment) FILTER (tool_use_id IS NOT NULL) AS last_command,
  arg_max(coalesce(reason, 'next: ' || next_prompt), moment) FILTER (tool_use_id IS NOT NULL) AS last_said,
  arg_max(session_id || ':' || message_index, moment) FILTER (tool_use_id IS NOT NULL) AS session
FROM calls
GROUP BY agent, program
HAVING count(tool_use_id) > 0
ORDER BY refused DESC, ran, agent, program
LIMIT $top
