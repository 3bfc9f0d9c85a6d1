-- reads compactions, interruptions, messages, rejections, scope, sessions, tool_calls; writes sessions; when files are pending
-- needs: 3-copies
-- Totals of the sessions in the files of scope, copies left out. Token totals too large
-- for a BIGINT, from values loaded by an older build, are null. The estimated cost is null
-- if a message with tokens has none.
-- repeated_stops lists the stops of subagents that repeat a stop of a session above, or of
-- the session itself if its log has the subagent's lines: one keypress counts once. New
-- prices run this step without the macros of 0-begin.
CREATE OR REPLACE TEMP TABLE repeated_stops AS
WITH cut AS (
  SELECT i.agent, i.source_id, i.session_id, i.timestamp, i.machine, unnest([s.session_id, s.parent_session_id, split_part(s.parent_session_id, '/', 1)]) AS above
  FROM interruptions i JOIN sessions s USING (agent, source_id, session_id)
  WHERE i.phase = 'subagent' AND i.type = 'user' AND i.source_id IN (FROM scope))
SELECT DISTINCT c.agent, c.source_id, c.session_id, c.timestamp, 'subagent' AS phase
FROM cut c JOIN interruptions p ON p.agent = c.agent AND p.session_id = c.above AND p.type = 'user' AND NOT p.is_copy AND NOT p.is_inferred
  AND (p.session_id <> c.session_id OR p.phase IS DISTINCT FROM 'subagent') AND p.machine IS NOT DISTINCT FROM c.machine AND p.timestamp BETWEEN c.timestamp - INTERVAL 1 SECOND AND c.timestamp + INTERVAL 1 SECOND;

UPDATE sessions t SET
  message_count = n.messages, prompt_count = n.prompts,
  input_tokens = n.input, output_tokens = n.output, cache_read_tokens = n.cache_read, cache_write_tokens = n.cache_write,
  reasoning_tokens = n.reasoning, cost_estimated_usd = n.usd,
  tool_call_count = n.calls, tool_error_count = n.errors,
  rejection_count = n.rejections, interruption_count = n.interruptions, compaction_count = n.compactions
FROM (
  SELECT agent, session_id,
    coalesce(sum(messages), 0)::BIGINT AS messages, coalesce(sum(prompts), 0)::BIGINT AS prompts,
    TRY_CAST(coalesce(sum(input), 0) AS BIGINT) AS input, TRY_CAST(coalesce(sum(output), 0) AS BIGINT) AS output,
    TRY_CAST(coalesce(sum(cache_read), 0) AS BIGINT) AS cache_read, TRY_CAST(coalesce(sum(cache_write), 0) AS BIGINT) AS cache_write,
    TRY_CAST(sum(reasoning) AS BIGINT) AS reasoning,
    CASE WHEN count(usd) = count(*) FILTER (coalesce(input, 0) + coalesce(output, 0) + coalesce(cache_read, 0) + coalesce(cache_write, 0) > 0) THEN sum(usd) END AS usd,
    coalesce(sum(calls), 0)::BIGINT AS calls, coalesce(sum(errors), 0)::BIGINT AS errors,
    coalesce(sum(rejections), 0)::BIGINT AS rejections, coalesce(sum(interruptions), 0)::BIGINT AS interruptions,
    coalesce(sum(compactions), 0)::BIGINT AS compactions
  FROM (
    SELECT agent, session_id, NULL::BOOLEAN AS messages, NULL::BOOLEAN AS prompts,
      NULL::BIGINT AS input, NULL::BIGINT AS output, NULL::BIGINT AS cache_read, NULL::BIGINT AS cache_write, NULL::BIGINT AS reasoning, NULL::DOUBLE AS usd
    FROM sessions WHERE source_id IN (FROM scope)
    UNION ALL BY NAME
    SELECT agent, session_id, kind IS DISTINCT FROM 'usage' AS messages, kind = 'prompt' AND typed_by = 'human' AS prompts,
      input_tokens AS input, output_tokens AS output, cache_read_tokens AS cache_read, cache_write_tokens AS cache_write, reasoning_tokens AS reasoning, cost_estimated_usd AS usd
    FROM messages WHERE NOT is_copy AND source_id IN (FROM scope)
    UNION ALL BY NAME
    SELECT agent, session_id, parent_tool_use_id IS NULL AS calls, status = 'error' AND tool_kind <> 'script' AS errors
    FROM tool_calls WHERE NOT is_copy AND source_id IN (FROM scope)
    UNION ALL BY NAME
    SELECT agent, session_id, true AS rejections
    FROM rejections WHERE NOT is_copy AND NOT is_inferred AND NOT cascaded AND decided_by = 'user' AND source_id IN (FROM scope)
    UNION ALL BY NAME
    SELECT agent, session_id, true AS interruptions
    FROM interruptions ANTI JOIN repeated_stops USING (agent, source_id, session_id, timestamp, phase)
    WHERE NOT is_copy AND NOT is_inferred AND type = 'user' AND source_id IN (FROM scope)
    UNION ALL BY NAME
    SELECT agent, session_id, true AS compactions
    FROM compactions WHERE NOT is_copy AND source_id IN (FROM scope))
  GROUP BY ALL) n
WHERE t.agent = n.agent AND t.session_id = n.session_id AND t.source_id IN (FROM scope);
