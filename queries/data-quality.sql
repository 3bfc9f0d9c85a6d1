-- data-quality: how far the numbers can be trusted
--
-- What was not read, not known or not recorded, per agent: how many of how
-- many, and an example. Read problems and unknown kinds mean lost rows, fields
-- and versions that hindsql doesn't know that something new is not told; the
-- other lines say what is told from the context alone ("only inferred"), and
-- stands in with_copies; what is incomplete, or kept from logs that are gone. No
-- row: nothing to complain of.
--
-- chart bar label=agent,finding value=percent
-- takes agent
-- param min_percent DOUBLE = 0   least share that is shown
-- example hindsql run data-quality min_percent=5
WITH checks AS (
  SELECT agent, 1 AS place, 'lines not wholly read' AS finding, count(*) AS found, (SELECT sum(lines) FROM record_kinds k WHERE k.agent = p.agent) AS of_all,
    min(what || ' · ' || regexp_extract(path, '[^/\\]+$') || coalesce(':' || line, '')) AS example
  FROM problems p GROUP BY agent
  UNION ALL
  SELECT agent, 2, 'records of unknown kind', sum(lines) FILTER (NOT known), sum(lines), string_agg(kind, ', ' ORDER BY lines DESC) FILTER (NOT known)
  FROM record_kinds GROUP BY agent
  UNION ALL
  SELECT agent, 2, 'unknown fields of records', count(*), NULL, string_agg(kind || ': ' || field, ', ' ORDER BY lines DESC, kind, field)
  FROM record_fields WHERE kind <> '(version)' GROUP BY agent
  UNION ALL
  SELECT agent, 2, 'versions newer than tested', count(*), NULL, string_agg(field || ' (' || example || ')', ', ' ORDER BY field DESC)
  FROM record_fields WHERE kind = '(version)' GROUP BY agent
  UNION ALL
  SELECT agent, 3, 'answers with too few tokens', count(*) FILTER (NOT tokens_reliable), count(tokens_reliable),
    mode(model ORDER BY model) FILTER (NOT tokens_reliable)
  FROM messages WHERE kind = 'response' GROUP BY agent
  UNION ALL
  SELECT agent, 4, 'answers without tokens', count(*) FILTER (output_tokens IS NULL), count(*), mode(model ORDER BY model) FILTER (output_tokens IS NULL)
  FROM messages WHERE kind = 'response' GROUP BY agent
  UNION ALL
  SELECT agent, 5, 'refusals only inferred, left out', count(*) FILTER (is_inferred), count(*), 'least confidence ' || min(confidence)
  FROM with_copies.rejections WHERE NOT is_copy AND NOT cascaded AND decided_by <> 'nobody' GROUP BY agent
  UNION ALL
  SELECT agent, 6, 'refusals of unknown decider', count(*) FILTER (decided_by = 'unknown'), count(*), mode(tool_name ORDER BY tool_name) FILTER (decided_by = 'unknown')
  FROM rejections WHERE decided_by <> 'nobody' GROUP BY agent
  UNION ALL
  SELECT agent, 7, 'interruptions only inferred, left out', count(*) FILTER (is_inferred), count(*), 'least confidence ' || min(confidence)
  FROM with_copies.interruptions WHERE NOT is_copy GROUP BY agent
  UNION ALL
  SELECT agent, 7, 'clears only inferred, left out', count(*) FILTER (is_inferred), count(*), 'least confidence ' || min(confidence)
  FROM with_copies.clears GROUP BY agent
  UNION ALL
  SELECT agent, 8, 'calls without a result', count(*) FILTER (status IN ('pending', 'lost')), count(*), mode(tool_name ORDER BY tool_name) FILTER (status IN ('pending', 'lost'))
  FROM tool_calls WHERE tool_kind IS DISTINCT FROM 'script' GROUP BY agent
  UNION ALL
  SELECT agent, 9, 'sessions without a project', count(*) FILTER (project IS NULL), count(*), max(session_id) FILTER (project IS NULL)
  FROM sessions GROUP BY agent
  UNION ALL
  SELECT agent, 10, 'logs that are gone', count(gone_at), count(*), max(path) FILTER (gone_at IS NOT NULL)
  FROM sources GROUP BY agent
)
SELECT agent, finding, found::BIGINT AS found, of_all::BIGINT AS of_all, round(100 * found / nullif(of_all, 0), 2) AS percent, example
FROM checks
WHERE found > 0 AND ($agent IS NULL OR agent = $agent) AND coalesce(100 * found / nullif(of_all, 0), 100) >= $min_percent
ORDER BY place, found DESC, agent
