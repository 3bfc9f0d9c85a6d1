-- day(ts): the day of a moment, in your time zone
--
-- A DATE. A TIMESTAMP or DATE without a time zone stays on its own day; NULL
-- stays NULL. It takes the place of DuckDB's day(), which gives the day of the
-- month: that is dayofmonth(), and extract(day FROM ts).
--
--     SELECT day(timestamp) AS day, count(*) AS prompts FROM messages WHERE kind = 'prompt' AND NOT is_copy GROUP BY day ORDER BY day
CREATE TEMP MACRO day(ts) AS CAST(ts AS DATE)
