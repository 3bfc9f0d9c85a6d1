-- Totals of the sessions in the files that were touched, copies left out.
UPDATE sessions t SET
  message_count = coalesce(m.messages, 0), prompt_count = coalesce(m.prompts, 0),
  input_tokens = coalesce(m.input, 0), output_tokens = coalesce(m.output, 0),
  cache_read_tokens = coalesce(m.cache_read, 0), cache_write_tokens = coalesce(m.cache_write, 0),
  reasoning_tokens = m.reasoning,
  tool_call_count = coalesce(c.calls, 0), tool_error_count = coalesce(c.errors, 0),
  rejection_count = coalesce(r.rejections, 0), interruption_count = coalesce(i.interruptions, 0),
  compaction_count = coalesce(k.compactions, 0)
FROM (SELECT agent, source_id, session_id FROM sessions WHERE source_id IN (FROM scope)) s
LEFT JOIN (
  SELECT agent, session_id, count(*) AS messages, count(*) FILTER (kind = 'prompt' AND typed_by = 'human') AS prompts,
    sum(input_tokens)::BIGINT AS input, sum(output_tokens)::BIGINT AS output,
    sum(cache_read_tokens)::BIGINT AS cache_read, sum(cache_write_tokens)::BIGINT AS cache_write,
    sum(reasoning_tokens)::BIGINT AS reasoning
  FROM messages WHERE NOT is_copy AND source_id IN (FROM scope) GROUP BY ALL) m USING (agent, session_id)
LEFT JOIN (
  SELECT agent, session_id, count(*) FILTER (parent_tool_use_id IS NULL) AS calls, count(*) FILTER (status = 'error' AND tool_kind <> 'script') AS errors
  FROM tool_calls WHERE NOT is_copy AND source_id IN (FROM scope) GROUP BY ALL) c USING (agent, session_id)
LEFT JOIN (
  SELECT agent, session_id, count(*) AS rejections
  FROM rejections WHERE NOT is_copy AND NOT cascaded AND decided_by = 'user' AND source_id IN (FROM scope) GROUP BY ALL) r USING (agent, session_id)
LEFT JOIN (
  SELECT agent, session_id, count(*) AS interruptions
  FROM interruptions WHERE NOT is_copy AND type = 'user' AND source_id IN (FROM scope) GROUP BY ALL) i USING (agent, session_id)
LEFT JOIN (
  SELECT agent, session_id, count(*) AS compactions
  FROM compactions WHERE NOT is_copy AND source_id IN (FROM scope) GROUP BY ALL) k USING (agent, session_id)
WHERE t.agent = s.agent AND t.source_id = s.source_id AND t.session_id = s.session_id;

DELETE FROM pending_links;
