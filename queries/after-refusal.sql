-- after-refusal: what the agent did after each of your refusals
--
-- One row per call that you refused, newest first: what you said, and the first
-- thing that the agent did after it: the same call "again", a call of the "same
-- tool" with something else, "another tool", an answer without one ("answered"),
-- or "nothing". Minutes are from your refusal to that, your typing included, and
-- empty where the log has no time of the refusal itself.
-- "hindsql show" takes the column session, and shows what was around.
--
-- row refusal
-- card time tool refused | did | said session
-- hidden session_id tool_use_id place next_message next_at next_tool next_command next_about answer fell
-- chart bar value=minutes ranges=0,0.5,1,2,5,10,30
-- takes since until agent project
-- param tool VARCHAR = NULL   one refused tool only, as the agent calls it, in any case
-- param decided_by VARCHAR = 'user' {user,rule,mode,setting,nobody,hook,classifier,sandbox,unknown,all}   who refused
-- param call VARCHAR = NULL   one refused call only, by its id, even if it went down with another
-- param top INTEGER = 50   number of rows
-- example hindsql run after-refusal since=30d
WITH refused AS (
  SELECT r.agent, r.session_id, r.project, r.timestamp, r.message_index, r.tool_use_id, r.tool_name, r.file_path, r.command, r.reason, r.next_prompt,
    about(file_in(r.project, r.file_path), r.command, r.tool_input) AS what
  FROM rejections r
  WHERE coalesce($decided_by, 'all') IN ('all', r.decided_by)
    AND (NOT r.cascaded OR r.tool_use_id = $call)
    AND ($call IS NULL OR r.tool_use_id = $call)
    AND ($since IS NULL OR r.timestamp >= $since)
    AND ($until IS NULL OR r.timestamp < $until)
    AND ($agent IS NULL OR r.agent = $agent)
    AND in_project(r.project, $project)
    AND ($tool IS NULL OR lower(r.tool_name) = lower($tool))
  ORDER BY r.timestamp DESC, r.tool_use_id, r.agent, r.session_id
  LIMIT $top -- before the joins: what followed the others isn't looked for
), near AS MATERIALIZED ( -- of one column and not null: DuckDB skips other sessions' texts for no other condition
  SELECT agent, session_id, tool_use_id, source_id, message_index, batch_index, batch_index = 0 AND parent_tool_use_id IS NULL AS is_first
  FROM tool_calls
  WHERE session_id IN (SELECT session_id FROM refused WHERE session_id IS NOT NULL)
), next_calls AS MATERIALIZED ( -- by place: the arguments of all other calls stay unread
  SELECT r.agent, r.session_id, r.tool_use_id, r.project, r.tool_name, r.file_path, r.command, c.source_id, c.message_index, c.batch_index
  FROM refused r
  ASOF JOIN (FROM near WHERE is_first) c
    ON c.agent = r.agent AND c.session_id = r.session_id AND r.message_index < c.message_index
), called AS (
  SELECT r.agent, r.session_id, r.tool_use_id, c.message_index, c.timestamp, c.tool_name, c.command, c.file_path,
    c.tool_name IS NOT DISTINCT FROM r.tool_name AS same_tool,
    c.file_path IS NOT DISTINCT FROM r.file_path AND c.command IS NOT DISTINCT FROM r.command AND coalesce(c.file_path, c.command) IS NOT NULL AS same_target,
    about(file_in(r.project, c.file_path), c.command, c.input) AS what, c.input::VARCHAR AS arguments
  FROM next_calls r
  JOIN (FROM tool_calls WHERE source_id IN (SELECT source_id FROM next_calls WHERE source_id IS NOT NULL)) c ON c.source_id = r.source_id AND c.message_index = r.message_index AND c.batch_index = r.batch_index AND c.parent_tool_use_id IS NULL
), answered AS (
  SELECT r.agent, r.session_id, r.tool_use_id, m.message_index, m.timestamp, m.text
  FROM refused r
  ASOF JOIN (FROM messages WHERE session_id IN (SELECT session_id FROM refused WHERE session_id IS NOT NULL) AND kind = 'response' AND text IS NOT NULL) m
    ON m.agent = r.agent AND m.session_id = r.session_id AND r.message_index < m.message_index
), fallen AS (
  SELECT agent, session_id, cause_tool_use_id AS tool_use_id,
    to_json(list({'call': tool_use_id, 'tool': tool_name, 'about': nullif(about(file_in(project, file_path), command, tool_input), tool_input::VARCHAR)} ORDER BY timestamp, tool_use_id)) AS fell
  FROM rejections f SEMI JOIN refused r ON r.agent = f.agent AND r.session_id = f.session_id AND r.tool_use_id = f.cause_tool_use_id
  WHERE cascaded GROUP BY ALL
), made AS (
  SELECT r.agent, r.session_id, r.tool_use_id, min(c.message_index) AS place
  FROM refused r JOIN near c ON c.agent = r.agent AND c.session_id = r.session_id AND c.tool_use_id = r.tool_use_id
  GROUP BY ALL
), judged AS (
  SELECT r.*, c.tool_name AS next_tool, c.what AS next_what, c.command AS next_command, nullif(c.what, c.arguments) AS next_about, a.text AS answer,
    CASE
      WHEN c.message_index <= coalesce(a.message_index, c.message_index) THEN
        CASE WHEN c.same_tool AND c.same_target THEN 'again' WHEN c.same_tool THEN 'same tool' ELSE 'another tool' END
      WHEN a.message_index IS NOT NULL THEN 'answered'
      ELSE 'nothing'
    END AS next,
    CASE WHEN next = 'answered' THEN a.timestamp ELSE c.timestamp END AS done_at,
    CASE WHEN next = 'answered' THEN a.message_index ELSE c.message_index END AS done_in
  FROM refused r
  LEFT JOIN called c ON c.agent = r.agent AND c.session_id = r.session_id AND c.tool_use_id = r.tool_use_id
  LEFT JOIN answered a ON a.agent = r.agent AND a.session_id = r.session_id AND a.tool_use_id = r.tool_use_id
)
SELECT
  strftime(r.timestamp, '%Y-%m-%d %H:%M') AS time,
  coalesce(p.name, r.project, '(no project)') AS project,
  r.what AS refused,
  CASE WHEN r.next IN ('answered', 'nothing') THEN r.answer ELSE r.next_tool || coalesce(': ' || r.next_what, '') END AS did,
  coalesce(r.reason, 'next: ' || r.next_prompt) AS said,
  r.next,
  CASE WHEN r.done_at >= r.timestamp THEN round((epoch(r.done_at) - epoch(r.timestamp)) / 60, 1) END AS minutes,
  r.session_id || coalesce(':' || r.message_index, '') AS session,
  r.tool_name AS tool,
  r.agent,
  r.session_id, r.tool_use_id, coalesce(m.place, r.message_index) AS place, r.done_in AS next_message, r.done_at AS next_at,
  r.next_tool, r.next_command, r.next_about, r.answer, f.fell
FROM judged r
LEFT JOIN made m ON m.agent = r.agent AND m.session_id = r.session_id AND m.tool_use_id = r.tool_use_id
LEFT JOIN fallen f ON f.agent = r.agent AND f.session_id = r.session_id AND f.tool_use_id = r.tool_use_id
LEFT JOIN projects p ON p.project = r.project
ORDER BY r.timestamp DESC, r.tool_use_id, r.agent, r.session_id
LIMIT $top
