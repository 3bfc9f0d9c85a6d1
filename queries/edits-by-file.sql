-- edits-by-file: the files that are edited most
--
-- Per file: edits that went through, in how many sessions and on how many
-- days, those that failed, and those that you refused. Edited over and over,
-- or failing often: the file is too big, or the agent lacks a rule about it.
-- With min_refused=1: only files of which you refused edits.
--
-- row file
-- chart bar label=project,file value=edits:count
-- takes since until agent project
-- param min_refused BIGINT = 0   fewest refusals of a file that is shown
-- param top INTEGER = 30   number of rows
-- example hindsql run edits-by-file since=30d top=10
SELECT
  coalesce(any_value(p.name), s.project, '(no project)') AS project,
  file_in(s.project, c.file_path) AS file,
  string_agg(DISTINCT c.agent, ', ' ORDER BY c.agent) AS agents,
  count(*) FILTER (c.status = 'ok') AS edits,
  count(DISTINCT (c.agent, c.session_id)) FILTER (c.status = 'ok') AS sessions,
  count(DISTINCT c.timestamp::DATE) FILTER (c.status = 'ok') AS days,
  count(*) FILTER (c.status = 'error') AS failed,
  count(r.tool_use_id) AS refused,
  max(c.timestamp)::DATE AS last
FROM tool_calls c
LEFT JOIN sessions s USING (agent, session_id)
LEFT JOIN rejections r ON r.agent = c.agent AND r.session_id = c.session_id AND r.tool_use_id = c.tool_use_id
  AND r.decided_by = 'user' AND NOT r.cascaded
LEFT JOIN projects p ON p.project = s.project
WHERE c.tool_kind = 'edit' AND c.file_path IS NOT NULL
  AND ($since IS NULL OR c.timestamp >= $since)
  AND ($until IS NULL OR c.timestamp < $until)
  AND ($agent IS NULL OR c.agent = $agent)
  AND in_project(s.project, $project)
GROUP BY s.project, file
HAVING count(r.tool_use_id) >= $min_refused AND (edits > 0 OR failed > 0 OR refused > 0)
ORDER BY edits DESC, refused DESC, failed DESC, s.project, file
LIMIT $top
