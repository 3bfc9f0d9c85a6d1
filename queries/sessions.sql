-- sessions: what was done when, and how to go on with it
--
-- Sessions, the latest first: when they ended, what they were about, what you
-- typed and refused, the tokens that they and their subagents read and wrote,
-- and the command that goes on with them, typed in their folder. It is missing
-- where the agent has none, or its log is gone. "hindsql show" takes what the
-- column session has.
--
-- row session
-- card when about | resume | session project
-- param since TIMESTAMPTZ = NULL   sessions that went on after it
-- param until TIMESTAMPTZ = NULL   sessions that began before it
-- takes agent project
-- param top INTEGER = 20   number of rows
-- example hindsql run sessions since=30d
WITH below AS (
  SELECT agent, parent_session_id AS session_id, sum(coalesce(input_tokens, 0) + coalesce(output_tokens, 0) + coalesce(cache_read_tokens, 0) + coalesce(cache_write_tokens, 0)) AS tokens,
    sum(rejection_count) AS refused
  FROM sessions WHERE parent_session_id IS NOT NULL GROUP BY ALL
)
SELECT
  strftime(s.ended_at, '%Y-%m-%d %H:%M') AS "when",
  coalesce(p.name, s.project, '(no project)') AS project,
  s.about,
  s.session_id AS session,
  s.prompt_count AS prompts,
  (coalesce(s.input_tokens, 0) + coalesce(s.output_tokens, 0) + coalesce(s.cache_read_tokens, 0) + coalesce(s.cache_write_tokens, 0) + coalesce(b.tokens, 0))::BIGINT AS tokens,
  (s.rejection_count + coalesce(b.refused, 0))::BIGINT AS refused,
  s.agent,
  CASE WHEN o.gone_at IS NULL THEN resume(s.agent, coalesce(s.native_id, s.session_id)) END AS resume
FROM sessions s
LEFT JOIN below b ON b.agent = s.agent AND b.session_id = s.session_id
LEFT JOIN projects p ON p.project = s.project
LEFT JOIN sources o ON o.source_id = s.source_id
WHERE s.kind = 'main'
  AND ($since IS NULL OR s.ended_at >= $since)
  AND ($until IS NULL OR s.started_at < $until)
  AND ($agent IS NULL OR s.agent = $agent)
  AND in_project(s.project, $project)
ORDER BY s.ended_at DESC NULLS LAST, s.session_id
LIMIT $top
