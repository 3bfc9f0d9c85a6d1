-- raw(source_id, line): the original line of the log
--
-- Read from the file when asked for. NULL when the file is gone or lies on
-- another machine, when it has no such line, when it is compressed, and when
-- the line is longer than 64 MB. In a log that is one JSON document it is the
-- line on which the record begins.
--
--     SELECT message_index, raw(source_id, line) AS line FROM messages WHERE kind = 'interruption'
CREATE TEMP MACRO raw(source_id, line) AS log_line(CAST(source_id AS BIGINT), CAST(line AS BIGINT))
