-- interruptions: where you stopped an agent, and what was cut
--
-- One row per interruption, newest first: what was going on, the prompt that
-- was being answered, the end of what the agent had written or the call that was
-- running, else the log's own words for the stop, and what you typed next.
-- A refusal that also stopped the agent stands in rejections; what a subagent's
-- log repeats of its parent is left out. With type=system: rate limits, network
-- errors, time limits and shutdowns.
--
-- row interruption
-- param type VARCHAR = 'user' {user,system,all}   who stopped it
-- takes since until agent project
-- param phase VARCHAR = NULL {response,tool,approval}   what was going on
-- param top INTEGER = 50   number of rows
-- example hindsql run interruptions since=7d
SELECT
  strftime(i.timestamp, '%Y-%m-%d %H:%M') AS time,
  coalesce(n.name, s.project) AS project,
  i.phase,
  right(regexp_replace(coalesce(
    i.tool_name || coalesce(': ' || coalesce(c.command, file_in(s.project, c.file_path)), ''),
    i.partial_output, m.text, i.marker), '\s+', ' ', 'g'), 120) AS cut,
  left(regexp_replace((
    SELECT arg_min(t.text, t.message_index) FROM messages t
    WHERE t.agent = i.agent AND t.session_id = i.session_id AND t.message_index > i.message_index AND t.kind IN ('prompt', 'command') AND t.typed_by = 'human'
  ), '\s+', ' ', 'g'), 200) AS next_prompt,
  left(regexp_replace(p.text, '\s+', ' ', 'g'), 100) AS prompt,
  i.session_id || coalesce(':' || i.message_index, '') AS session,
  i.agent
FROM interruptions i
LEFT JOIN sessions s USING (agent, session_id)
LEFT JOIN with_copies.tool_calls c
  ON c.agent = i.agent AND c.session_id = i.session_id AND c.tool_use_id = i.tool_use_id
LEFT JOIN with_copies.messages m
  ON m.agent = i.agent AND m.session_id = i.session_id AND m.message_index = i.interrupted_message_index
LEFT JOIN with_copies.messages p
  ON p.agent = i.agent AND p.session_id = i.session_id AND p.message_index = i.prompt_index
LEFT JOIN projects n ON n.project = s.project
WHERE coalesce($type, 'all') IN ('all', i.type)
  AND ($phase IS NULL OR i.phase = $phase)
  AND i.phase IS DISTINCT FROM 'subagent'
  AND NOT i.paired_rejection
  AND ($since IS NULL OR i.timestamp >= $since)
  AND ($until IS NULL OR i.timestamp < $until)
  AND ($agent IS NULL OR i.agent = $agent)
  AND ($project IS NULL OR contains(lower(s.project), lower($project)))
ORDER BY i.timestamp DESC, i.message_index DESC
LIMIT $top
