-- reads clears, rejections, scope, sessions, tool_calls; writes interruptions, pending_links, rejections, scope, tool_calls; when a clear began with an accepted plan
-- needs: 5-clears
-- when: EXISTS (FROM clears WHERE trigger = 'plan')
-- A plan accepted with "clear context" leaves a seeming refusal and interruption in the
-- old session or at the start of the new session. In truth the user granted the plan.
CREATE OR REPLACE TEMP TABLE accepted AS
SELECT DISTINCT r.agent, r.machine, r.tool_use_id
FROM rejections r
JOIN sessions s USING (agent, source_id, session_id)
JOIN clears c ON c.agent = r.agent AND c.trigger = 'plan' AND may_tell(c.machine, r.machine)
  AND r.timestamp BETWEEN c.timestamp - INTERVAL 3 SECOND AND c.timestamp + INTERVAL 3 SECOND
LEFT JOIN sessions n ON n.agent = c.agent AND n.session_id = c.next_session_id AND may_tell(n.machine, c.machine)
WHERE r.decided_by = 'user' AND r.reason IS NULL
  AND (r.tool_kind = 'plan' OR r.tool_name IS NULL AND r.session_id = c.next_session_id AND r.message_index < 4)
  AND (r.session_id IN (c.session_id, c.next_session_id) OR c.session_id IS NULL AND s.project = n.project)
UNION
-- Copies loaded after the plan was found.
SELECT r.agent, r.machine, r.tool_use_id
FROM rejections r
JOIN tool_calls o ON o.agent = r.agent AND o.tool_use_id = r.tool_use_id AND o.source_id <> r.source_id AND o.tool_kind = 'plan' AND o.status = 'ok' AND may_tell(o.machine, r.machine)
JOIN clears c ON c.agent = r.agent AND c.trigger = 'plan' AND c.session_id = o.session_id AND may_tell(c.machine, r.machine)
  AND r.timestamp BETWEEN c.timestamp - INTERVAL 3 SECOND AND c.timestamp + INTERVAL 3 SECOND
WHERE r.decided_by = 'user' AND r.reason IS NULL AND r.source_id IN (FROM scope) AND o.source_id IN (FROM scope);

-- when: EXISTS (FROM accepted)
-- pending_links keeps the files, too, for a link that is cut off after this step.
CREATE OR REPLACE TEMP TABLE touched AS
SELECT DISTINCT source_id FROM rejections r SEMI JOIN accepted a ON a.agent = r.agent AND a.machine IS NOT DISTINCT FROM r.machine AND a.tool_use_id = r.tool_use_id WHERE source_id NOT IN (FROM scope);
INSERT INTO scope FROM touched;
INSERT INTO pending_links FROM touched;
DELETE FROM interruptions i USING accepted a WHERE i.agent = a.agent AND i.machine IS NOT DISTINCT FROM a.machine AND i.tool_use_id = a.tool_use_id AND i.paired_rejection;
UPDATE tool_calls t SET status = 'pending' FROM rejections r SEMI JOIN accepted a ON a.agent = r.agent AND a.machine IS NOT DISTINCT FROM r.machine AND a.tool_use_id = r.cause_tool_use_id
WHERE t.agent = r.agent AND t.machine IS NOT DISTINCT FROM r.machine AND t.tool_use_id = r.tool_use_id AND t.status = 'lost';
DELETE FROM rejections r USING accepted a WHERE r.agent = a.agent AND r.machine IS NOT DISTINCT FROM a.machine AND r.cause_tool_use_id = a.tool_use_id;
DELETE FROM rejections r USING accepted a WHERE r.agent = a.agent AND r.machine IS NOT DISTINCT FROM a.machine AND r.tool_use_id = a.tool_use_id;
UPDATE tool_calls t SET status = 'ok', is_error = false,
  decision = 'granted', decided_by = 'user', decision_confidence = 1, waited_ms = NULL
FROM accepted a
WHERE t.agent = a.agent AND t.machine IS NOT DISTINCT FROM a.machine AND t.tool_use_id = a.tool_use_id AND t.status = 'rejected';
