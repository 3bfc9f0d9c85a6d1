-- rejections: what you refused, newest first, and why
--
-- One row per tool call that you refused: the file or command it was about,
-- and what you said; both cut to a line. Where no reason was recorded, "next:"
-- is followed by what you typed next.
--
-- row refusal
-- takes since until agent project
-- param tool VARCHAR = NULL   one tool only, as the agent calls it, in any case
-- param kind VARCHAR = NULL {edit,command,read,search,web,mcp,plan,question,agent,script,other}   what the tool does
-- param decided_by VARCHAR = 'user' {user,rule,mode,setting,nobody,hook,classifier,sandbox,unknown,all}   who refused
-- param top INTEGER = 50   number of rows
-- example hindsql run rejections since=7d tool=Bash
SELECT
  strftime(r.timestamp, '%Y-%m-%d %H:%M') AS time,
  coalesce(p.name, s.project) AS project,
  r.tool_name AS tool,
  left(regexp_replace(
    coalesce(file_in(s.project, r.file_path), r.command, r.tool_input->>'plan', r.tool_input->>'summary',
      r.tool_input->>'$.questions[0].question', r.tool_input::VARCHAR), '\s+', ' ', 'g'), 120) AS refused,
  left(regexp_replace(coalesce(r.reason, 'next: ' || r.next_prompt), '\s+', ' ', 'g'), 200) AS said,
  r.session_id || coalesce(':' || r.message_index, '') AS session,
  r.agent
FROM rejections r
LEFT JOIN sessions s USING (agent, session_id)
LEFT JOIN projects p ON p.project = s.project
WHERE coalesce($decided_by, 'all') IN ('all', r.decided_by)
  AND NOT r.cascaded
  AND ($since IS NULL OR r.timestamp >= $since)
  AND ($until IS NULL OR r.timestamp < $until)
  AND ($agent IS NULL OR r.agent = $agent)
  AND ($tool IS NULL OR lower(r.tool_name) = lower($tool))
  AND ($kind IS NULL OR r.tool_kind = $kind)
  AND ($project IS NULL OR contains(lower(s.project), lower($project)))
ORDER BY r.timestamp DESC, r.tool_use_id
LIMIT $top
