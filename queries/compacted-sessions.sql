-- compacted-sessions: sessions that ran out of context
--
-- Sessions with compactions, most compacted first: how many, how many of them
-- set off by a full context, the tokens before and after in the middle (empty
-- where not recorded), and the hours and calls to the first one. Often and
-- soon: give smaller tasks, clear between them, or send reading to subagents.
--
-- row session
-- chart bar label=project,about value=compactions:count
-- takes since until agent project
-- param min BIGINT = 1   fewest compactions of a session that is shown
-- param top INTEGER = 30   number of rows
-- example hindsql run compacted-sessions since=30d min=2
WITH compacted AS (
  SELECT c.agent, c.session_id,
    count(*) AS compactions,
    count(*) FILTER (c.trigger = 'auto') AS auto,
    median(c.pre_tokens) AS before,
    median(c.post_tokens) AS after,
    arg_min(c.after_message_index, (c.timestamp, c.after_message_index)) AS first_index,
    min(c.timestamp) AS first,
    max(c.timestamp) AS last
  FROM compactions c
  LEFT JOIN sessions s USING (agent, session_id)
  WHERE ($since IS NULL OR c.timestamp >= $since)
    AND ($until IS NULL OR c.timestamp < $until)
    AND ($agent IS NULL OR c.agent = $agent)
    AND in_project(s.project, $project)
  GROUP BY ALL
)
SELECT
  strftime(c.last, '%Y-%m-%d %H:%M') AS last,
  c.agent,
  coalesce(p.name, s.project, '(no project)') AS project,
  s.about,
  c.compactions,
  c.auto,
  c.before::BIGINT AS before,
  c.after::BIGINT AS after,
  round((epoch(c.first) - epoch(s.started_at)) / 3600, 1) AS hours_to_first,
  (SELECT count(*) FROM with_copies.tool_calls t
    WHERE t.agent = c.agent AND t.session_id = c.session_id AND t.parent_tool_use_id IS NULL AND t.message_index <= c.first_index) AS calls_to_first,
  s.tool_call_count AS calls,
  c.session_id AS session
FROM compacted c
LEFT JOIN sessions s USING (agent, session_id)
LEFT JOIN projects p ON p.project = s.project
WHERE c.compactions >= $min
ORDER BY c.compactions DESC, c.last DESC, c.session_id
LIMIT $top
