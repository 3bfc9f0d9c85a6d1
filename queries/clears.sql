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
-- chart hist value=idle_minutes
-- takes since until agent project
-- param top INTEGER = 50   number of rows
-- example hindsql run clears since=7d
SELECT
  strftime(c.timestamp, '%Y-%m-%d %H:%M') AS time,
  c.agent,
  coalesce(p.name, c.project) AS project,
  coalesce(c.command, c.trigger) AS how,
  nullif((
    SELECT count(*) FROM with_copies.messages m
    WHERE m.agent = c.agent AND m.session_id = c.session_id AND m.message_index <= c.after_message_index AND m.kind IS DISTINCT FROM 'usage'
  ), 0) AS messages_before,
  round((epoch(c.timestamp) - epoch(o.started_at)) / 3600, 1) AS hours_before,
  round((epoch(c.timestamp) - epoch((
    SELECT max(m.timestamp) FROM with_copies.messages m
    WHERE m.agent = c.agent AND m.session_id = c.session_id AND m.message_index <= c.after_message_index AND m.kind IS DISTINCT FROM 'usage'
  ))) / 60, 1) AS idle_minutes,
  left(regexp_replace((
    SELECT arg_min(m.text, m.message_index) FROM messages m
    WHERE m.agent = c.agent AND m.session_id = c.next_session_id AND m.kind = 'prompt' AND m.typed_by = 'human'
  ), '\s+', ' ', 'g'), 120) AS next_prompt,
  c.confidence,
  c.next_session_id AS next_session,
  c.session_id || coalesce(':' || c.after_message_index, '') AS session
FROM clears c
LEFT JOIN sessions o ON o.agent = c.agent AND o.session_id = c.session_id
LEFT JOIN projects p ON p.project = c.project
WHERE ($since IS NULL OR c.timestamp >= $since)
  AND ($until IS NULL OR c.timestamp < $until)
  AND ($agent IS NULL OR c.agent = $agent)
  AND ($project IS NULL OR contains(lower(c.project), lower($project)))
ORDER BY c.timestamp DESC, c.session_id, c.next_session_id
LIMIT $top
