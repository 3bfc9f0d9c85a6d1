-- activity-by-day: sessions, prompts and active hours of each day
--
-- Per day and project, newest first: who worked, sessions begun by you that
-- were at work, prompts, calls, refusals, and active hours: the gaps between
-- messages, leaving out those over "idle" minutes. Sessions side by side in a
-- project count once, in two projects twice. Days are those of your time zone.
--
-- chart line label=day value=active_hours:count
-- takes since until agent project
-- param idle DOUBLE = 5   minutes after which a gap is idle
-- param top INTEGER = 60   number of rows
-- example hindsql run activity-by-day since=14d
WITH written AS NOT MATERIALIZED (
  SELECT agent, session_id, project, kind, typed_by, timestamp, epoch_us(timestamp) AS us, us // 900_000_000 AS quarter -- a day begins with one, everywhere
  FROM messages
  WHERE timestamp IS NOT NULL AND kind IS DISTINCT FROM 'usage'
    AND ($since IS NULL OR timestamp >= $since)
    AND ($until IS NULL OR timestamp < $until)
    AND ($agent IS NULL OR agent = $agent)
    AND in_project(project, $project)
), minutes AS ( -- fewer rows to sort: gaps inside a minute count as active, unless idle is shorter than one
  SELECT hash(project) AS place, quarter, us // CASE WHEN $idle >= 1 THEN 60_000_000 ELSE 1 END AS minute, min(us) AS first, max(us) AS last FROM written GROUP BY ALL
), gaps AS (
  SELECT place, quarter, last - first AS inside, first - lag(last) OVER (PARTITION BY place ORDER BY first) AS gap FROM minutes -- a number sorts faster than a text
), active AS (
  SELECT place, quarter, sum(inside) + coalesce(sum(gap) FILTER (gap <= $idle * 60_000_000), 0) AS us FROM gaps GROUP BY ALL
), active_days AS (
  SELECT place, to_timestamp(quarter * 900)::DATE AS day, round(coalesce(sum(us), 0) / 3_600_000_000, 2) AS active_hours FROM active GROUP BY ALL
), quarters AS (
  SELECT hash(agent, session_id) AS session, quarter, any_value(project) AS project, any_value(agent) AS agent,
    count(*) FILTER (kind = 'prompt' AND typed_by = 'human') AS prompts
  FROM written GROUP BY session, quarter
), days AS (
  SELECT q.project, to_timestamp(quarter * 900)::DATE AS day,
    string_agg(DISTINCT q.agent, ', ' ORDER BY q.agent) AS agents,
    count(DISTINCT q.session) FILTER (s.kind = 'main') AS sessions,
    sum(prompts)::BIGINT AS prompts
  FROM quarters q LEFT JOIN sessions s ON q.session = hash(s.agent, s.session_id)
  GROUP BY ALL
), called AS (
  SELECT c.project, epoch_us(c.timestamp) // 900_000_000 AS quarter, count(*) AS calls, count(r.tool_use_id) AS refused
  FROM tool_calls c
  LEFT JOIN rejections r ON r.agent = c.agent AND r.session_id = c.session_id AND r.tool_use_id = c.tool_use_id
    AND r.decided_by = 'user' AND NOT r.cascaded
  WHERE c.tool_kind IS DISTINCT FROM 'script'
    AND ($since IS NULL OR c.timestamp >= $since)
    AND ($until IS NULL OR c.timestamp < $until)
    AND ($agent IS NULL OR c.agent = $agent)
  GROUP BY ALL
), calls AS (
  SELECT project, to_timestamp(quarter * 900)::DATE AS day, sum(calls)::BIGINT AS calls, sum(refused)::BIGINT AS refused FROM called GROUP BY ALL
)
SELECT d.day, coalesce(p.name, d.project, '(no project)') AS project, d.agents, d.sessions, d.prompts,
  coalesce(c.calls, 0) AS calls, coalesce(c.refused, 0) AS refused, a.active_hours
FROM days d
JOIN active_days a ON a.day = d.day AND a.place = hash(d.project)
LEFT JOIN calls c ON c.day = d.day AND c.project IS NOT DISTINCT FROM d.project
LEFT JOIN projects p ON p.project = d.project
ORDER BY d.day DESC, a.active_hours DESC, d.project, d.agents
LIMIT $top
