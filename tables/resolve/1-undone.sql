-- reads continuations, line_numbers, messages, part_sessions, pending_links, sessions, sources; writes compactions, continuations, interruptions, messages, part_sessions, parts, pending_links, rejections, sessions, tool_calls; when some file continues a session of another file, or did at the last link
-- when: EXISTS (FROM continuations) OR EXISTS (FROM part_sessions)
-- A session may be taken back to an earlier moment and continue in a new file. The
-- older files' lines from that moment on were undone. All the files form one session: a
-- later file's messages follow the earlier files' messages, and the session's facts
-- come from the first file. continuations.shift keeps the number added to each
-- message_index, for a correction when an older file changes.
CREATE OR REPLACE TEMP TABLE parts AS
WITH bases AS (
  SELECT c.source_id AS part, s.agent, s.source_id AS base, s.session_id
  FROM continuations c
  JOIN sources p USING (source_id)
  JOIN sessions s ON s.agent = c.agent AND (s.session_id = c.continues OR starts_with(s.session_id, c.continues || '@'))
  JOIN sources f ON f.source_id = s.source_id AND f.machine IS NOT DISTINCT FROM p.machine
  QUALIFY row_number() OVER (PARTITION BY c.source_id
    ORDER BY starts_with(p.path, regexp_replace(f.path, '(\.[a-z]+)+$', '') || '_') DESC, f.gone_at IS NOT NULL, f.path) = 1),
files AS (
  SELECT DISTINCT agent, session_id, base, base AS source_id, 0 AS place, NULL AS own_undone, 0 AS shifted FROM bases
  UNION ALL
  SELECT b.agent, b.session_id, b.base, c.source_id, row_number() OVER (PARTITION BY b.base ORDER BY c.session_id), c.undone_from, c.shift
  FROM bases b JOIN continuations c ON c.source_id = b.part),
sizes AS (SELECT source_id, count(*) AS size FROM messages SEMI JOIN files USING (source_id) GROUP BY ALL)
SELECT files.*,
  coalesce(sum(size) OVER (PARTITION BY base ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)::BIGINT AS shift,
  min(own_undone) OVER (PARTITION BY base ORDER BY place ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS undone_from
FROM files LEFT JOIN sizes USING (source_id);

-- when: EXISTS (FROM parts SEMI JOIN pending_links USING (source_id)) OR EXISTS (FROM parts WHERE place > 0 AND shifted IS DISTINCT FROM shift) OR EXISTS (FROM continuations ANTI JOIN parts USING (source_id) WHERE shift IS NOT NULL)
INSERT INTO pending_links
SELECT source_id FROM parts WHERE base IN (SELECT base FROM parts WHERE source_id IN (FROM pending_links));

UPDATE messages t SET is_active = false
FROM (
  SELECT m.source_id, m.line
  FROM (SELECT source_id, line, undone_from FROM messages JOIN parts USING (source_id) WHERE undone_from IS NOT NULL) m
  ASOF JOIN line_numbers n ON m.source_id = n.source_id AND m.line >= n.line
  WHERE n.ordinal + m.line - n.line >= undone_from) u
WHERE t.is_active AND t.source_id = u.source_id AND t.line = u.line;

-- moved lists files whose rows are not yet in the right session and place, or no
-- longer: once the continued file is gone, the later file is a session of its own
-- again.
CREATE OR REPLACE TEMP TABLE moved AS
SELECT p.source_id, p.session_id, p.shift, p.shift - coalesce(p.shifted, 0) AS by FROM parts p
WHERE p.place > 0 AND (p.shifted IS DISTINCT FROM p.shift
  OR EXISTS (FROM messages m WHERE m.source_id = p.source_id AND m.session_id <> p.session_id))
UNION ALL
SELECT c.source_id, c.session_id, NULL, -c.shift FROM continuations c ANTI JOIN parts USING (source_id) WHERE c.shift IS NOT NULL;

UPDATE messages t SET session_id = p.session_id, message_index = message_index + p.by FROM moved p WHERE t.source_id = p.source_id;
UPDATE tool_calls t SET session_id = p.session_id, message_index = message_index + p.by, result_message_index = result_message_index + p.by
FROM moved p WHERE t.source_id = p.source_id;
UPDATE rejections t SET session_id = p.session_id, message_index = message_index + p.by FROM moved p WHERE t.source_id = p.source_id;
UPDATE interruptions t SET session_id = p.session_id, message_index = message_index + p.by, interrupted_message_index = interrupted_message_index + p.by,
  prompt_index = prompt_index + p.by
FROM moved p WHERE t.source_id = p.source_id;
UPDATE compactions t SET session_id = p.session_id, after_message_index = after_message_index + p.by,
  replaced_message_indices = [i + p.by FOR i IN replaced_message_indices]
FROM moved p WHERE t.source_id = p.source_id;
UPDATE continuations t SET shift = p.shift FROM moved p WHERE t.source_id = p.source_id;

-- part_sessions keeps the session rows of later files as they were loaded. Columns
-- filled by links are null, because links fill them again.
DELETE FROM part_sessions t USING sessions s WHERE t.source_id = s.source_id;
INSERT INTO part_sessions
SELECT s.* REPLACE (NULL AS prompt_count, NULL AS message_count, NULL AS tool_call_count, NULL AS tool_error_count, NULL AS rejection_count,
  NULL AS interruption_count, NULL AS compaction_count, NULL AS input_tokens, NULL AS output_tokens, NULL AS cache_read_tokens,
  NULL AS cache_write_tokens, NULL AS reasoning_tokens, NULL AS cost_estimated_usd, NULL AS forked_from, NULL AS previous_session_id)
FROM sessions s SEMI JOIN (FROM parts WHERE place > 0) USING (source_id);
DELETE FROM sessions t USING part_sessions p WHERE t.source_id = p.source_id;
INSERT INTO sessions SELECT p.* FROM part_sessions p SEMI JOIN (FROM moved WHERE shift IS NULL) USING (source_id);
DELETE FROM part_sessions WHERE source_id NOT IN (SELECT source_id FROM parts WHERE place > 0);

UPDATE sessions t SET ended_at = e.ended_at
FROM (SELECT base, max(timestamp) AS ended_at FROM parts JOIN messages USING (source_id) WHERE kind IS DISTINCT FROM 'usage' GROUP BY ALL) e
WHERE t.source_id = e.base AND t.ended_at IS DISTINCT FROM e.ended_at;
