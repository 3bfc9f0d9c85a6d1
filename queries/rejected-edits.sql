-- rejected-edits: edits you refused, with their diffs
--
-- Each edit of a file that you refused, newest first: what it would have
-- changed, the reason you gave, and what you typed next.
--
-- row edit
-- card time tool file | reason | next_prompt session
-- format line
-- takes since until agent project
-- param decided_by VARCHAR = 'user' {user,rule,mode,setting,nobody,hook,classifier,sandbox,unknown,all}   who refused
-- param top INTEGER = 20   number of edits
-- example hindsql run rejected-edits since=7d top=5
SELECT
  strftime(r.timestamp, '%Y-%m-%d %H:%M') AS time,
  r.agent,
  coalesce(p.name, s.project, '(no project)') AS project,
  r.tool_name AS tool,
  r.file_path AS file,
  r.reason,
  r.next_prompt,
  r.proposed_diff,
  r.session_id || coalesce(':' || r.message_index, '') AS session
FROM rejections r
LEFT JOIN sessions s USING (agent, session_id)
LEFT JOIN projects p ON p.project = s.project
WHERE coalesce($decided_by, 'all') IN ('all', r.decided_by)
  AND r.tool_kind = 'edit'
  AND NOT r.cascaded
  AND ($since IS NULL OR r.timestamp >= $since)
  AND ($until IS NULL OR r.timestamp < $until)
  AND ($agent IS NULL OR r.agent = $agent)
  AND in_project(s.project, $project)
ORDER BY r.timestamp DESC, r.tool_use_id
LIMIT $top
