-- refused-then-done: refused, and then done all the same
--
-- Each command or edit that you refused and that still happened in the same
-- session: "ran later", the same call, which you let pass; "typed by hand",
-- the same program in a shell line (!) of yours, within "minutes". Many of
-- these: a rule that allows the command would spare you the question.
--
-- row refusal
-- card time tool refused | how done | said session
-- chart bar value=minutes ranges=0,0.5,1,2,5,10,30
-- takes since until agent project
-- param minutes DOUBLE = 60   how soon a line typed by hand counts
-- param top INTEGER = 50   number of rows
-- example hindsql run refused-then-done since=30d minutes=10
WITH refused AS (
  SELECT r.*, s.project, coalesce(r.command, r.tool_input->>'new_string', r.tool_input->>'newString', r.tool_input->>'new_str', r.tool_input->>'$.edits[0].newText', r.tool_input->>'content', r.tool_input::VARCHAR) AS what
  FROM rejections r LEFT JOIN sessions s USING (agent, session_id)
  WHERE r.decided_by = 'user' AND r.tool_kind IN ('edit', 'command') AND NOT r.cascaded
    AND ($since IS NULL OR r.timestamp >= $since)
    AND ($until IS NULL OR r.timestamp < $until)
    AND ($agent IS NULL OR r.agent = $agent)
    AND in_project(s.project, $project)
), typed AS (
  SELECT agent, session_id, message_index, timestamp,
    trim(regexp_replace(text, '^\s*(<bash-input>|!)|</bash-input>\s*$', '', 'g')) AS line
  FROM messages
  WHERE kind IN ('command', 'prompt') AND typed_by = 'human' AND regexp_matches(text, '^\s*(<bash-input>|![a-z./])')
), again AS MATERIALIZED ( -- by place: the arguments of all other calls stay unread
  SELECT r.agent, r.session_id, r.tool_use_id AS refused_id, r.message_index AS refused_index, c.timestamp AS done_at, c.source_id, c.message_index, c.batch_index
  FROM refused r
  JOIN tool_calls c ON c.agent = r.agent AND c.session_id = r.session_id AND c.tool_name = r.tool_name
    AND c.message_index > r.message_index AND c.file_path IS NOT DISTINCT FROM r.file_path AND c.status IN ('ok', 'error')
    AND c.command IS NOT DISTINCT FROM r.command
), tried AS (
  SELECT r.*, a.done_at, a.source_id AS done_source, a.message_index AS done_message, a.batch_index AS done_place
  FROM refused r
  JOIN again a ON a.agent = r.agent AND a.session_id = r.session_id AND a.refused_index = r.message_index AND a.refused_id IS NOT DISTINCT FROM r.tool_use_id
), done AS (
  SELECT * EXCLUDE (done_at, done_source, done_message, done_place), 'ran later' AS how, done_at, command AS did FROM tried WHERE command IS NOT NULL
  UNION ALL
  SELECT t.* EXCLUDE (done_at, done_source, done_message, done_place), 'ran later', t.done_at, coalesce(c.input->>'new_string', c.input->>'newString', c.input->>'new_str', c.input->>'$.edits[0].newText', c.input->>'content', c.input::VARCHAR) AS did
  FROM tried t
  JOIN tool_calls c ON c.source_id = t.done_source AND c.message_index = t.done_message AND c.batch_index = t.done_place
  WHERE t.command IS NULL AND (coalesce(c.input->>'new_string', c.input->>'newString', c.input->>'new_str', c.input->>'$.edits[0].newText', c.input->>'content', c.input::VARCHAR) = t.what) IS TRUE
  UNION ALL
  SELECT r.*, 'typed by hand', t.timestamp, t.line
  FROM refused r
  JOIN typed t ON t.agent = r.agent AND t.session_id = r.session_id AND t.message_index > r.message_index
    AND r.tool_kind = 'command' AND epoch(t.timestamp) - epoch(r.timestamp) <= 60 * $minutes
    AND regexp_extract(t.line, '^\S+(\s+[a-z]\S*)?') = regexp_extract(trim(r.command), '^\S+(\s+[a-z]\S*)?')
)
SELECT
  strftime(timestamp, '%Y-%m-%d %H:%M') AS time,
  agent,
  coalesce(p.name, d.project, '(no project)') AS project,
  tool_name AS tool,
  about(file_in(d.project, file_path), command, tool_input) AS refused,
  how,
  round((epoch(done_at) - epoch(timestamp)) / 60, 1) AS minutes,
  did AS done,
  coalesce(reason, 'next: ' || next_prompt) AS said,
  session_id || ':' || message_index AS session
FROM done d
LEFT JOIN projects p ON p.project = d.project
QUALIFY row_number() OVER (PARTITION BY agent, session_id, tool_use_id ORDER BY done_at, how) = 1
ORDER BY d.timestamp DESC, tool_use_id
LIMIT $top
