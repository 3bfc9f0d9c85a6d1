-- rejection-reasons: what you keep saying when you refuse
--
-- Your words on refusing, grouped by how they begin: what you said more than
-- once belongs in the agent's instructions. Where no reason was recorded, what
-- you typed next stands for it (guess=false: left out); "reasons" counts the
-- recorded ones. Several calls refused with the same words are one time.
--
-- chart bar label=begins value=times:count
-- param since TIMESTAMPTZ = NULL   first moment counted
-- param until TIMESTAMPTZ = NULL   first moment no longer counted
-- param agent VARCHAR = NULL   one agent only
-- param project VARCHAR = NULL   part of the project's folder
-- param tool VARCHAR = NULL   one tool only, as the agent calls it
-- param words INTEGER = 2   how many first words make a group
-- param guess BOOLEAN = true   take the next prompt where no reason was recorded
-- param top INTEGER = 30   number of rows
-- example hindsql run rejection-reasons since=30d words=1
WITH said AS (
  SELECT r.agent, r.session_id, r.tool_name, r.reason, r.timestamp, s.project,
    trim(regexp_replace(coalesce(r.reason, CASE WHEN $guess THEN r.next_prompt END), '\s+', ' ', 'g')) AS words,
    array_to_string(regexp_extract_all(lower(words), '[\pL\pN_''’./-]+')[1:$words], ' ') AS begins
  FROM rejections r
  LEFT JOIN sessions s USING (agent, session_id)
  WHERE r.decided_by = 'user' AND NOT r.cascaded
    AND words <> ''
    AND ($since IS NULL OR r.timestamp >= $since)
    AND ($until IS NULL OR r.timestamp < $until)
    AND ($agent IS NULL OR r.agent = $agent)
    AND ($project IS NULL OR contains(s.project, $project))
    AND ($tool IS NULL OR r.tool_name = $tool)
)
SELECT
  begins,
  count(DISTINCT (agent, session_id, words)) AS times,
  count(*) AS calls,
  count(reason) AS reasons,
  count(DISTINCT (agent, session_id)) AS sessions,
  string_agg(DISTINCT tool_name, ', ' ORDER BY tool_name) AS tools,
  max(timestamp)::DATE AS last,
  left(arg_max(words, (timestamp, words)), 160) AS last_said
FROM said
GROUP BY begins
ORDER BY times DESC, calls DESC, max(timestamp) DESC, begins
LIMIT $top
