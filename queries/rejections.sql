-- rejections: what you refused, newest first, and why
--
-- One row per tool call that you refused: the file or command it was about,
-- and what you said; both cut to a line. Where no reason was recorded, "next:"
-- is followed by what you typed next.
--
-- param since TIMESTAMPTZ = NULL   first moment counted
-- param until TIMESTAMPTZ = NULL   first moment no longer counted
-- param agent VARCHAR = NULL   one agent only
-- param project VARCHAR = NULL   part of the project's folder
-- param tool VARCHAR = NULL   one tool only, as the agent calls it
-- param top INTEGER = 50   number of rows
-- example hindsql run rejections since=7d tool=Bash
SELECT
  strftime(r.timestamp, '%Y-%m-%d %H:%M') AS time,
  r.agent,
  regexp_extract(s.project, '[^/\\]+[/\\]?$') AS project,
  r.tool_name AS tool,
  left(regexp_replace(
    coalesce(replace(r.file_path, s.project || '/', ''), r.command, r.tool_input->>'plan',
      r.tool_input->>'$.questions[0].question', r.tool_input::VARCHAR), '\s+', ' ', 'g'), 120) AS refused,
  left(regexp_replace(coalesce(r.reason, 'next: ' || r.next_prompt), '\s+', ' ', 'g'), 200) AS said
FROM rejections r
LEFT JOIN sessions s USING (agent, session_id)
WHERE r.decided_by = 'user'
  AND NOT r.cascaded
  AND ($since IS NULL OR r.timestamp >= $since)
  AND ($until IS NULL OR r.timestamp < $until)
  AND ($agent IS NULL OR r.agent = $agent)
  AND ($tool IS NULL OR r.tool_name = $tool)
  AND ($project IS NULL OR contains(s.project, $project))
ORDER BY r.timestamp DESC, r.tool_use_id
LIMIT $top
