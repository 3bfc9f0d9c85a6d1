-- resume(agent, session_id): the command that goes on with a session
--
-- As the agent takes it, typed in the session's folder. NULL where the agent
-- has no such command, and for an id that a shell would take for more than a word.
--
--     SELECT about, resume(agent, session_id) AS go_on FROM sessions WHERE kind = 'main' AND agent_version IS NOT NULL ORDER BY ended_at DESC LIMIT 10
CREATE MACRO resume(agent, session_id) AS (
  CASE WHEN regexp_full_match(session_id, '[A-Za-z0-9_][A-Za-z0-9._-]*') THEN replace(CASE agent WHEN NULL THEN NULL {resume} END, 'ID', session_id) END
)
