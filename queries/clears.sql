-- clears: when context was cleared, and which session came next
--
-- One row per clear, newest first: how (typed, or by accepting a plan), what
-- the cleared context held, for how many minutes it had lain idle, and the
-- first prompt after it. A confidence below 1 is a clear whose sessions no log
-- states; what is only inferred stands in with_copies.clears. The last two
-- columns are the session that came next, and the end of the cleared one, which
-- "hindsql show" takes.
--
-- row clear
-- card time how messages_before | next_prompt | session
-- hidden timestamp session_id about folder after_message_index evidence last_at next_about next_message typed
-- chart bar value=idle_minutes ranges=0,1,10,60,600,1440
-- takes since until agent project
-- param trigger VARCHAR = NULL {command,plan}   whether it was typed, or a plan accepted
-- param text VARCHAR = NULL   part of the command, or of what the session was about, in any case
-- param top INTEGER = 50   number of rows
-- example hindsql run clears since=7d
WITH cleared AS (
  SELECT c.*, o.about, o.started_at, coalesce(p.name, c.project) AS project_name, b.about AS next_about, (
      SELECT {'messages': count(*), 'last': max(m.timestamp)} FROM with_copies.messages m
      WHERE m.agent = c.agent AND m.session_id = c.session_id AND m.message_index <= c.after_message_index AND m.kind IS DISTINCT FROM 'usage'
    ) AS held, (
      SELECT {'text': arg_min(coalesce(m.typed_text, m.text), m.message_index), 'at': min(m.message_index)} FROM messages m
      WHERE m.agent = c.agent AND m.session_id = c.next_session_id AND m.kind = 'prompt' AND m.typed_by = 'human'
    ) AS first
  FROM clears c
  LEFT JOIN sessions o ON o.agent = c.agent AND o.session_id = c.session_id
  LEFT JOIN sessions b ON b.agent = c.agent AND b.session_id = c.next_session_id
  LEFT JOIN projects p ON p.project = c.project
  WHERE ($since IS NULL OR c.timestamp >= $since)
    AND ($until IS NULL OR c.timestamp < $until)
    AND ($agent IS NULL OR c.agent = $agent)
    AND in_project(c.project, $project)
    AND ($trigger IS NULL OR c.trigger = $trigger)
    AND ($text IS NULL OR contains(lower(concat_ws(chr(10), c.command, o.about)), lower($text)))
)
SELECT
  strftime(c.timestamp, '%Y-%m-%d %H:%M') AS time,
  c.agent,
  coalesce(c.project_name, '(no project)') AS project,
  coalesce(c.command, c.trigger) AS how,
  nullif(c.held.messages, 0) AS messages_before,
  round((epoch(c.timestamp) - epoch(c.started_at)) / 3600, 1) AS hours_before,
  round((epoch(c.timestamp) - epoch(c.held.last)) / 60, 1) AS idle_minutes,
  c.first.text AS next_prompt,
  c.confidence,
  c.next_session_id AS next_session,
  c.session_id || coalesce(':' || c.after_message_index, '') AS session,
  c.timestamp, c.session_id, c.about, c.project AS folder, c.after_message_index, c.evidence, c.held.last AS last_at, c.next_about, c.first.at AS next_message, c.first.text AS typed
FROM cleared c
ORDER BY c.timestamp DESC, c.session_id, c.next_session_id, c.agent
LIMIT $top
