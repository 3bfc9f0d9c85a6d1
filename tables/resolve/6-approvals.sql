-- reads approvals, interruptions, messages, own_names, pending_links, rejections, scope, sources, tool_calls; writes interruptions, rejections, scope, tool_calls; when a file with answers is pending, or a log with the calls
-- needs: 3-copies
-- when: EXISTS (FROM approvals WHERE source_id IN (FROM pending_links)) OR EXISTS (FROM approvals a JOIN own_names o ON o.agent = a.agent AND o.approval_key = a.key WHERE o.source_id IN (FROM pending_links))
-- An agent may keep its questions about calls, and the answers, in a file of their own. An
-- answer names the session, by the agent's own key, and the call. It counts more than what
-- the session's log tells of the decision, because it is a record and the log may have only
-- a sentence. The file speaks of the logs of its machine that lie in the folder above its
-- own folder, and below. A later part of the log may go on under the same key, with calls
-- numbered anew: the question is about the last call with the number before it. Of several
-- questions about a call, the last counts.
CREATE OR REPLACE TEMP TABLE answered AS
WITH touched AS (
  SELECT agent, key FROM approvals WHERE source_id IN (FROM pending_links)
  UNION SELECT agent, approval_key FROM own_names WHERE approval_key IS NOT NULL AND source_id IN (FROM pending_links)),
keyed AS (
  SELECT o.agent, o.source_id, o.approval_key AS key, f.machine, f.path
  FROM own_names o SEMI JOIN touched u ON u.agent = o.agent AND u.key = o.approval_key JOIN sources f USING (source_id)),
asked AS (
  SELECT a.*, f.machine, regexp_extract(f.path, '^(.*[/\\])[^/\\]+[/\\][^/\\]+$', 1) AS folder
  FROM approvals a SEMI JOIN touched USING (agent, key) JOIN sources f USING (source_id) WHERE a.decision IS NOT NULL),
made AS (
  SELECT source_id, session_id, tool_use_id, message_index, timestamp FROM tool_calls WHERE source_id IN (SELECT source_id FROM keyed)),
calls AS (
  SELECT a.* EXCLUDE (source_id, machine, folder, key, tool_use_id), a.source_id AS told_by,
    t.source_id, t.session_id, t.tool_use_id, t.message_index
  FROM asked a
  JOIN keyed k ON k.agent = a.agent AND k.key = a.key AND k.machine IS NOT DISTINCT FROM a.machine AND starts_with(k.path, a.folder)
  JOIN made t ON t.source_id = k.source_id AND (t.tool_use_id = a.tool_use_id OR starts_with(t.tool_use_id, a.tool_use_id || '@'))
    AND (t.timestamp <= a.asked_at + INTERVAL 2 SECOND OR t.timestamp IS NULL)
  QUALIFY row_number() OVER (PARTITION BY a.source_id, a.tool_use_id, a.asked_at, t.source_id, t.session_id ORDER BY t.timestamp DESC, t.message_index DESC) = 1)
FROM calls QUALIFY row_number() OVER (PARTITION BY source_id, session_id, tool_use_id ORDER BY asked_at DESC, told_by DESC) = 1;

-- when: EXISTS (FROM answered)
INSERT INTO scope
SELECT DISTINCT source_id FROM answered WHERE source_id NOT IN (FROM scope);

-- A granted call was not refused, whatever a sentence in its result says.
DELETE FROM rejections r USING answered a
WHERE r.source_id = a.source_id AND r.session_id = a.session_id AND r.tool_use_id = a.tool_use_id AND a.decision = 'granted' AND r.evidence = 'wording';

