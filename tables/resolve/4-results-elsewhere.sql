-- reads loose_results, messages, rejections, related_sources, scope, sessions, sources, tool_calls; writes pending_links, rejections, related_sources, scope, sources, stale_clears, tool_calls; when a call in the scope without a result of its own has one in another file, or had
-- needs: 3-copies
-- when: EXISTS (FROM loose_results WHERE source_id IN (FROM scope)) OR EXISTS (FROM loose_results r JOIN tool_calls t USING (agent, tool_use_id) WHERE t.source_id IN (FROM scope)) OR EXISTS (FROM tool_calls t JOIN tool_calls o USING (agent, tool_use_id) WHERE t.status = 'pending' AND t.source_id IN (FROM scope) AND o.source_id IN (FROM scope) AND t.source_id <> o.source_id) OR EXISTS (FROM tool_calls WHERE source_id IN (FROM scope) AND finished_at IS NOT NULL AND result_message_index IS NULL AND (extra->>'result_from') IS NOT NULL)
-- A call may stand in one file and its result in another: a plan accepted with cleared
-- context ends in the new session's file, and a helper's file may hold what its session
-- lost. A call without a result, or with a stand-in, takes the result of the same call
-- from elsewhere; no other call does, because helpers replay whole conversations. The
-- result is the same call's if it stands in a copy of the call's message, or if its line
-- or its session names the call's session, or its line the call's line. loose_results has
-- what the call's own log says, for a call that loses the result again.
CREATE OR REPLACE TEMP TABLE open_calls AS
SELECT l.* REPLACE (t.agent AS agent, t.source_id AS source_id, t.session_id AS session_id, t.tool_use_id AS tool_use_id, coalesce(l.status, 'pending') AS status),
  t.timestamp, t.machine, t.tool_kind, t.is_copy, split_part(t.session_id, '@', 1) AS call_session, s.parent_session_id AS call_parent, m.uuid, m.message_id
FROM tool_calls t
LEFT JOIN (FROM loose_results WHERE is_call) l ON l.source_id = t.source_id AND l.tool_use_id = t.tool_use_id AND starts_with(t.session_id, l.session_id)
LEFT JOIN sessions s ON s.source_id = t.source_id AND s.session_id = t.session_id
LEFT JOIN messages m ON m.source_id = t.source_id AND m.session_id = t.session_id AND m.message_index = t.message_index
WHERE (t.status = 'pending' OR l.is_call OR t.result_message_index IS NULL AND (t.extra->>'result_from') IS NOT NULL)
  AND (t.source_id IN (FROM scope) OR t.tool_use_id IN (SELECT tool_use_id FROM loose_results WHERE NOT is_call AND source_id IN (FROM scope)));

CREATE OR REPLACE TEMP TABLE tied AS
WITH results AS (
  FROM loose_results WHERE NOT is_call AND NOT stand_in
  UNION ALL BY NAME
  SELECT t.*, m.uuid, m.message_id, r.rejection_type, r.reason, r.denial_kind, r.evidence, r.confidence
  FROM tool_calls t
  JOIN messages m ON m.source_id = t.source_id AND m.session_id = t.session_id AND m.message_index = t.message_index
  LEFT JOIN rejections r ON r.source_id = t.source_id AND r.session_id = t.session_id AND r.tool_use_id = t.tool_use_id
  WHERE t.is_copy AND t.source_id IN (FROM scope) AND t.tool_use_id IN (SELECT tool_use_id FROM open_calls)
    AND t.status NOT IN ('pending', 'lost') AND (t.extra->>'stand_in') IS NULL AND (t.extra->>'result_from') IS NULL)
SELECT r.* REPLACE (c.source_id AS source_id, c.session_id AS session_id, json_merge_patch(coalesce(r.extra, '{}'), json_object('result_from', regexp_extract(f.path, '[^/\\]*$'))) AS extra,
    if(c.tool_kind = 'command' AND r.decided_by = 'user' AND r.decision IN ('granted', 'refused'), coalesce(r.command_parts, []), NULL) AS command_parts,
    c.proposed_diff AS proposed_diff, coalesce(r.rejection_type, rejection_type_of(c.tool_kind)) AS rejection_type,
    coalesce(r.decision, c.decision) AS decision, coalesce(r.decided_by, c.decided_by) AS decided_by, coalesce(r.decision_confidence, c.decision_confidence) AS decision_confidence,
    coalesce(r.duration_ms, if(r.finished_at >= c.timestamp, date_diff('millisecond', c.timestamp, r.finished_at), NULL)) AS duration_ms,
    coalesce(r.waited_ms, if(r.status = 'rejected' AND r.decided_by = 'user' AND r.finished_at > c.timestamp + INTERVAL 500 MILLISECOND, date_diff('millisecond', c.timestamp, r.finished_at), NULL)) AS waited_ms),
  r.source_id AS result_source_id, f.machine IS DISTINCT FROM c.machine AS is_far
