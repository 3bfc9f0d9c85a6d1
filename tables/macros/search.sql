-- search(pattern): matches of a pattern in messages, thinking, calls and refusals
--
-- The pattern is a regular expression (RE2); case doesn't matter. part names
-- the matched text: text, thinking, input, output or reason. snippet is the
-- text around the first match. Copies are left out.
--
--     SELECT time, agent, part, snippet FROM search('migrat(e|ion)') ORDER BY time
CREATE MACRO search(pattern) AS TABLE
WITH texts AS (
  SELECT agent, session_id, message_index, timestamp, 'text' AS part, text AS whole FROM {schema}.messages WHERE NOT is_copy
  UNION ALL
  SELECT agent, session_id, message_index, timestamp, 'thinking', thinking FROM {schema}.messages WHERE NOT is_copy
  UNION ALL
  SELECT agent, session_id, message_index, timestamp, 'input', CAST(input AS VARCHAR) FROM {schema}.tool_calls WHERE NOT is_copy
  UNION ALL
  SELECT agent, session_id, coalesce(result_message_index, message_index), coalesce(finished_at, timestamp), 'output', output
  FROM {schema}.tool_calls WHERE NOT is_copy
  UNION ALL
  SELECT agent, session_id, message_index, timestamp, 'reason', reason FROM {schema}.rejections WHERE NOT is_copy AND NOT is_inferred
), matches AS (
  SELECT *, strpos(whole, regexp_extract(whole, pattern, 0, 'i')) AS place
  FROM texts WHERE regexp_matches(whole, pattern, 'i')
), cut AS (
  -- Rows are ordered before their snippets are made, and so a LIMIT makes only its own.
  SELECT timestamp AS time, agent, part, place > 41 AS begun, substr(whole, greatest(place - 40, 1), 121) AS near,
    session_id, message_index
  FROM matches
  ORDER BY time, agent, session_id, message_index, part
)
-- The expression leaves out single spaces: to replace each by itself took twice as long.
SELECT time, agent, part,
  CASE WHEN begun THEN '…' ELSE '' END
    || trim(regexp_replace(substr(near, 1, 120), '[ ]\s+|[\t\n\f\r]\s*', ' ', 'g'))
    || CASE WHEN length(near) > 120 THEN '…' ELSE '' END AS snippet,
  session_id, message_index
FROM cut