UPDATE tool_calls t SET
  decision = a.decision, decided_by = a.decided_by, decision_scope = a.decision_scope, decision_confidence = a.decision_confidence,
  waited_ms = a.waited_ms, command_parts = a.command_parts,
  status = CASE
    WHEN a.status IS NOT NULL AND t.status <> 'ok' THEN a.status
    WHEN a.stopped_by IS NOT NULL AND t.status <> 'ok' THEN 'interrupted'
    WHEN a.decision = 'granted' AND t.status IN ('rejected', 'denied') THEN 'error'
    ELSE t.status END,
  error_type = CASE
    WHEN (a.status IS NOT NULL OR a.stopped_by IS NOT NULL) AND t.status <> 'ok' THEN NULL
    WHEN a.decision = 'granted' AND t.status IN ('rejected', 'denied') THEN 'other'
    ELSE t.error_type END
FROM answered a
WHERE t.source_id = a.source_id AND t.session_id = a.session_id AND t.tool_use_id = a.tool_use_id;

-- when: EXISTS (FROM answered WHERE status IS NOT NULL OR stopped_by IS NOT NULL)
UPDATE rejections r SET decided_by = a.decided_by, denial_kind = coalesce(r.denial_kind, a.denial_kind), evidence = 'recorded', confidence = 1, is_inferred = false
FROM answered a
WHERE r.source_id = a.source_id AND r.session_id = a.session_id AND r.tool_use_id = a.tool_use_id AND a.status IS NOT NULL AND NOT r.cascaded;

INSERT INTO rejections BY NAME
SELECT a.answered_at AS timestamp, t.agent, t.project, t.tool_name, t.tool_kind,
  rejection_type_of(t.tool_kind) AS rejection_type, a.decided_by, t.command, t.file_path, t.input AS tool_input, a.denial_kind, false AS cascaded, 'recorded' AS evidence, 1 AS confidence,
  t.session_id, coalesce(t.result_message_index, t.message_index) AS message_index, t.tool_use_id, t.machine, t."user", t.host,
  t.is_copy, false AS is_inferred, t.source_id,
  (SELECT arg_min(coalesce(m.typed_text, m.text), m.message_index) FROM messages m
    WHERE m.source_id = t.source_id AND m.session_id = t.session_id AND m.message_index > coalesce(t.result_message_index, t.message_index) AND m.kind IN ('prompt', 'command')) AS next_prompt
FROM answered a JOIN tool_calls t USING (source_id, session_id, tool_use_id)
ANTI JOIN rejections r ON r.source_id = a.source_id AND r.session_id = a.session_id AND r.tool_use_id = a.tool_use_id
WHERE a.status IS NOT NULL AND t.status = a.status;

-- A stop at the question is one stop: the log's own, if it has one.
UPDATE interruptions i SET phase = 'approval' FROM answered a
WHERE i.source_id = a.source_id AND i.session_id = a.session_id AND a.stopped_by = i.type
  AND (i.tool_use_id = a.tool_use_id OR i.tool_use_id IS NULL AND i.interrupted_message_index = a.message_index);

INSERT INTO interruptions BY NAME
SELECT a.answered_at AS timestamp, t.agent, t.project, a.stopped_by AS type, 'approval' AS phase, t.tool_name, a.denial_kind AS marker,
  false AS paired_rejection, 'recorded' AS evidence, 1 AS confidence, t.session_id, t.message_index, t.message_index AS interrupted_message_index,
  (SELECT max(m.message_index) FROM messages m
    WHERE m.source_id = t.source_id AND m.session_id = t.session_id AND m.message_index < t.message_index AND m.kind = 'prompt') AS prompt_index,
  t.tool_use_id, t.machine, t."user", t.host, t.is_copy, false AS is_inferred, t.source_id
FROM answered a JOIN tool_calls t USING (source_id, session_id, tool_use_id)
ANTI JOIN interruptions i ON i.source_id = a.source_id AND i.session_id = a.session_id
  AND (i.tool_use_id = a.tool_use_id OR i.tool_use_id IS NULL AND i.interrupted_message_index = a.message_index)
WHERE a.stopped_by IS NOT NULL AND t.status = 'interrupted';
