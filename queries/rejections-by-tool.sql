-- rejections-by-tool: which tools you refuse most
--
-- Per agent and tool: its calls, how many of them you refused, their share in
-- per cent, and how many of the refusals came with a reason. Tools that you
-- never refused are left out.
--
-- chart bar label=tool value=refused:count
-- takes since until agent project
-- param kind VARCHAR = NULL {edit,command,read,search,web,mcp,plan,question,agent,script,other}   what the tool does
-- param decided_by VARCHAR = 'user' {user,rule,mode,setting,nobody,hook,classifier,sandbox,unknown,all}   who refused
-- example hindsql run rejections-by-tool since=30d
SELECT
  c.agent,
  c.tool_name AS tool,
  count(*) AS calls,
  count(r.tool_use_id) AS refused,
  round(100 * count(r.tool_use_id) / count(*), 1) AS percent,
  count(r.reason) AS with_reason,
  max(r.timestamp)::DATE AS last
FROM tool_calls c
LEFT JOIN sessions s USING (agent, session_id)
LEFT JOIN rejections r
  ON r.agent = c.agent AND r.session_id = c.session_id AND r.tool_use_id = c.tool_use_id
  AND coalesce($decided_by, 'all') IN ('all', r.decided_by) AND NOT r.cascaded
WHERE c.tool_kind IS DISTINCT FROM 'script'
  AND ($since IS NULL OR c.timestamp >= $since)
  AND ($until IS NULL OR c.timestamp < $until)
  AND ($agent IS NULL OR c.agent = $agent)
  AND ($kind IS NULL OR c.tool_kind = $kind)
  AND in_project(s.project, $project)
GROUP BY c.agent, c.tool_name
HAVING count(r.tool_use_id) > 0
ORDER BY refused DESC, percent DESC, c.agent, tool
