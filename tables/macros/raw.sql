-- raw(source_id, line): the original line of the log
--
-- Read from the file when asked for. NULL when the file is gone or lies on
-- another machine, when it has no such line, when it is compressed or holds
-- many sessions side by side, as a database does, and when the line is longer
-- than 64 MB. In a log that is one JSON document it is the line on which the
-- record begins. DuckDB without hindsql can't read it, and says so.
--
--     SELECT message_index, raw(source_id, line) AS line FROM messages WHERE kind = 'interruption'
CREATE MACRO raw(source_id, line) AS log_line(CAST(source_id AS BIGINT), CAST(line AS BIGINT))
-- DuckDB alone:
CREATE MACRO raw(source_id, line) AS CAST(error('raw(source_id, line) reads the log file, which hindsql does and DuckDB alone does not') AS VARCHAR)
