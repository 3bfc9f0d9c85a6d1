-- reads interruptions, rejections, scope, sessions, tool_calls; writes interruptions, pending_links, rejections, scope, tool_calls; when a stop by the user cut a subagent
-- needs: 3-copies
-- when: EXISTS (FROM interruptions i SEMI JOIN sessions s ON s.agent = i.agent AND s.source_id = i.source_id AND s.session_id = i.session_id AND s.kind = 'subagent' WHERE i.type = 'user' AND i.phase <> 'subagent')
-- The parent's model may stop its subagent, by a call that names the subagent or, in a
-- script, nothing. The subagent's log shows a stop like the user's, at the moment of the
-- call. A seeming refusal at that moment was no refusal either.
CREATE OR REPLACE TEMP TABLE ended AS
SELECT DISTINCT i.agent, i.source_id, i.session_id, i.message_index, i.tool_use_id
FROM interruptions i
JOIN sessions s ON s.agent = i.agent AND s.source_id = i.source_id AND s.session_id = i.session_id AND s.kind = 'subagent'
JOIN tool_calls c ON c.agent = i.agent AND c.session_id = s.parent_session_id AND c.tool_kind = 'agent' AND may_tell(s.machine, c.machine)
  AND i.timestamp BETWEEN c.timestamp - INTERVAL 250 MILLISECOND AND least(coalesce(c.finished_at, c.timestamp), c.timestamp + INTERVAL 5 SECOND) + INTERVAL 1 SECOND
WHERE i.type = 'user' AND i.phase <> 'subagent'
  AND (ends_with(c.tool_name, 'send_input') AND (c.input->>'interrupt') = 'true' OR ends_with(c.tool_name, 'close_agent') OR ends_with(c.tool_name, 'interrupt_agent'))
  AND (coalesce(c.input->>'id', c.input->>'target', i.session_id) IN (i.session_id, split_part(i.session_id, '_', 1))
    OR ends_with('/' || (s.extra->>'$.source.subagent.thread_spawn.agent_path'), '/' || ltrim(coalesce(c.input->>'id', c.input->>'target'), '/')));

-- when: EXISTS (FROM ended)
-- pending_links keeps the files, too, for a link that is cut off after this step.
INSERT INTO pending_links SELECT DISTINCT source_id FROM ended;
INSERT INTO scope SELECT DISTINCT source_id FROM ended WHERE source_id NOT IN (FROM scope);
UPDATE interruptions t SET type = 'system', phase = 'subagent', paired_rejection = false FROM ended e
WHERE t.agent = e.agent AND t.source_id = e.source_id AND t.session_id = e.session_id AND t.message_index = e.message_index;
UPDATE tool_calls t SET status = 'interrupted', decision = NULL, decided_by = NULL, decision_confidence = NULL, waited_ms = NULL
FROM ended e JOIN rejections r USING (agent, source_id, session_id, tool_use_id)
WHERE t.agent = e.agent AND t.source_id = e.source_id AND t.session_id = e.session_id AND t.tool_use_id = e.tool_use_id AND r.decided_by = 'user' AND r.evidence = 'inferred';
DELETE FROM rejections t USING ended e
WHERE t.agent = e.agent AND t.source_id = e.source_id AND t.session_id = e.session_id
  AND (t.tool_use_id = e.tool_use_id AND t.decided_by = 'user' AND t.evidence = 'inferred' OR t.cause_tool_use_id = e.tool_use_id);
