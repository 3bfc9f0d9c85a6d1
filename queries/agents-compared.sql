-- agents-compared: refusals, stops and errors of agents and models
--
-- Per agent and model: tool calls, and of each 100 of them how many you
-- refused, how many failed, and how often you interrupted. Calls are counted
-- under the model that made them. Models with few calls say little.
--
-- card agent model calls refused_per_100 stops_per_100 errors_per_100
-- chart bar label=agent,model value=refused_per_100
-- takes since until project
-- param min_calls BIGINT = 1   fewest calls of a model that is shown
-- example hindsql run agents-compared since=30d min_calls=20
WITH counted AS (
  SELECT m.agent, m.session_id, m.message_index, coalesce(m.model, s.model) AS model
  FROM messages m LEFT JOIN sessions s USING (agent, session_id)
  WHERE ($since IS NULL OR m.timestamp >= $since)
    AND ($until IS NULL OR m.timestamp < $until)
    AND in_project(s.project, $project)
), calls AS (
  SELECT m.agent, m.model, count(*) AS calls,
    count(*) FILTER (c.status = 'error') AS errors,
    count(r.tool_use_id) AS refused
  FROM counted m
  JOIN tool_calls c USING (agent, session_id, message_index)
  LEFT JOIN rejections r ON r.agent = c.agent AND r.session_id = c.session_id AND r.tool_use_id = c.tool_use_id
    AND r.decided_by = 'user' AND NOT r.cascaded
  WHERE c.tool_kind IS DISTINCT FROM 'script'
  GROUP BY ALL
), stops AS (
  SELECT m.agent, coalesce(m.model, s.model) AS model, count(*) AS stops
  FROM interruptions i
  JOIN counted m ON m.agent = i.agent AND m.session_id = i.session_id
    AND m.message_index = coalesce(i.interrupted_message_index, i.message_index)
  LEFT JOIN sessions s ON s.agent = i.agent AND s.session_id = i.session_id
  WHERE i.type = 'user' AND i.phase <> 'subagent'
  GROUP BY ALL
)
SELECT
  agent,
  model,
  calls,
  refused,
  round(100 * refused / calls, 1) AS refused_per_100,
  coalesce(stops, 0) AS stops,
  round(100 * coalesce(stops, 0) / calls, 1) AS stops_per_100,
  errors,
  round(100 * errors / calls, 1) AS errors_per_100
FROM calls
LEFT JOIN stops USING (agent, model)
WHERE calls >= $min_calls
ORDER BY agent, calls DESC, model
