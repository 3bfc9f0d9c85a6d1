-- refusal-rate: refusals per 100 calls, by week, hour or model
--
-- Whether agents need less correction than before, when of the day you refuse,
-- and which model you refuse most. "by" is day, week, month, hour, weekday,
-- agent, model, project or tool; a week is named by its Monday. Rates are left
-- empty where there are fewer than "rate_from" calls, which say nothing.
--
-- chart line label=slice value=refused_per_100 weight=calls
-- param by VARCHAR = 'week' {day,week,month,hour,weekday,agent,model,project,tool}   what a row stands for
-- takes since until agent project
-- param model VARCHAR = NULL   part of the model's name, in any case
-- param tool VARCHAR = NULL   one tool only, as the agent calls it, in any case
-- param kind VARCHAR = NULL {edit,command,read,search,web,mcp,plan,question,agent,script,other}   what the tool does
-- param rate_from BIGINT = 20   fewest calls for a rate
-- example hindsql run refusal-rate by=hour since=90d
WITH called AS (
  SELECT c.agent, c.session_id, s.project, c.tool_name, coalesce(m.model, s.model) AS model,
    epoch_us(c.timestamp) // 900_000_000 AS quarter, -- an hour and a day begin with one, everywhere
    count(*) AS calls, count(r.tool_use_id) AS refused, count(r.reason) AS reasons
  FROM tool_calls c
  LEFT JOIN sessions s USING (agent, session_id)
  LEFT JOIN (SELECT agent, session_id, message_index, model FROM messages WHERE $by = 'model' OR $model IS NOT NULL) m USING (agent, session_id, message_index)
  LEFT JOIN rejections r ON r.agent = c.agent AND r.session_id = c.session_id AND r.tool_use_id = c.tool_use_id
    AND r.decided_by = 'user' AND NOT r.cascaded
  WHERE c.tool_kind IS DISTINCT FROM 'script'
    AND (c.timestamp IS NOT NULL OR $by IN ('agent', 'model', 'project', 'tool'))
    AND ($since IS NULL OR c.timestamp >= $since)
    AND ($until IS NULL OR c.timestamp < $until)
    AND ($agent IS NULL OR c.agent = $agent)
    AND ($kind IS NULL OR c.tool_kind = $kind)
    AND in_project(s.project, $project)
    AND ($model IS NULL OR contains(lower(coalesce(m.model, s.model)), lower($model)))
    AND ($tool IS NULL OR lower(c.tool_name) = lower($tool))
  GROUP BY ALL
), sliced AS (
  SELECT called.*, to_timestamp(quarter * 900) AS time,
    CASE $by
      WHEN 'day' THEN strftime(time, '%Y-%m-%d')
      WHEN 'week' THEN strftime(date_trunc('week', time), '%Y-%m-%d')
      WHEN 'month' THEN strftime(time, '%Y-%m')
      WHEN 'hour' THEN strftime(time, '%H:00')
      WHEN 'weekday' THEN strftime(time, '%u %A')
      WHEN 'agent' THEN agent
      WHEN 'model' THEN model
      WHEN 'project' THEN coalesce(p.name, called.project)
      WHEN 'tool' THEN tool_name
      ELSE error('by is day, week, month, hour, weekday, agent, model, project or tool, not ' || $by)
    END AS slice
  FROM called LEFT JOIN projects p ON $by = 'project' AND p.project = called.project
)
SELECT
  slice,
  sum(calls)::BIGINT AS calls,
  sum(refused)::BIGINT AS refused,
  sum(reasons)::BIGINT AS with_reason,
  count(DISTINCT (agent, session_id)) FILTER (refused > 0) AS sessions,
  CASE WHEN sum(calls) >= $rate_from THEN round(100 * sum(refused) / sum(calls), 2) END AS refused_per_100
FROM sliced
GROUP BY slice
ORDER BY slice NULLS LAST