FROM open_calls c
JOIN results r ON r.agent = c.agent AND r.tool_use_id = c.tool_use_id AND r.source_id <> c.source_id
JOIN sources f ON f.source_id = r.source_id
WHERE NOT c.is_copy AND may_tell(f.machine, c.machine) AND (c.tool_kind <> 'mcp' OR r.evidence IS DISTINCT FROM 'wording') -- a server may have written the words
  AND (r.uuid = c.uuid OR length(r.message_id) >= 20 AND r.message_id = c.message_id OR r.parent_uuid = c.uuid
    OR c.call_session IN (r.origin_session_id, r.parent_session_id) OR length(r.tool_use_id) >= 20 AND c.call_parent = r.parent_session_id);

CREATE OR REPLACE TEMP TABLE changed AS
SELECT g.* FROM (
  SELECT * FROM (FROM tied UNION ALL BY NAME SELECT * EXCLUDE (machine, tool_kind, is_copy, uuid, message_id) FROM open_calls)
  QUALIFY row_number() OVER (PARTITION BY source_id, session_id, tool_use_id ORDER BY is_far, finished_at, result_source_id) = 1) g -- nulls last: the call's own
JOIN tool_calls t USING (source_id, session_id, tool_use_id)
WHERE (g.result_source_id IS NOT NULL OR (t.extra->>'result_from') IS NOT NULL)
  AND (t.extra::VARCHAR, t.output, t.finished_at) IS DISTINCT FROM (g.extra::VARCHAR, g.output, g.finished_at);

-- Later links find all these files by each of them. pending_links keeps them for a link
-- that is cut off after this step.
INSERT INTO related_sources
SELECT unnest([source_id, result_source_id]), unnest([result_source_id, source_id]) FROM tied EXCEPT FROM related_sources;
CREATE OR REPLACE TEMP TABLE touched AS
SELECT source_id FROM changed UNION SELECT unnest([source_id, result_source_id]) FROM tied EXCEPT FROM scope;
INSERT INTO scope FROM touched;
INSERT INTO pending_links FROM touched;
UPDATE rejections t SET is_copy = true FROM tied k WHERE t.source_id = k.result_source_id AND t.tool_use_id = k.tool_use_id AND NOT t.is_copy;
INSERT INTO stale_clears SELECT true WHERE EXISTS (FROM open_calls WHERE tool_kind = 'plan');

-- when: EXISTS (FROM changed)
UPDATE tool_calls t SET status = c.status, exit_code = c.exit_code, duration_ms = c.duration_ms,
  decision = c.decision, decided_by = c.decided_by, decision_scope = c.decision_scope, decision_confidence = c.decision_confidence,
  waited_ms = c.waited_ms,
  command_parts = c.command_parts, output = c.output, error_type = c.error_type,
  is_error = c.is_error, finished_at = c.finished_at, subagent_session_id = c.subagent_session_id, edit_kept = c.edit_kept, answers = c.answers, extra = c.extra
FROM changed c WHERE t.source_id = c.source_id AND t.session_id = c.session_id AND t.tool_use_id = c.tool_use_id;
-- A safe session sees by loaded_at that long texts of the log's rows changed.
UPDATE sources SET loaded_at = now() WHERE source_id IN (SELECT source_id FROM changed);
DELETE FROM rejections t USING changed c WHERE t.source_id = c.source_id AND t.session_id = c.session_id AND t.tool_use_id = c.tool_use_id;
INSERT INTO rejections BY NAME
SELECT c.finished_at AS timestamp, t.agent, t.project, t.tool_name, t.tool_kind, c.rejection_type, c.decided_by, c.reason, t.command, t.file_path, c.proposed_diff,
  t.input AS tool_input, c.denial_kind, false AS cascaded, c.evidence, c.confidence, t.session_id, coalesce(t.result_message_index, t.message_index) AS message_index,
  t.tool_use_id, t.machine, t."user", t.host, false AS is_copy, is_guess(c.evidence, c.confidence) AS is_inferred, t.source_id,
  (SELECT arg_min(coalesce(m.typed_text, m.text), m.message_index) FROM messages m
    WHERE m.source_id = t.source_id AND m.session_id = t.session_id AND m.timestamp >= c.finished_at AND m.typed_by = 'human' AND NOT m.is_sidechain) AS next_prompt
FROM changed c JOIN tool_calls t USING (source_id, session_id, tool_use_id)
WHERE c.evidence IS NOT NULL;
