-- cost(session_id): a session's cost in US dollars, as recorded by the agent
--
-- NULL if no cost was recorded; sessions.cost_estimated_usd has estimates. Subagents'
-- costs are in the subagents' own sessions.
--
--     SELECT session_id, title, cost(session_id) AS usd FROM sessions ORDER BY usd DESC NULLS LAST LIMIT 10
CREATE MACRO cost(session_id) AS (
  -- Names that no argument can have, which would be taken for these columns.
  SELECT sum("cost of it") FROM (
    SELECT sessions.session_id AS "id of it", sessions.cost_usd AS "cost of it" FROM {schema}.sessions
  ) WHERE "id of it" = session_id
)
