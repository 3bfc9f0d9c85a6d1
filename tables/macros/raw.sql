-- raw(source_id, line): the original line of the log
--
-- Read from the file at the time of the query. NULL if the file is gone, lies
-- on another machine, is compressed, or holds many sessions side by side, as a
-- database does; and if the line doesn't exist or is longer than 64 MB. If the
-- whole log is a JSON document, raw returns the line at the record's beginning.
-- DuckDB without hindsql can't read the file, and returns an error.
--
--     SELECT message_index, raw(source_id, line) AS line FROM messages WHERE kind = 'interruption'
CREATE MACRO raw(source_id, line) AS log_line(CAST(source_id AS BIGINT), CAST(line AS BIGINT))
-- DuckDB alone:
CREATE MACRO raw(source_id, line) AS CAST(error('raw(source_id, line) reads the log file, which hindsql does and DuckDB alone does not') AS VARCHAR)
