-- refused-then-retried: refused calls that the agent tried again
--
-- Each file edit or command that you refused, and the most alike call of the
-- same tool that followed in the session: how alike (1 is the same), how many
-- minutes later, and how that one ended.
--
-- row refusal
-- card time tool refused | tried_again status | reason session
-- chart bar value=minutes ranges=0,0.5,1,2,5,10,30
-- takes since until agent project
-- param alike DOUBLE = 0.8   least similarity, 0 to 1
-- param top INTEGER = 50   number of rows
-- example hindsql run refused-then-retried alike=0.9
WITH refused AS (
  SELECT r.agent, r.session_id, r.tool_use_id, r.tool_name, r.timestamp, r.message_index, r.reason, r.file_path, r.command, r.tool_input,
    coalesce(r.command, r.tool_input->>'new_string', r.tool_input->>'newString', r.tool_input->>'new_str', r.tool_input->>'$.edits[0].newText', r.tool_input->>'content', r.tool_input::VARCHAR) AS what,
    s.project
  FROM rejections r LEFT JOIN sessions s USING (agent, session_id)
  WHERE r.decided_by = 'user' AND r.tool_kind IN ('edit', 'command') AND NOT r.cascaded
    AND ($since IS NULL OR r.timestamp >= $since)
    AND ($until IS NULL OR r.timestamp < $until)
    AND ($agent IS NULL OR r.agent = $agent)
    AND in_project(s.project, $project)
), later AS (
  SELECT r.*, c.timestamp AS again_at, c.status,
    coalesce(c.command, c.input->>'new_string', c.input->>'newString', c.input->>'new_str', c.input->>'$.edits[0].newText', c.input->>'content', c.input::VARCHAR) AS again,
    jaro_winkler_similarity(left(what, 2000), left(again, 2000)) AS similarity
  FROM refused r
  JOIN tool_calls c ON c.agent = r.agent AND c.session_id = r.session_id AND c.tool_name = r.tool_name
    AND c.message_index > r.message_index AND c.file_path IS NOT DISTINCT FROM r.file_path
)
SELECT
  strftime(timestamp, '%Y-%m-%d %H:%M') AS time,
  agent,
  coalesce(p.name, l.project, '(no project)') AS project,
  tool_name AS tool,
  about(file_in(l.project, file_path), command, tool_input) AS refused,
  again AS tried_again,
  round(similarity, 2) AS similarity,
  round((epoch(again_at) - epoch(timestamp)) / 60, 1) AS minutes,
  status,
  reason,
  session_id || ':' || message_index AS session
FROM later l
LEFT JOIN projects p ON p.project = l.project
WHERE similarity >= $alike
QUALIFY row_number() OVER (PARTITION BY agent, session_id, tool_use_id ORDER BY similarity DESC, again_at) = 1
ORDER BY l.timestamp DESC, l.tool_use_id
LIMIT $top
