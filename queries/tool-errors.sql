-- tool-errors: which tools fail, how, and what they last said
--
-- Per agent, tool and kind of error: failed calls, their share of that tool's
-- calls in per cent, and the last one's first line. Refused and interrupted
-- calls are no errors.
--
-- row error
-- chart bar label=tool,error value=failed:count
-- takes since until agent project
-- param kind VARCHAR = NULL {edit,command,read,search,web,mcp,plan,question,agent,script,other}   what the tool does
-- param top INTEGER = 30   number of rows
-- example hindsql run tool-errors since=30d top=10
WITH calls AS NOT MATERIALIZED ( -- once without the outputs, once with those of errors
  SELECT c.agent, c.session_id, c.message_index, c.tool_name, c.status, c.error_type, c.exit_code, c.output, c.timestamp,
    (coalesce(c.timestamp, '-infinity'), c.session_id, c.message_index, c.batch_index) AS moment
  FROM tool_calls c
  LEFT JOIN sessions s USING (agent, session_id)
  WHERE c.tool_kind IS DISTINCT FROM 'script'
    AND ($since IS NULL OR c.timestamp >= $since)
    AND ($until IS NULL OR c.timestamp < $until)
    AND ($agent IS NULL OR c.agent = $agent)
    AND ($kind IS NULL OR c.tool_kind = $kind)
    AND in_project(s.project, $project)
), tools AS (
  SELECT agent, tool_name, count(*) AS calls FROM calls GROUP BY ALL
)
SELECT
  c.agent,
  c.tool_name AS tool,
  error_type AS error,
  count(*) AS failed,
  any_value(calls) AS calls,
  round(100 * count(*) / any_value(calls), 1) AS percent,
  mode(exit_code ORDER BY exit_code) AS usual_exit_code,
  max(timestamp)::DATE AS last,
  regexp_replace(arg_max(output, moment), '</?tool_use_error>', '', 'g') AS last_said,
  arg_max(session_id || ':' || message_index, moment) AS session
FROM calls c JOIN tools t ON t.agent = c.agent AND t.tool_name IS NOT DISTINCT FROM c.tool_name
WHERE c.status = 'error'
GROUP BY ALL
ORDER BY failed DESC, c.agent, tool, error
LIMIT $top
