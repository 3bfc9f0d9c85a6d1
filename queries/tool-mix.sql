-- tool-mix: which tools agents use, and how well that goes
--
-- Per agent and tool: calls, their share of the agent's calls in per cent, the
-- sessions that used it, failures and refusals, and seconds a call in the
-- middle, waiting for approval included (empty where no times are recorded).
--
-- chart bar label=agent,tool value=calls:count
-- takes since until agent project
-- param kind VARCHAR = NULL {edit,command,read,search,web,mcp,plan,question,agent,script,other}   what the tool does
-- param model VARCHAR = NULL   part of the model's name, in any case
-- param min BIGINT = 1   fewest calls of a tool that is shown
-- example hindsql run tool-mix since=30d min=5
WITH calls AS (
  SELECT c.agent, c.session_id, c.tool_name, c.tool_kind, c.status, c.duration_ms, r.tool_use_id AS refused
  FROM tool_calls c
  LEFT JOIN sessions s USING (agent, session_id)
  LEFT JOIN (SELECT agent, session_id, message_index, model FROM messages WHERE $model IS NOT NULL) m USING (agent, session_id, message_index)
  LEFT JOIN rejections r ON r.agent = c.agent AND r.session_id = c.session_id AND r.tool_use_id = c.tool_use_id
    AND r.decided_by = 'user' AND NOT r.cascaded
  WHERE c.tool_kind IS DISTINCT FROM 'script'
    AND ($since IS NULL OR c.timestamp >= $since)
    AND ($until IS NULL OR c.timestamp < $until)
    AND ($agent IS NULL OR c.agent = $agent)
    AND ($kind IS NULL OR c.tool_kind = $kind)
    AND in_project(s.project, $project)
    AND ($model IS NULL OR contains(lower(coalesce(m.model, s.model)), lower($model)))
)
SELECT
  agent,
  tool_kind AS kind,
  tool_name AS tool,
  count(*) AS calls,
  round(100 * count(*) / sum(count(*)) OVER (PARTITION BY agent), 1) AS percent,
  count(DISTINCT session_id) AS sessions,
  count(*) FILTER (status = 'error') AS failed,
  count(refused) AS refused,
  round(median(duration_ms) / 1000, 1) AS median_seconds
FROM calls
GROUP BY agent, tool_kind, tool_name
QUALIFY count(*) >= $min
ORDER BY agent, calls DESC, tool, kind
