-- reads clear_marks, clears, messages, pending_links, sessions; writes stale_clears; when a clear ended a session of a pending file
-- when: EXISTS (FROM clears WHERE session_id IN (SELECT session_id FROM sessions WHERE source_id IN (FROM pending_links)))
-- An ended session may now have a different last message before the clear. Then clears
-- must be computed again.
INSERT INTO stale_clears
SELECT true FROM (
  SELECT c.source_id AS mark_source, c.timestamp AS cleared_at, c.after_message_index AS last, max(m.message_index) FILTER (m.timestamp <= c.timestamp) AS last_now
  FROM clears c JOIN messages m ON m.agent = c.agent AND m.session_id = c.session_id
  WHERE m.source_id IN (FROM pending_links)
  GROUP BY ALL)
ANTI JOIN clear_marks c ON c.source_id = mark_source AND c.timestamp = cleared_at AND c.after_message_index IS NOT NULL -- the trace itself has the index
WHERE last IS DISTINCT FROM last_now;
