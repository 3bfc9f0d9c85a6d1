-- approvals: what you granted when asked, and how often
--
-- Per agent, tool and what it was about: the parts of a shell command (with
-- :* where any further arguments are alike), the kind of a file. granted and
-- refused are yours, not those of a rule; "lasting" were granted for longer
-- than this once, such as "always" or for the session. Of most agents the log
-- tells only some grants, and of some none: hindsql's README says which.
--
-- card tool what granted lasting refused
-- chart bar label=tool,what value=granted:count
-- takes since until agent project
-- param tool VARCHAR = NULL   one tool only, as the agent calls it, in any case
-- param kind VARCHAR = NULL {edit,command,read,search,web,mcp,plan,question,agent,script,other}   what the tool does
-- param lasting BOOLEAN = false   only what was granted for longer than this once
-- param top INTEGER = 30   number of rows
-- example hindsql run approvals since=30d
WITH asked AS (
  SELECT agent, tool_name, decision, decision_scope, timestamp,
    unnest(CASE
      WHEN len(command_parts) > 0 THEN command_parts
      WHEN command IS NOT NULL THEN [command]
      WHEN file_path IS NOT NULL THEN ['*' || regexp_extract(file_path, '\.[^./\\]+$')]
      ELSE [NULL]
    END) AS what
  FROM tool_calls c
  ANTI JOIN (FROM with_copies.rejections WHERE is_inferred) r ON r.agent = c.agent AND r.session_id = c.session_id AND r.tool_use_id = c.tool_use_id
  WHERE decided_by = 'user' AND decision IN ('granted', 'refused')
    AND ($since IS NULL OR timestamp >= $since)
    AND ($until IS NULL OR timestamp < $until)
    AND ($agent IS NULL OR agent = $agent)
    AND ($kind IS NULL OR tool_kind = $kind)
    AND in_project(project, $project)
    AND ($tool IS NULL OR lower(tool_name) = lower($tool))
)
SELECT
  agent,
  tool_name AS tool,
  what,
  count(*) FILTER (decision = 'granted') AS granted,
  count(*) FILTER (decision = 'granted' AND decision_scope <> 'once') AS lasting,
  count(*) FILTER (decision = 'refused') AS refused,
  max(timestamp) FILTER (decision = 'granted')::DATE AS last
FROM asked
GROUP BY agent, tool_name, what
HAVING granted > 0 AND (NOT coalesce($lasting, false) OR lasting > 0)
ORDER BY granted DESC, agent, tool, what
LIMIT $top
