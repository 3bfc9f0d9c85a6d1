-- compactions: when context was compacted, and what it cost
--
-- One row per compaction, newest first: what set it off, the tokens of context
-- before and after, how many messages the summary took the place of, how long
-- it took, and how the summary begins. Empty where the agent's log doesn't say.
--
-- row compaction
-- chart hist value=before unit=tokens
-- takes since until agent project
-- param top INTEGER = 50   number of rows
-- example hindsql run compactions since=7d top=10
SELECT
  strftime(c.timestamp, '%Y-%m-%d %H:%M') AS time,
  c.agent,
  coalesce(p.name, s.project) AS project,
  c.trigger || CASE WHEN c.trigger_inferred THEN '?' ELSE '' END AS trigger,
  c.pre_tokens AS before,
  c.post_tokens AS after,
  len(c.replaced_message_indices) AS messages,
  round(c.duration_ms / 1000, 1) AS seconds,
  left(regexp_replace(c.summary, '\s+', ' ', 'g'), 200) AS summary,
  c.session_id || coalesce(':' || c.after_message_index, '') AS session
FROM compactions c
LEFT JOIN sessions s USING (agent, session_id)
LEFT JOIN projects p ON p.project = s.project
WHERE ($since IS NULL OR c.timestamp >= $since)
  AND ($until IS NULL OR c.timestamp < $until)
  AND ($agent IS NULL OR c.agent = $agent)
  AND ($project IS NULL OR contains(lower(s.project), lower($project)))
ORDER BY c.timestamp DESC, c.uuid
LIMIT $top
