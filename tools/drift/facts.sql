-- The facts of all logs: key, and value with | between its parts.
SELECT 'sessions' AS key, count(*)::VARCHAR AS value FROM sessions WHERE kind = 'main'
UNION ALL SELECT 'prompts', count(*)::VARCHAR FROM messages WHERE kind = 'prompt' AND typed_by = 'human'
UNION ALL SELECT 'calls', count(*)::VARCHAR FROM tool_calls WHERE parent_tool_use_id IS NULL
UNION ALL SELECT 'nested_calls', count(*)::VARCHAR FROM tool_calls WHERE parent_tool_use_id IS NOT NULL
UNION ALL SELECT 'pending', count(*)::VARCHAR FROM tool_calls WHERE status = 'pending'
UNION ALL SELECT 'input_tokens', coalesce(sum(input_tokens), 0)::VARCHAR FROM sessions
UNION ALL SELECT 'output_tokens', coalesce(sum(output_tokens), 0)::VARCHAR FROM sessions
UNION ALL SELECT 'refused', concat_ws('|', tool_name, decided_by, coalesce(reason, '')) FROM with_copies.rejections WHERE NOT cascaded AND NOT is_copy
UNION ALL SELECT 'granted', concat_ws('|', tool_name, decided_by, coalesce(decision_scope, '')) FROM tool_calls WHERE decision = 'granted'
UNION ALL SELECT 'stop', concat_ws('|', type, coalesce(phase, '')) FROM with_copies.interruptions WHERE NOT is_copy
UNION ALL SELECT 'compaction', coalesce(trigger, '') FROM compactions
UNION ALL SELECT 'clear', CASE WHEN evidence = 'inferred' OR is_inferred THEN 'inferred' ELSE 'recorded' END FROM with_copies.clears WHERE NOT is_copy
UNION ALL SELECT 'error', concat_ws('|', tool_name, coalesce(error_type, '')) FROM tool_calls WHERE status = 'error' AND tool_kind <> 'script'
UNION ALL SELECT 'problem', what FROM problems
UNION ALL SELECT 'unknown_kind', kind FROM record_kinds WHERE NOT known
UNION ALL SELECT 'unknown_field', concat_ws(' ', kind, field) FROM record_fields WHERE kind <> '(version)'
ORDER BY ALL
