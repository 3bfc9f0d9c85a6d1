-- permission-rules: rules that would have spared you the question
--
-- The commands that you granted or refused when asked, part by part, with how
-- often, the newest session that asked, and the ids of the newest calls that
-- you granted. "allow_rule" is a line for
-- permissions.allow in a settings.json, "prefix_rule" one for a .rules file; an
-- agent has one or the other. They are yours to copy, or not. Nothing is
-- suggested for a part that you refused once, nor for a command that holds more
-- than plain words (quoted operators, $( ), backticks, redirections, several
-- lines), or that PowerShell runs: "why_not" says so. A prefix_rule allows any
-- further arguments, so there is one only where those do no harm.
--
-- row rule
-- card part granted refused | allow_rule | prefix_rule
-- chart bar label=part value=granted:count
-- takes since until agent project
-- param least INTEGER = 2   fewest grants for a suggestion
-- param suggested BOOLEAN = false   only the parts that a rule is suggested for
-- param top INTEGER = 50   number of rows
-- example hindsql run permission-rules since=90d least=3
WITH asked AS (
  SELECT agent, session_id, tool_use_id, project, decision, timestamp, len(command_parts) > 0 AS plain,
    unnest(CASE WHEN len(command_parts) > 0 THEN command_parts ELSE [command] END) AS part
  FROM tool_calls
  WHERE decided_by = 'user' AND decision IN ('granted', 'refused') AND command IS NOT NULL
    AND ($since IS NULL OR timestamp >= $since)
    AND ($until IS NULL OR timestamp < $until)
    AND ($agent IS NULL OR agent = $agent)
    AND in_project(project, $project)
), counted AS (
  SELECT
    part, plain, coalesce(plain, false) AND ends_with(part, ':*') AS any_arguments,
    count(*) FILTER (decision = 'granted') AS granted,
    count(*) FILTER (decision = 'refused') AS refused,
    count(DISTINCT project) AS projects,
    max(timestamp)::DATE AS last,
    arg_max(session_id, (timestamp, session_id)) AS session,
    (list(tool_use_id ORDER BY timestamp DESC, tool_use_id) FILTER (decision = 'granted'))[:5] AS granted_ids,
    CASE
      WHEN plain IS DISTINCT FROM true THEN 'more than plain words'
      WHEN count(*) FILTER (decision = 'refused') > 0 THEN 'you refused it'
      WHEN count(*) < $least THEN 'granted too seldom'
    END AS why_not
  FROM asked
  GROUP BY part, plain
)
SELECT
  part,
  granted,
  refused,
  projects,
  last,
  CASE WHEN why_not IS NULL THEN '"Bash(' || part || ')"' END AS allow_rule,
  CASE WHEN why_not IS NULL AND any_arguments
    THEN 'prefix_rule(pattern=["' || replace(left(part, -2), ' ', '", "') || '"], decision="allow")' END AS prefix_rule,
  why_not,
  session,
  granted_ids
FROM counted
WHERE NOT coalesce($suggested, false) OR why_not IS NULL
ORDER BY why_not IS NOT NULL, granted DESC, refused DESC, counted.part
LIMIT $top
