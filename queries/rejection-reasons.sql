-- rejection-reasons: what you keep saying when you refuse
--
-- Your words on refusing, grouped by how they begin: what you said more than
-- once belongs in the agent's instructions. Where no reason was recorded, what
-- you typed next stands for it (guess=false: left out); "reasons" counts the
-- recorded ones. Several calls refused with the same words are one time.
--
-- row reason
-- chart bar label=begins value=times:count
-- takes since until agent project
-- param tool VARCHAR = NULL   one tool only, as the agent calls it, in any case
-- param kind VARCHAR = NULL {edit,command,read,search,web,mcp,plan,question,agent,script,other}   what the tool does
-- param decided_by VARCHAR = 'user' {user,rule,mode,setting,nobody,hook,classifier,sandbox,unknown,all}   who refused
-- param words INTEGER = 2   how many first words make a group
-- param guess BOOLEAN = true   take the next prompt where no reason was recorded
-- param top INTEGER = 30   number of rows
-- example hindsql run rejection-reasons since=30d words=1
WITH said AS (
  SELECT r.agent, r.session_id, r.message_index, r.tool_name, r.reason, r.timestamp, s.project,
    coalesce(r.reason, CASE WHEN $guess THEN r.next_prompt END) AS words,
    array_to_string(regexp_extract_all(lower(words), '[\pL\pN_''’./-]+')[1:$words], ' ') AS begins
  FROM rejections r
  LEFT JOIN sessions s USING (agent, session_id)
  WHERE coalesce($decided_by, 'all') IN ('all', r.decided_by) AND NOT r.cascaded
    AND trim(words, E' \t\r\n') <> ''
    AND ($since IS NULL OR r.timestamp >= $since)
    AND ($until IS NULL OR r.timestamp < $until)
    AND ($agent IS NULL OR r.agent = $agent)
    AND ($kind IS NULL OR r.tool_kind = $kind)
    AND in_project(s.project, $project)
    AND ($tool IS NULL OR lower(r.tool_name) = lower($tool))
)
SELECT
  begins,
  count(DISTINCT (agent, session_id, words)) AS times,
  count(*) AS calls,
  count(reason) AS reasons,
  count(DISTINCT (agent, session_id)) AS sessions,
  string_agg(DISTINCT tool_name, ', ' ORDER BY tool_name) AS tools,
  max(timestamp)::DATE AS last,
  arg_max(words, (timestamp, words)) AS last_said,
  arg_max(session_id || coalesce(':' || message_index, ''), (timestamp, words)) AS session
FROM said
GROUP BY begins
ORDER BY times DESC, calls DESC, max(timestamp) DESC, begins
LIMIT $top
