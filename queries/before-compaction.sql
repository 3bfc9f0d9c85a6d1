-- before-compaction: what was said last, and what was lost
--
-- One row per compaction, newest first: the last thing that you typed and that
-- the agent answered before it, and what went out of the context since the
-- compaction before: lost_files, read or edited, that the summary doesn't name (all
-- where there is no summary to read), messages, calls and tokens of context.
-- "hindsql show" takes the last column.
--
-- row compaction
-- card time project lost_files | you_said_last | it_said_last session
-- hidden last_prompt last_answer all_lost_files
-- chart bar label=time,project value=files
-- takes since until agent project
-- param top INTEGER = 50   number of rows
-- example hindsql run before-compaction since=30d
WITH cuts AS (
  SELECT c.agent, c.session_id, c.project, c.uuid, c.timestamp, c.pre_tokens, c.summary, c.after_message_index AS cut,
    coalesce(lag(c.after_message_index) OVER (PARTITION BY c.agent, c.session_id ORDER BY c.after_message_index), -1) AS begun
  FROM with_copies.compactions c
  WHERE c.after_message_index IS NOT NULL
    AND ($agent IS NULL OR c.agent = $agent)
    AND in_project(c.project, $project)
), wanted AS MATERIALIZED (
  SELECT k.* FROM cuts k
  SEMI JOIN compactions c ON c.agent = k.agent AND c.session_id = k.session_id AND c.after_message_index = k.cut
  WHERE ($since IS NULL OR k.timestamp >= $since)
    AND ($until IS NULL OR k.timestamp < $until)
  ORDER BY k.timestamp DESC, k.uuid, k.session_id, k.cut
  LIMIT $top -- before the joins: the texts before the others stay unread
), said AS ( -- of one column and not null: DuckDB skips other sessions' texts for no other condition
  SELECT k.agent, k.session_id, k.cut,
    count(*) FILTER (m.kind IS DISTINCT FROM 'usage') AS messages,
    arg_max(coalesce(m.typed_text, m.text), m.message_index) FILTER (m.kind = 'prompt' AND m.typed_by = 'human') AS last_prompt,
    arg_max(m.text, m.message_index) FILTER (m.kind = 'response' AND m.text IS NOT NULL) AS last_answer
  FROM wanted k
  JOIN (FROM with_copies.messages WHERE session_id IN (SELECT session_id FROM wanted WHERE session_id IS NOT NULL)) m ON m.agent = k.agent AND m.session_id = k.session_id AND m.message_index > k.begun AND m.message_index <= k.cut
  GROUP BY ALL
), calls AS NOT MATERIALIZED (
  FROM with_copies.tool_calls WHERE session_id IN (SELECT session_id FROM wanted WHERE session_id IS NOT NULL)
), touched AS (
  SELECT k.agent, k.session_id, k.cut, c.file_path, max(c.message_index) AS last,
    any_value(file_in(k.project, c.file_path)) AS file,
    bool_or(contains(k.summary, regexp_extract(c.file_path, '[^/\\]+$'))) IS TRUE AS is_named
  FROM wanted k
  JOIN calls c ON c.agent = k.agent AND c.session_id = k.session_id AND c.message_index > k.begun AND c.message_index <= k.cut
  WHERE c.tool_kind IN ('read', 'edit') AND c.status = 'ok' AND c.file_path IS NOT NULL
  GROUP BY k.agent, k.session_id, k.cut, c.file_path
), lost AS (
  SELECT agent, session_id, cut, count(*) FILTER (NOT is_named) AS files, string_agg(file, ', ' ORDER BY last DESC, file) FILTER (NOT is_named) AS names,
    to_json(list(file ORDER BY last DESC, file) FILTER (NOT is_named)) AS all_names
  FROM touched GROUP BY ALL
), called AS (
  SELECT k.agent, k.session_id, k.cut, count(*) AS calls
  FROM wanted k
  JOIN calls c ON c.agent = k.agent AND c.session_id = k.session_id AND c.message_index > k.begun AND c.message_index <= k.cut
  WHERE c.parent_tool_use_id IS NULL
  GROUP BY ALL
)
SELECT
  strftime(k.timestamp, '%Y-%m-%d %H:%M') AS time,
  k.agent,
  coalesce(p.name, k.project, '(no project)') AS project,
  s.last_prompt AS you_said_last,
  s.last_answer AS it_said_last,
  l.names AS lost_files,
  coalesce(l.files, 0) AS files,
  coalesce(s.messages, 0) AS messages,
  coalesce(c.calls, 0) AS calls,
  k.pre_tokens AS tokens,
  k.session_id || ':' || k.cut AS session,
  s.last_prompt, s.last_answer, l.all_names AS all_lost_files
FROM wanted k
LEFT JOIN said s USING (agent, session_id, cut)
LEFT JOIN lost l USING (agent, session_id, cut)
LEFT JOIN called c USING (agent, session_id, cut)
LEFT JOIN projects p ON p.project = k.project
ORDER BY k.timestamp DESC, k.uuid, k.session_id, k.cut
LIMIT $top
