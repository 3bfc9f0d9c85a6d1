-- reads messages, rejections, scope, sessions, tool_calls; writes interruptions, pending_links, rejections, scope, tool_calls; when a call of a subagent was refused without certainty
-- needs: 3-copies
-- when: EXISTS (FROM rejections WHERE decided_by = 'user' AND NOT cascaded AND confidence <= 0.9 AND reason IS NULL AND tool_kind = 'agent')
-- A call that started a subagent did run. If its log shows a refusal without certainty,
-- the call was in truth stopped while running: a subagent of the session began between
-- call and refusal, with the call's prompt.
CREATE OR REPLACE TEMP TABLE ran AS
SELECT DISTINCT r.agent, r.source_id, r.session_id, r.tool_use_id
FROM rejections r
JOIN tool_calls c USING (agent, source_id, session_id, tool_use_id)
JOIN sessions s ON s.agent = r.agent AND s.parent_session_id = r.session_id AND s.kind = 'subagent' AND may_tell(s.machine, r.machine)
  AND s.started_at BETWEEN c.timestamp AND r.timestamp
JOIN messages m ON m.agent = s.agent AND m.source_id = s.source_id AND m.session_id = s.session_id AND m.message_index = 0
WHERE r.decided_by = 'user' AND NOT r.cascaded AND r.confidence <= 0.9 AND r.reason IS NULL AND r.tool_kind = 'agent'
  AND trim(m.text) = trim(c.input->>'prompt');

-- when: EXISTS (FROM ran)
-- pending_links keeps the files, too, for a link that is cut off after this step.
INSERT INTO pending_links SELECT source_id FROM ran;
INSERT INTO scope
SELECT DISTINCT source_id FROM ran WHERE source_id NOT IN (FROM scope);
UPDATE interruptions t SET phase = 'tool', paired_rejection = false FROM ran a
WHERE t.agent = a.agent AND t.source_id = a.source_id AND t.session_id = a.session_id AND t.tool_use_id = a.tool_use_id AND t.phase = 'approval';
UPDATE tool_calls t SET status = 'interrupted', decision = NULL, decided_by = NULL, decision_confidence = NULL, waited_ms = NULL FROM ran a
WHERE t.agent = a.agent AND t.source_id = a.source_id AND t.session_id = a.session_id AND t.tool_use_id = a.tool_use_id;
UPDATE tool_calls t SET status = 'pending' FROM rejections r SEMI JOIN ran a
  ON a.agent = r.agent AND a.source_id = r.source_id AND a.session_id = r.session_id AND a.tool_use_id = r.cause_tool_use_id
WHERE t.agent = r.agent AND t.source_id = r.source_id AND t.session_id = r.session_id AND t.tool_use_id = r.tool_use_id AND t.status = 'lost';
DELETE FROM rejections t USING ran a
WHERE t.agent = a.agent AND t.source_id = a.source_id AND t.session_id = a.session_id AND a.tool_use_id IN (t.tool_use_id, t.cause_tool_use_id);
