-- refused-files: the files that you keep agents away from
--
-- Files of which you refused an edit or a reading: how often, how many edits
-- of the same file you let pass, and what you last said. Refused and never
-- let pass: name the file in the agent's instructions or deny rules.
--
-- row file
-- card file refused | last_said | session project
-- chart bar label=project,file value=refused:count
-- takes since until agent project
-- param decided_by VARCHAR = 'user' {user,rule,mode,setting,nobody,hook,classifier,sandbox,unknown,all}   who refused
-- param top INTEGER = 30   number of rows
-- example hindsql run refused-files since=90d
WITH calls AS (
  SELECT c.agent, s.project, c.file_path, c.tool_name, c.tool_kind, c.status, c.timestamp, c.session_id, c.message_index,
    r.tool_use_id, r.reason, r.next_prompt, (coalesce(c.timestamp, '-infinity'), c.session_id, c.message_index, c.batch_index) AS moment
  FROM tool_calls c
  LEFT JOIN sessions s USING (agent, session_id)
  LEFT JOIN rejections r ON r.agent = c.agent AND r.session_id = c.session_id AND r.tool_use_id = c.tool_use_id
    AND coalesce($decided_by, 'all') IN ('all', r.decided_by) AND NOT r.cascaded
  WHERE c.file_path IS NOT NULL
    AND ($since IS NULL OR c.timestamp >= $since)
    AND ($until IS NULL OR c.timestamp < $until)
    AND ($agent IS NULL OR c.agent = $agent)
    AND in_project(s.project, $project)
)
SELECT
  agent,
  coalesce(any_value(p.name), c.project, '(no project)') AS project,
  file_in(c.project, file_path) AS file,
  count(tool_use_id) AS refused,
  count(*) FILTER (status = 'ok' AND tool_kind = 'edit') AS edits_let_pass,
  count(DISTINCT session_id) FILTER (tool_use_id IS NOT NULL) AS sessions,
  string_agg(DISTINCT tool_name, ', ' ORDER BY tool_name) FILTER (tool_use_id IS NOT NULL) AS tools,
  max(timestamp) FILTER (tool_use_id IS NOT NULL)::DATE AS last,
  arg_max(coalesce(reason, 'next: ' || next_prompt), moment) FILTER (tool_use_id IS NOT NULL) AS last_said,
  arg_max(session_id || ':' || message_index, moment) FILTER (tool_use_id IS NOT NULL) AS session
FROM calls c
LEFT JOIN projects p ON p.project = c.project
GROUP BY agent, c.project, file
HAVING count(tool_use_id) > 0
ORDER BY refused DESC, edits_let_pass, max(timestamp) FILTER (tool_use_id IS NOT NULL) DESC, file, agent, c.project
LIMIT $top
