-- local_day(ts): the day of a moment, in your time zone
--
-- The result is a DATE. The day of a TIMESTAMP or DATE without a time zone
-- doesn't change; NULL stays NULL.
--
--     SELECT local_day(timestamp) AS day, count(*) AS prompts FROM messages WHERE kind = 'prompt' AND typed_by = 'human' GROUP BY day ORDER BY day
CREATE MACRO local_day(ts) AS CAST(ts AS DATE)
