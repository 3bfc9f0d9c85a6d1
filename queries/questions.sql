-- questions: what agents asked you, and what you answered
--
-- One row per question, newest first, and those of a call in their order: the labels
-- that you picked, and your own words.
-- "how" is answered, left open (you answered other questions of the call), refused,
-- cancelled, unanswered, or the call's status. Some agents don't record what you picked:
-- then both columns are empty. "options" has the labels offered. The last column is the
-- call's message, which "hindsql show" takes.
--
-- row question
-- card time question how | picked words | session
-- hidden timestamp session_id message_index tool_use_id
-- takes since until agent project
-- param text VARCHAR = NULL   part of the question, or of the answer, in any case
-- param top INTEGER = 50   number of rows
-- example hindsql run questions since=30d
WITH calls AS (
  SELECT c.*, coalesce(c.answers, [{
    'question': coalesce(asked(c.input), c.input->>'message'),
    'options': NULL::VARCHAR[], 'picked': NULL::VARCHAR[], 'words': NULL::VARCHAR}]) AS list
  FROM tool_calls c
  WHERE c.tool_kind = 'question'
    AND ($since IS NULL OR c.timestamp >= $since)
    AND ($until IS NULL OR c.timestamp < $until)
    AND ($agent IS NULL OR c.agent = $agent)
    AND in_project(c.project, $project)
), asked AS (
  SELECT *, unnest(list) AS answer, generate_subscripts(list, 1) AS place FROM calls
)
SELECT
  strftime(c.timestamp, '%Y-%m-%d %H:%M') AS time,
  c.agent,
  coalesce(p.name, c.project, '(no project)') AS project,
  c.answer.question AS question,
  CASE
    WHEN len(c.answer.picked) > 0 OR c.answer.words IS NOT NULL THEN 'answered'
    WHEN c.answers IS NOT NULL THEN 'left open'
    WHEN c.decision = 'granted' THEN 'answered'
    ELSE coalesce(c.decision, c.status)
  END AS how,
  array_to_string(c.answer.picked, ', ') AS picked,
  c.answer.words AS words,
  array_to_string(c.answer."options", ', ') AS "options",
  c.session_id || coalesce(':' || c.message_index, '') AS session,
  c.timestamp, c.session_id, c.message_index, c.tool_use_id
FROM asked c
LEFT JOIN projects p ON p.project = c.project
WHERE $text IS NULL OR contains(lower(concat_ws(chr(10), c.answer.question, c.answer.words, array_to_string(c.answer.picked, chr(10)))), lower($text))
ORDER BY c.timestamp DESC, c.session_id, c.message_index, c.tool_use_id, c.place
LIMIT $top
