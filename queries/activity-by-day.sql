-- activity-by-day: sessions, prompts and active hours of each day
--
-- Per day and project, newest first: who worked, sessions begun by you that
-- were at work, prompts, calls, refusals, and active hours: the gaps between
-- messages, leaving out those over "idle" minutes. Sessions side by side in a
-- project count once, in two projects twice. Days are those of your time zone.
--
-- param since TIMESTAMPTZ = NULL   first moment counted
-- param until TIMESTAMPTZ = NULL   first moment no longer counted
-- param agent VARCHAR = NULL   one agent only
-- param project VARCHAR = NULL   part of the project's folder
-- param idle DOUBLE = 5   minutes after which a gap is idle
-- param top INTEGER = 60   number of rows
-- example hindsql run activity-by-day since=14d
WITH timed AS (
  SELECT m.agent, m.session_id, m.message_index, m.kind, m.typed_by, s.kind AS session_kind, s.project, m.timestamp,
    epoch(m.timestamp) - epoch(lag(m.timestamp) OVER (PARTITION BY s.project ORDER BY m.timestamp)) AS gap
  FROM messages m LEFT JOIN sessions s USING (agent, session_id)
  WHERE m.timestamp IS NOT NULL
    AND ($since IS NULL OR m.timestamp >= $since)
    AND ($until IS NULL OR m.timestamp < $until)
    AND ($agent IS NULL OR m.agent = $agent)
    AND ($project IS NULL OR contains(s.project, $project))
), calls AS (
  SELECT s.project, c.timestamp::DATE AS day, count(*) AS calls,
    count(r.tool_use_id) AS refused
  FROM tool_calls c
  LEFT JOIN sessions s USING (agent, session_id)
  LEFT JOIN rejections r ON r.agent = c.agent AND r.session_id = c.session_id AND r.tool_use_id = c.tool_use_id
    AND r.decided_by = 'user' AND NOT r.cascaded
  WHERE c.tool_kind IS DISTINCT FROM 'script'
    AND ($since IS NULL OR c.timestamp >= $since)
    AND ($until IS NULL OR c.timestamp < $until)
    AND ($agent IS NULL OR c.agent = $agent)
  GROUP BY ALL
), days AS (
  SELECT project, timestamp::DATE AS day,
    string_agg(DISTINCT agent, ', ' ORDER BY agent) AS agents,
    count(DISTINCT (agent, session_id)) FILTER (session_kind = 'main') AS sessions,
    count(*) FILTER (kind = 'prompt' AND typed_by = 'human') AS prompts,
    round(coalesce(sum(gap) FILTER (gap <= $idle * 60), 0) / 3600, 2) AS active_hours
  FROM timed GROUP BY ALL
)
SELECT d.day, regexp_extract(d.project, '[^/\\]+[/\\]?$') AS project, d.agents, d.sessions, d.prompts,
  coalesce(c.calls, 0) AS calls, coalesce(c.refused, 0) AS refused, d.active_hours
FROM days d LEFT JOIN calls c ON c.day = d.day AND c.project IS NOT DISTINCT FROM d.project
ORDER BY d.day DESC, d.active_hours DESC, d.project, d.agents
LIMIT $top
