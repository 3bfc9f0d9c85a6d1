-- reads former_sessions, interruptions, pending_links, scope, sessions, tool_calls; writes interruptions, pending_links, scope; when a subagent of a session in a pending file was stopped
-- needs: 3-copies, 4-subagents
-- when: EXISTS (FROM interruptions WHERE phase = 'subagent')
-- The log of a subagent ends with the same marker whether a person stopped it or the model
-- did, by a tool for that. It was the model if a session above called the
-- tool for this subagent within a second. The call's input names the subagent; a name of
-- no subagent may stand for any, but not the id of a command in the background. The evidence
-- inferred marks the rows, so that they turn back once the call is gone. The totals of these
-- sessions are counted again: a stop that the parent has, too, counts there.
CREATE OR REPLACE TEMP TABLE stopped_agents AS
WITH cut AS (
  SELECT i.agent, i.source_id, i.session_id, i.timestamp, s.machine, unnest(list_distinct([s.parent_session_id, split_part(s.parent_session_id, '/', 1)])) AS above
  FROM interruptions i JOIN sessions s USING (agent, source_id, session_id)
  WHERE i.phase = 'subagent' AND s.parent_session_id IS NOT NULL),
changed AS (
  SELECT agent, session_id FROM sessions WHERE source_id IN (FROM pending_links)
  UNION SELECT agent, session_id FROM former_sessions)
SELECT cut.* FROM cut
WHERE source_id IN (SELECT source_id FROM cut WHERE source_id IN (FROM pending_links) OR (agent, above) IN (FROM changed));

-- when: EXISTS (FROM stopped_agents)
INSERT INTO pending_links SELECT DISTINCT source_id FROM stopped_agents WHERE source_id NOT IN (FROM pending_links);
INSERT INTO scope SELECT DISTINCT source_id FROM stopped_agents WHERE source_id NOT IN (FROM scope);
CREATE OR REPLACE TEMP TABLE by_model AS
SELECT DISTINCT a.source_id, a.session_id, a.timestamp
FROM stopped_agents a
JOIN (
  SELECT agent, machine, session_id, timestamp, coalesce(input->>'task_id', input->>'shell_id', '') AS named FROM tool_calls
  WHERE tool_name IN ('TaskStop', 'KillShell') AND status IN ('ok', 'pending')
    AND (session_id, named) NOT IN (SELECT session_id, extra->>'backgroundTaskId' FROM tool_calls
      WHERE session_id IN (SELECT above FROM stopped_agents) AND contains(extra, '"backgroundTaskId"') AND (extra->>'backgroundTaskId') IS NOT NULL)) c
  ON c.agent = a.agent AND c.session_id = a.above AND may_tell(c.machine, a.machine)
  AND c.timestamp BETWEEN a.timestamp - INTERVAL 1 SECOND AND a.timestamp + INTERVAL 1 SECOND
WHERE split_part(a.session_id, '@', 1) = split_part(a.above, '/', 1) || '/agent-' || c.named
  OR NOT EXISTS (FROM sessions o WHERE o.agent = a.agent AND o.session_id = split_part(a.above, '/', 1) || '/agent-' || c.named);
UPDATE interruptions t SET type = 'user', evidence = 'recorded', confidence = 1 FROM stopped_agents a
WHERE t.source_id = a.source_id AND t.session_id = a.session_id AND t.phase = 'subagent' AND t.evidence = 'inferred' AND starts_with(t.marker, '[Request interrupted by user');
UPDATE interruptions t SET type = 'system', evidence = 'inferred', confidence = 0.9 FROM by_model a
WHERE t.source_id = a.source_id AND t.session_id = a.session_id AND t.timestamp = a.timestamp
  AND t.phase = 'subagent' AND t.type = 'user' AND t.evidence = 'recorded' AND starts_with(t.marker, '[Request interrupted by user');
