-- resume(agent, session_id): the command to continue a session
--
-- Type the command in the session's folder. NULL if the agent has no command
-- for this, or if a shell wouldn't take the id as one plain word.
--
--     SELECT about, resume(agent, session_id) AS go_on FROM sessions WHERE kind = 'main' AND agent_version IS NOT NULL ORDER BY ended_at DESC LIMIT 10
CREATE MACRO resume(agent, session_id) AS (
  CASE WHEN regexp_full_match(session_id, '[A-Za-z0-9_][A-Za-z0-9._-]*') THEN replace(CASE agent WHEN NULL THEN NULL {resume} END, 'ID', session_id) END
)
