-- partial-denials: you refused one call of several: what became of each
--
-- One row per call of a parallel batch of which you refused a part. fate says
-- whether the call ran, was rejected too, was skipped (the agent says so), was
-- interrupted, or was lost: no result at all, so that the model never learns
-- of it. because is the refused call that pulled it down. lost counts the
-- calls that this version of the agent lost in all these batches; those of
-- the session, where the agent's logs don't tell its version. Commands that one
-- script started at once are no batch: if the log doesn't say which of them you
-- refused, the script is the refused call, and its extra.asked lists them.
--
-- row call
-- param since TIMESTAMPTZ = NULL   first moment of a batch that is counted
-- param until TIMESTAMPTZ = NULL   first moment of a batch that is no longer counted
-- takes agent project
-- param top INTEGER = 100   number of rows
-- example hindsql run partial-denials since=30d
WITH batches AS (
  SELECT DISTINCT c.agent, c.session_id, c.message_index
  FROM tool_calls c
  JOIN rejections r USING (agent, session_id, tool_use_id)
  WHERE c.batch_size > 1 AND c.parent_tool_use_id IS NULL AND (r.decided_by = 'user' OR r.cascaded)
), calls AS MATERIALIZED ( -- without their arguments, which are read for the rows shown alone
  SELECT c.agent, c.session_id, c.message_index, c.batch_index, c.batch_size, c.tool_use_id, c.tool_name, c.project, c.status, s.agent_version, r.cause_tool_use_id,
    min(c.timestamp) OVER (PARTITION BY c.agent, c.session_id, c.message_index) AS batch_time
  FROM tool_calls c
  SEMI JOIN batches USING (agent, session_id, message_index)
  LEFT JOIN rejections r USING (agent, session_id, tool_use_id)
  LEFT JOIN sessions s USING (agent, session_id)
  WHERE c.parent_tool_use_id IS NULL
), shown AS MATERIALIZED (
  SELECT *, count(*) FILTER (status = 'lost') OVER (PARTITION BY agent, coalesce(agent_version, session_id)) AS lost
  FROM calls
  WHERE ($since IS NULL OR batch_time >= $since)
    AND ($until IS NULL OR batch_time < $until)
    AND ($agent IS NULL OR agent = $agent)
    AND in_project(project, $project)
  ORDER BY batch_time DESC, session_id, message_index, batch_index
  LIMIT $top
), named AS MATERIALIZED (
  SELECT agent, session_id, message_index, batch_index,
    about(file_in(project, file_path), command, input) AS what
  FROM tool_calls
  WHERE parent_tool_use_id IS NULL AND batch_size > 1 AND session_id IN (SELECT session_id FROM shown WHERE session_id IS NOT NULL)
)
SELECT
  strftime(c.batch_time, '%Y-%m-%d %H:%M') AS time,
  coalesce(p.name, c.project, '(no project)') AS project,
  (c.batch_index + 1) || ' of ' || c.batch_size AS call,
  c.tool_name AS tool,
  n.what,
  CASE c.status WHEN 'ok' THEN 'ran' WHEN 'error' THEN 'ran, failed' ELSE c.status END AS fate,
  cause.tool_name || ': ' || because.what AS because,
  c.lost,
  c.session_id || ':' || c.message_index AS session,
  c.agent,
  c.agent_version AS version
FROM shown c
LEFT JOIN named n ON n.agent = c.agent AND n.session_id = c.session_id AND n.message_index = c.message_index AND n.batch_index = c.batch_index
LEFT JOIN calls cause ON cause.agent = c.agent AND cause.session_id = c.session_id AND cause.tool_use_id = c.cause_tool_use_id
LEFT JOIN named because ON because.agent = cause.agent AND because.session_id = cause.session_id AND because.message_index = cause.message_index AND because.batch_index = cause.batch_index
LEFT JOIN projects p ON p.project = c.project
ORDER BY c.batch_time DESC, c.session_id, c.message_index, c.batch_index
