-- read-again: files read again after a compaction
--
-- Each compaction after which the agent read files that it had read or edited
-- before it: what the summary lost. Counted are the files read until the next
-- compaction, within "minutes". Readings through shell commands don't show.
-- Files that come back each time are worth a line in the instructions.
--
-- row compaction
-- chart bar label=time,project value=again
-- takes since until agent project
-- param minutes DOUBLE = 60   how long after the compaction
-- param top INTEGER = 50   number of rows
-- example hindsql run read-again since=30d minutes=15
WITH cuts AS (
  SELECT c.agent, c.session_id, c.after_message_index AS cut, c.timestamp, c.trigger, c.uuid, s.project,
    lead(c.after_message_index) OVER (PARTITION BY c.agent, c.session_id ORDER BY c.after_message_index) AS next_cut
  FROM compactions c LEFT JOIN sessions s USING (agent, session_id)
  WHERE ($agent IS NULL OR c.agent = $agent)
    AND in_project(s.project, $project)
), files AS (
  SELECT k.agent, k.session_id, k.cut, k.timestamp, k.trigger, k.uuid, k.project, c.file_path,
    bool_or(c.message_index <= k.cut) AS known,
    count(*) FILTER (c.message_index > k.cut AND c.message_index <= coalesce(k.next_cut, c.message_index)
      AND c.tool_kind = 'read' AND epoch(c.timestamp) - epoch(k.timestamp) <= 60 * $minutes) AS reads
  FROM cuts k
  JOIN with_copies.tool_calls c USING (agent, session_id)
  WHERE c.tool_kind IN ('read', 'edit') AND c.status = 'ok' AND c.file_path IS NOT NULL
  GROUP BY ALL
)
SELECT
  strftime(timestamp, '%Y-%m-%d %H:%M') AS time,
  agent,
  coalesce(any_value(p.name), f.project, '(no project)') AS project,
  trigger,
  count(*) FILTER (known) AS files_known,
  count(*) FILTER (reads > 0) AS files_read,
  count(*) FILTER (reads > 0 AND known) AS again,
  string_agg(file_in(f.project, file_path), ', ' ORDER BY reads DESC, file_path) FILTER (reads > 0 AND known) AS files,
  session_id || ':' || cut AS session
FROM files f
LEFT JOIN projects p ON p.project = f.project
WHERE ($since IS NULL OR timestamp >= $since)
  AND ($until IS NULL OR timestamp < $until)
GROUP BY agent, f.project, session_id, cut, timestamp, trigger, uuid
HAVING again > 0
ORDER BY timestamp DESC, uuid
LIMIT $top
