-- interruptions: where you stopped an agent, and what was cut
--
-- One row per interruption, newest first: what was cut (the call that was
-- running, else the beginning of the answer, else the prompt that waited for
-- one), the prompt that was being answered, and what you typed next.
-- "marker" has the log's own words for the stop.
-- "files" are those that the agent had changed since the prompt, if the log
-- tells. A refusal that also stopped the agent stands in rejections; what a subagent's
-- log repeats of its parent is left out. With type=system: rate limits, network
-- errors, time limits and shutdowns.
--
-- row interruption
-- card time phase cut | next_prompt | session
-- hidden timestamp session_id about folder message_index tool_use_id tool tool_kind command file_path input place stopped_by partial_output message asked typed wanted
-- param type VARCHAR = 'user' {user,system,all}   who stopped it
-- takes since until agent project
-- param phase VARCHAR = NULL {response,tool,approval}   what was going on
-- param tool VARCHAR = NULL   one tool only that was stopped, as the agent calls it, in any case
-- param text VARCHAR = NULL   part of what was cut, asked or under way, in any case
-- param top INTEGER = 50   number of rows
-- example hindsql run interruptions since=7d
WITH stopped AS MATERIALIZED (
  SELECT i.*, s.about, s.project AS folder
  FROM interruptions i
  LEFT JOIN sessions s USING (agent, session_id)
  WHERE coalesce($type, 'all') IN ('all', i.type)
    AND ($phase IS NULL OR i.phase = $phase)
    AND i.phase IS DISTINCT FROM 'subagent'
    AND NOT i.paired_rejection
    AND ($since IS NULL OR i.timestamp >= $since)
    AND ($until IS NULL OR i.timestamp < $until)
    AND ($agent IS NULL OR i.agent = $agent)
    AND in_project(s.project, $project)
    AND ($tool IS NULL OR lower(i.tool_name) = lower($tool))
  ORDER BY i.timestamp DESC, i.message_index DESC, i.agent, i.session_id, i.tool_use_id
  LIMIT CASE WHEN $text IS NULL THEN $top END -- before the joins: the texts around the others stay unread
), near AS MATERIALIZED ( -- the texts are read once; of one column and not null: DuckDB skips other sessions' texts for no other condition
  SELECT agent, session_id, message_index, kind, typed_by, is_copy, text, coalesce(typed_text, text) AS words FROM with_copies.messages
  WHERE session_id IN (SELECT session_id FROM stopped WHERE session_id IS NOT NULL)
), stops AS (
  SELECT i.*, coalesce(n.name, i.folder) AS project_name, c.tool_kind, c.command, c.file_path, c.input, c.message_index AS place, about(file_in(i.folder, c.file_path), c.command, c.input) AS wanted,
    m.text AS message, p.words AS asked, (
      SELECT arg_min(t.words, t.message_index) FROM near t
      WHERE t.agent = i.agent AND t.session_id = i.session_id AND t.message_index > i.message_index AND t.kind IN ('prompt', 'command') AND t.typed_by = 'human' AND NOT t.is_copy
    ) AS typed
  FROM stopped i
  LEFT JOIN (FROM with_copies.tool_calls WHERE session_id IN (SELECT session_id FROM stopped WHERE session_id IS NOT NULL)) c
    ON c.agent = i.agent AND c.session_id = i.session_id AND c.tool_use_id = i.tool_use_id
  LEFT JOIN near m
    ON m.agent = i.agent AND m.session_id = i.session_id AND m.message_index = i.interrupted_message_index
  LEFT JOIN near p
    ON p.agent = i.agent AND p.session_id = i.session_id AND p.message_index = i.prompt_index
  LEFT JOIN projects n ON n.project = i.folder
  WHERE $text IS NULL OR contains(lower(concat_ws(chr(10), i.partial_output, i.marker, i.tool_name, c.command, c.file_path, m.text, p.text, i.about)), lower($text))
)
SELECT
  strftime(i.timestamp, '%Y-%m-%d %H:%M') AS time,
  coalesce(i.project_name, '(no project)') AS project,
  i.phase,
  coalesce(i.tool_name || coalesce(': ' || i.wanted, ''), nullif(trim(i.partial_output, E' \n\r\t'), ''), nullif(trim(i.message, E' \n\r\t'), ''), i.asked) AS cut,
  i.typed AS next_prompt,
  i.asked AS prompt,
  array_to_string(i.files, ', ') AS files,
  i.session_id || coalesce(':' || i.message_index, '') AS session,
  i.agent,
  i.marker,
  i.timestamp, i.session_id, i.about, i.folder, i.message_index, i.tool_use_id, i.tool_name AS tool, i.tool_kind, i.command, i.file_path, i.input,
  i.place, i.type AS stopped_by, i.partial_output, i.message, i.asked, i.typed, i.wanted
FROM stops i
ORDER BY i.timestamp DESC, i.message_index DESC, i.agent, i.session_id, i.tool_use_id
LIMIT $top
