-- compactions: when context was compacted, and what it cost
--
-- One row per compaction, newest first: what set it off, the tokens of context
-- before and after, how many messages the summary took the place of, how long
-- it took, and how the summary begins. Empty where the agent's log doesn't say.
--
-- row compaction
-- card time trigger before after | summary | session
-- hidden timestamp session_id about folder after_message_index trigger_inferred duration_ms summary_source whole_summary
-- chart bar value=before ranges=0,50000,100000,150000,200000,500000,1000000 unit=tokens
-- takes since until agent project
-- param trigger VARCHAR = NULL {auto,manual}   what set it off
-- param text VARCHAR = NULL   part of the summary, in any case
-- param top INTEGER = 50   number of rows
-- example hindsql run compactions since=7d top=10
WITH newest AS (
  SELECT c.*, s.about, s.project AS folder, p.name AS project_name
  FROM compactions c
  LEFT JOIN sessions s USING (agent, session_id)
  LEFT JOIN projects p ON p.project = s.project
  WHERE ($since IS NULL OR c.timestamp >= $since)
    AND ($until IS NULL OR c.timestamp < $until)
    AND ($agent IS NULL OR c.agent = $agent)
    AND in_project(s.project, $project)
    AND ($trigger IS NULL OR c.trigger = $trigger)
    AND ($text IS NULL OR contains(lower(concat_ws(chr(10), c.summary, s.about)), lower($text)))
  ORDER BY c.timestamp DESC, c.uuid, c.agent, c.session_id, c.after_message_index
  LIMIT $top
)
SELECT
  strftime(c.timestamp, '%Y-%m-%d %H:%M') AS time,
  c.agent,
  coalesce(c.project_name, c.folder, '(no project)') AS project,
  c.trigger || CASE WHEN c.trigger_inferred THEN '?' ELSE '' END AS trigger,
  c.pre_tokens AS before,
  c.post_tokens AS after,
  len(c.replaced_message_indices) AS messages,
  round(c.duration_ms / 1000, 1) AS seconds,
  c.summary,
  c.session_id || coalesce(':' || c.after_message_index, '') AS session,
  c.timestamp, c.session_id, c.about, c.folder, c.after_message_index, c.trigger_inferred, c.duration_ms, c.summary_source, c.summary AS whole_summary
FROM newest c
ORDER BY c.timestamp DESC, c.uuid, c.agent, c.session_id, c.after_message_index
