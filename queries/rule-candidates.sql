-- rule-candidates: what you refused, as rules might say it
--
-- Your refusals of calls, by what they were about: the program of each part of a
-- shell command, with the subcommand of git, npm and the like; the folder of a
-- file; else the tool. granted and ran speak against a rule: calls of the same
-- that you granted when asked, and all that ran. reasons counts those that you
-- gave; said has your words, newest first, with "next:" before what you typed
-- next where you gave none. The ids are those of tool calls.
--
-- row candidate
-- card kind about refused granted ran | said
-- chart bar label=kind,about value=refused:count
-- takes since until agent project
-- param kind VARCHAR = NULL {edit,command,read,search,web,mcp,plan,question,agent,script,other}   what the tool does
-- param by VARCHAR = 'folder' {folder,file}   what files are grouped by
-- param least INTEGER = 1   fewest refusals
-- param top INTEGER = 30   number of rows
-- example hindsql run rule-candidates since=30d least=2
WITH refusals AS MATERIALIZED (
  SELECT r.agent, r.session_id, r.message_index, r.tool_use_id, r.project, r.tool_name, r.tool_kind, r.timestamp, r.command, r.file_path,
    c.command_parts, r.reason, r.next_prompt, true AS refused, false AS granted, false AS ran
  FROM rejections r
  LEFT JOIN (FROM tool_calls WHERE command_parts IS NOT NULL) c USING (agent, session_id, tool_use_id)
  WHERE r.decided_by = 'user' AND NOT r.cascaded
), calls AS NOT MATERIALIZED (
  FROM refusals
  UNION ALL
  SELECT agent, session_id, message_index, tool_use_id, project, tool_name, tool_kind, timestamp, command, file_path,
    command_parts, NULL, NULL, false, decision = 'granted' AND decided_by = 'user', status IN ('ok', 'error')
  FROM tool_calls
  WHERE list_contains((SELECT list(DISTINCT tool_kind) FROM refusals), tool_kind) -- most kinds of calls were never refused
    AND (status IN ('ok', 'error') OR decision = 'granted' AND decided_by = 'user')
), parts AS NOT MATERIALIZED (
  SELECT *, unnest(CASE WHEN len(command_parts) > 0 THEN command_parts ELSE [command] END) AS part
  FROM calls
  WHERE ($since IS NULL OR timestamp >= $since)
    AND ($until IS NULL OR timestamp < $until)
    AND ($agent IS NULL OR agent = $agent)
    AND ($kind IS NULL OR tool_kind = $kind)
    AND in_project(project, $project)
), programs AS MATERIALIZED ( -- once for equal commands: program is dear
  SELECT part, regexp_extract(program(CASE WHEN ends_with(part, ':*') THEN left(part, -2) ELSE part END), '^[^:]*') AS program
  FROM (SELECT DISTINCT part FROM parts WHERE part IS NOT NULL)
), placed AS NOT MATERIALIZED (
  SELECT *, file_in(project, file_path) AS file,
    coalesce(nullif(program, ''), CASE WHEN $by = 'file' THEN file ELSE coalesce(nullif(regexp_extract(file, '^.*[/\\]'), ''), file) END, tool_name) AS about
  FROM parts LEFT JOIN programs USING (part)
), asked AS MATERIALIZED (
  SELECT *, (coalesce(timestamp, '-infinity'), session_id, message_index, tool_use_id) AS moment
  FROM placed SEMI JOIN (FROM placed WHERE refused) USING (tool_kind, about)
), spoken AS ( -- a call has its words once
  SELECT tool_kind, about, string_agg(words, ' | ' ORDER BY last DESC, words) AS said
  FROM (
    SELECT tool_kind, about, coalesce(reason, 'next: ' || next_prompt) AS words, max(timestamp) AS last
    FROM asked
    WHERE refused AND coalesce(reason, next_prompt) IS NOT NULL
    GROUP BY tool_kind, about, words
    QUALIFY row_number() OVER (PARTITION BY tool_kind, about ORDER BY last DESC, words) <= 3
  )
  GROUP BY tool_kind, about
)
SELECT
  a.tool_kind AS kind,
  a.about,
  count(DISTINCT (a.agent, a.session_id, a.tool_use_id)) FILTER (refused) AS refused,
  count(DISTINCT (a.agent, a.session_id, a.tool_use_id)) FILTER (granted) AS granted,
  count(DISTINCT (a.agent, a.session_id, a.tool_use_id)) FILTER (ran) AS ran,
  count(DISTINCT (a.agent, a.session_id, a.tool_use_id)) FILTER (refused AND a.reason IS NOT NULL) AS reasons,
  any_value(s.said) AS said,
  arg_max(coalesce(about(a.file, a.command, NULL), a.tool_name), a.moment) FILTER (refused) AS last_refused, -- all arguments stay unread
  max(a.timestamp) FILTER (refused)::DATE AS last,
  string_agg(DISTINCT coalesce(p.name, a.project), ', ' ORDER BY coalesce(p.name, a.project)) FILTER (refused) AS projects,
  string_agg(DISTINCT a.agent, ', ' ORDER BY a.agent) FILTER (refused) AS agents,
  (list(DISTINCT a.tool_use_id ORDER BY a.tool_use_id) FILTER (refused))[:8] AS refused_ids,
  (list(DISTINCT a.tool_use_id ORDER BY a.tool_use_id) FILTER (granted))[:4] AS granted_ids,
  arg_max(a.session_id || coalesce(':' || a.message_index, ''), a.moment) FILTER (refused) AS session
FROM asked a
LEFT JOIN projects p ON p.project = a.project
LEFT JOIN spoken s ON s.tool_kind = a.tool_kind AND s.about = a.about
GROUP BY a.tool_kind, a.about
HAVING count(DISTINCT (a.agent, a.session_id, a.tool_use_id)) FILTER (refused) >= $least
ORDER BY refused DESC, granted, reasons DESC, last DESC, kind, about
LIMIT $top
