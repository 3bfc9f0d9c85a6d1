-- cost(session_id): what a session cost in US dollars, as the agent recorded it
--
-- NULL where no cost was recorded; sessions.cost_estimated_usd has estimates. What subagents
-- cost stands in their own sessions.
--
--     SELECT session_id, title, cost(session_id) AS usd FROM sessions ORDER BY usd DESC NULLS LAST LIMIT 10
CREATE MACRO cost(session_id) AS (
  -- Names that no argument can have, which would be taken for these columns.
  SELECT sum("cost of it") FROM (
    SELECT sessions.session_id AS "id of it", sessions.cost_usd AS "cost of it" FROM {schema}.sessions
  ) WHERE "id of it" = session_id
)
