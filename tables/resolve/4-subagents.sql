-- reads scope, sessions, tool_calls; writes pending_links, sessions; when a subagent without a parent is in the scope, or a call in the scope names the subagent
-- needs: 3-copies
-- when: EXISTS (FROM sessions WHERE kind = 'subagent' AND parent_session_id IS NULL)
-- If a subagent's log doesn't name its parent, the result of the call that started the
-- subagent names the subagent. The first call with its name is the parent's; a later
-- call resumed the subagent.
CREATE OR REPLACE TEMP TABLE orphans AS
SELECT agent, session_id, source_id, machine FROM sessions
WHERE kind = 'subagent' AND parent_session_id IS NULL AND (source_id IN (FROM scope)
  OR (agent, session_id) IN (SELECT agent, subagent_session_id FROM tool_calls WHERE source_id IN (FROM scope) AND subagent_session_id IS NOT NULL));

-- when: EXISTS (FROM orphans)
UPDATE sessions t SET parent_session_id = p.parent
FROM (
  SELECT c.agent, c.subagent_session_id AS child, arg_min(c.session_id, (c.timestamp, c.session_id)) AS parent
  FROM tool_calls c JOIN orphans s ON s.agent = c.agent AND s.session_id = c.subagent_session_id AND may_tell(c.machine, s.machine)
  WHERE NOT c.is_copy AND c.subagent_session_id <> c.session_id
  GROUP BY ALL) p
WHERE t.agent = p.agent AND t.session_id = p.child AND t.parent_session_id IS NULL;
INSERT INTO pending_links SELECT source_id FROM orphans;
