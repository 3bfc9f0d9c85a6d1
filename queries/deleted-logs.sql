-- deleted-logs: sessions whose logs are gone, and what is left of them
--
-- Agents delete their logs. One row per session whose log is no longer there,
-- the latest first. Kept "rows": hindsql read the log before, and has all of it
-- until "hindsql prune"; "hindsql show" takes the id in the last column. Kept
-- "prompts": the log was gone before, and only what you typed is left, in
-- the agent's history: SELECT text FROM prompts WHERE session_id = '…'.
--
-- row session
-- chart bar label=when,project value=prompts:count
-- param since TIMESTAMPTZ = NULL   sessions that went on after it
-- param until TIMESTAMPTZ = NULL   sessions that began before it
-- takes agent project
-- param top INTEGER = 50   number of rows
-- example hindsql run deleted-logs since=1month
WITH gone AS (
  SELECT s.agent, s.project, s.started_at, s.ended_at, o.gone_at, 'rows' AS kept, s.prompt_count AS prompts, s.message_count AS messages, s.about, s.session_id
  FROM sessions s JOIN sources o USING (source_id)
  WHERE o.gone_at IS NOT NULL
  UNION ALL
  SELECT p.agent, any_value(p.project), min(p.timestamp), max(p.timestamp), NULL, 'prompts', count(*), NULL,
    arg_min(p.text, (p.timestamp, p.text)) FILTER (NOT p.is_command AND NOT starts_with(p.text, '!')), p.session_id
  FROM prompts p
  ANTI JOIN (
    SELECT agent, session_id FROM sessions UNION ALL SELECT agent, native_id FROM sessions WHERE native_id IS NOT NULL
  ) s ON s.agent = p.agent AND s.session_id = p.session_id
  WHERE p.session_id IS NOT NULL
  GROUP BY p.agent, p.session_id
)
SELECT
  strftime(g.ended_at, '%Y-%m-%d %H:%M') AS "when",
  g.agent,
  coalesce(n.name, g.project, '(no project)') AS project,
  g.about,
  g.prompts,
  g.messages,
  g.kept,
  g.gone_at::DATE AS gone,
  g.session_id AS session
FROM gone g
LEFT JOIN projects n ON n.project = g.project
WHERE ($since IS NULL OR g.ended_at >= $since)
  AND ($until IS NULL OR g.started_at < $until)
  AND ($agent IS NULL OR g.agent = $agent)
  AND in_project(g.project, $project)
ORDER BY g.ended_at DESC NULLS LAST, g.agent, g.session_id, g.about
LIMIT $top
