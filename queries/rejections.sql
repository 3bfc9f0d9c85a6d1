-- rejections: what you refused, newest first, and why
--
-- One row per tool call that you refused: the file or command it was about,
-- and what you said. Where no reason was recorded, "next:" is followed by what
-- you typed next. With decided_by=all or decided_by=rule, said begins with who
-- decided in your place: "rule", or "hook:" and the hook's words.
--
-- row refusal
-- card time tool refused | said | session
-- hidden timestamp session_id about folder message_index tool_use_id tool_kind command file_path tool_input decided_by denial_kind confidence evidence reason next_prompt proposed_diff cascaded cause_tool_use_id asked
-- takes since until agent project
-- param tool VARCHAR = NULL   one tool only, as the agent calls it, in any case
-- param kind VARCHAR = NULL {edit,command,read,search,web,mcp,plan,question,agent,script,other}   what the tool does
-- param decided_by VARCHAR = 'user' {user,rule,mode,setting,nobody,hook,classifier,sandbox,unknown,all}   who refused
-- param session VARCHAR = NULL   one session only, by its id, with its subagents
-- param text VARCHAR = NULL   part of what was wanted or said, in any case
-- param call VARCHAR = NULL   one call only, by its id, even if it went down with another
-- param top INTEGER = 50   number of rows
-- example hindsql run rejections since=7d tool=Bash
WITH newest AS (
  SELECT r.*, s.about, s.project AS folder, p.name AS project_name
  FROM rejections r
  LEFT JOIN sessions s USING (agent, session_id)
  LEFT JOIN projects p ON p.project = s.project
  WHERE coalesce($decided_by, 'all') IN ('all', r.decided_by)
    AND (NOT r.cascaded OR r.tool_use_id = $call)
    AND ($call IS NULL OR r.tool_use_id = $call)
    AND ($session IS NULL OR r.session_id = $session OR s.parent_session_id = $session)
    AND ($text IS NULL OR contains(lower(concat_ws(chr(10), r.reason, r.next_prompt, r.command, r.file_path, r.tool_input::VARCHAR, s.about)), lower($text)))
    AND ($since IS NULL OR r.timestamp >= $since)
    AND ($until IS NULL OR r.timestamp < $until)
    AND ($agent IS NULL OR r.agent = $agent)
    AND ($tool IS NULL OR lower(r.tool_name) = lower($tool))
    AND ($kind IS NULL OR r.tool_kind = $kind)
    AND in_project(s.project, $project)
  ORDER BY r.timestamp DESC, r.tool_use_id, r.agent, r.session_id
  LIMIT $top
)
SELECT
  strftime(r.timestamp, '%Y-%m-%d %H:%M') AS time,
  coalesce(r.project_name, r.folder, '(no project)') AS project,
  r.tool_name AS tool,
  about(file_in(r.folder, r.file_path), r.command, r.tool_input) AS refused,
  CASE WHEN r.decided_by = 'user' THEN coalesce(r.reason, 'next: ' || r.next_prompt) ELSE concat_ws(': ', r.decided_by, r.reason) END AS said,
  r.session_id || coalesce(':' || r.message_index, '') AS session,
  r.agent,
  r.timestamp, r.session_id, r.about, r.folder, r.message_index, r.tool_use_id, r.tool_kind, r.command, r.file_path, r.tool_input,
  r.decided_by, r.denial_kind, r.confidence, r.evidence, r.reason, r.next_prompt, r.proposed_diff, r.cascaded, r.cause_tool_use_id,
  asked(r.tool_input) AS asked
FROM newest r
ORDER BY r.timestamp DESC, r.tool_use_id, r.agent, r.session_id
