-- A subagent whose log doesn't say who started it: the result of the call that
-- did names it. The first call to name it is its parent's, a later one resumed it.
UPDATE sessions t SET parent_session_id = p.parent
FROM (
  SELECT c.agent, c.subagent_session_id AS child, arg_min(c.session_id, (c.timestamp, c.session_id)) AS parent
  FROM tool_calls c SEMI JOIN sessions s
    ON s.agent = c.agent AND s.session_id = c.subagent_session_id AND s.kind = 'subagent' AND s.parent_session_id IS NULL
  WHERE NOT c.is_copy AND c.subagent_session_id <> c.session_id
  GROUP BY ALL) p
WHERE t.agent = p.agent AND t.session_id = p.child AND t.parent_session_id IS NULL;
