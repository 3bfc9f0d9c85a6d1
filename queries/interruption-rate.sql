-- interruption-rate: how often you stop an agent, and in what
--
-- Of each 100 prompts, how many you stopped by hand; what was going on; and
-- the seconds from the prompt, or the command, that was being answered to the
-- stop: short means that the prompt was wrong, long that the agent was. "by" is model, project, week or month. A
-- refusal that also stopped the agent is none. Rates of fewer than
-- "rate_from" prompts, and the middle of fewer than 3 stops, are empty. A session's model is that of most of its answers.
--
-- chart bar label=agent,slice value=stops_per_100
-- param by VARCHAR = 'model' {model,project,week,month}   what a row stands for, beside the agent
-- takes since until agent project
-- param rate_from BIGINT = 10   fewest prompts for a rate
-- example hindsql run interruption-rate by=week since=90d
WITH events AS (
  SELECT m.agent, m.session_id, m.message_index, m.timestamp, true AS is_prompt, NULL AS phase, NULL AS tool_name, NULL AS asked_at
  FROM messages m WHERE m.kind = 'prompt' AND m.typed_by = 'human'
  UNION ALL
  SELECT i.agent, i.session_id, i.message_index, i.timestamp, false, i.phase, i.tool_name, a.timestamp
  FROM interruptions i
  LEFT JOIN with_copies.messages a ON a.agent = i.agent AND a.session_id = i.session_id AND a.message_index = i.prompt_index
  WHERE i.type = 'user' AND i.phase IS DISTINCT FROM 'subagent' AND NOT i.paired_rejection
), placed AS (
  SELECT e.*,
    CASE $by
      WHEN 'model' THEN s.model
      WHEN 'project' THEN coalesce(p.name, s.project)
      WHEN 'week' THEN strftime(date_trunc('week', e.timestamp), '%Y-%m-%d')
      WHEN 'month' THEN strftime(e.timestamp, '%Y-%m')
      ELSE error('by is model, project, week or month, not ' || $by)
    END AS slice,
    epoch(e.timestamp) - epoch(e.asked_at) AS seconds
  FROM events e LEFT JOIN sessions s USING (agent, session_id)
  LEFT JOIN projects p ON $by = 'project' AND p.project = s.project
  WHERE ($agent IS NULL OR e.agent = $agent) AND in_project(s.project, $project)
)
SELECT
  agent,
  slice,
  count(*) FILTER (is_prompt) AS prompts,
  count(*) FILTER (NOT is_prompt) AS stops,
  CASE WHEN prompts >= $rate_from THEN round(100 * stops / prompts, 1) END AS stops_per_100,
  CASE WHEN stops >= 3 THEN round(median(seconds) FILTER (NOT is_prompt)) END AS median_seconds,
  count(*) FILTER (phase = 'response') AS in_response,
  count(*) FILTER (phase = 'tool') AS in_tool,
  count(*) FILTER (phase = 'approval') AS in_approval,
  mode(tool_name ORDER BY tool_name) AS usual_tool
FROM placed
WHERE ($since IS NULL OR timestamp >= $since)
  AND ($until IS NULL OR timestamp < $until)
GROUP BY agent, slice
ORDER BY agent, CASE WHEN $by IN ('week', 'month') THEN slice END, stops DESC, prompts DESC, slice
