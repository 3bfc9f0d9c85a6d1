-- reads clear_marks, displaced, fork_marks, messages, own_keys, parts, pending_links, related_sources, sessions, sources, tool_calls; writes compactions, interruptions, messages, own_keys, pending_links, rejections, related_sources, scope, sessions, stale_clears, tool_calls; when files are pending, to make scope; the rest when a message may stand in two files of the scope, or a session there was forked, continued or started by another
-- needs: 2-keys, 3-copied-files
-- A message may stand in several sessions: resumes and forks copy a session's
-- beginning, helpers replay it. All but the oldest session's messages are copies. Equal
-- messages have the same line uuid and the same API id, or the same text if the API id
-- is missing; or the same API id alone, because some resumes renew the uuids. A short
-- API id is a gateway's counter, not an identity. The uuid alone decides between
-- machines, because texts may be redacted, and between files of one session, because a
-- file may be older. A result is a copy if its call is.
--
-- scope holds the pending files, all files that share messages with them or did before,
-- and so on: no message has a copy outside of the scope.
CREATE OR REPLACE TEMP TABLE scope AS
WITH RECURSIVE closed AS (FROM pending_links UNION SELECT other_source_id FROM closed JOIN related_sources USING (source_id))
FROM closed;

-- repeated holds the numbers of the scope's keys, see 2-keys, that stand there more than
-- once. A number may do so by chance. A quarter of the numbers at a time takes a quarter
-- of the memory, 60 MB instead of 250 for three million messages.
CREATE OR REPLACE TEMP TABLE beside AS
FROM scope EXCEPT FROM pending_links;
INSERT INTO own_keys
SELECT (hash(agent, uuid) >> 33)::INTEGER, (source_id & 1048575)::INTEGER FROM messages WHERE uuid IS NOT NULL AND source_id IN (FROM beside)
UNION ALL
SELECT (hash(agent, message_id) >> 33)::INTEGER, (source_id & 1048575)::INTEGER FROM messages WHERE length(message_id) >= 20 AND source_id IN (FROM beside);
CREATE OR REPLACE TEMP TABLE repeated AS
SELECT id_hash FROM own_keys WHERE id_hash & 3 = 0 GROUP BY id_hash HAVING count(*) > 1;
INSERT INTO repeated SELECT id_hash FROM own_keys WHERE id_hash & 3 = 1 GROUP BY id_hash HAVING count(*) > 1;
INSERT INTO repeated SELECT id_hash FROM own_keys WHERE id_hash & 3 = 2 GROUP BY id_hash HAVING count(*) > 1;
INSERT INTO repeated SELECT id_hash FROM own_keys WHERE id_hash & 3 = 3 GROUP BY id_hash HAVING count(*) > 1;

-- pending_links keeps the scope for a link that is cut off after this step, which changes
-- the relations.
INSERT INTO pending_links FROM scope WHERE source_id NOT IN (FROM pending_links);

-- when: EXISTS (FROM related_sources WHERE source_id IN (FROM scope)) OR EXISTS (FROM repeated) OR EXISTS (FROM fork_marks WHERE source_id IN (FROM scope)) OR EXISTS (FROM parts WHERE source_id IN (FROM scope)) OR EXISTS (FROM displaced WHERE source_id IN (FROM scope)) OR EXISTS (FROM sessions WHERE kind <> 'main' AND parent_session_id IS NOT NULL AND source_id IN (FROM scope))
CREATE OR REPLACE TEMP TABLE shared AS
SELECT agent, uuid AS key, true AS by_line, source_id, session_id, message_index, machine, if(origin_session_id IS NULL, NULL, hash(origin_session_id)) AS origin, timestamp,
  hash(coalesce(message_id, if(kind = 'tool_result', NULL, text))) AS says, NULL AS tokens, NULL AS is_sure
FROM messages SEMI JOIN repeated ON (hash(agent, uuid) >> 33)::INTEGER = id_hash
WHERE source_id IN (FROM scope) AND uuid IS NOT NULL
UNION ALL
SELECT agent, message_id, false, source_id, session_id, message_index, machine, if(origin_session_id IS NULL, NULL, hash(origin_session_id)), timestamp,
  NULL, coalesce(recorded_output_tokens, output_tokens), recorded_output_tokens IS NULL AND tokens_reliable
FROM messages SEMI JOIN repeated ON (hash(agent, message_id) >> 33)::INTEGER = id_hash
WHERE source_id IN (FROM scope) AND length(message_id) >= 20;

-- apart lists uuids with different contents in several sessions of a machine.
CREATE OR REPLACE TEMP TABLE apart AS
WITH mixed AS (SELECT agent, key FROM shared WHERE by_line GROUP BY agent, key HAVING min(says) <> max(says))
SELECT agent, key, true AS by_line, list(DISTINCT source_id) AS files FROM shared SEMI JOIN mixed USING (agent, key) WHERE by_line GROUP BY agent, key
HAVING min(coalesce(machine, '')) = max(coalesce(machine, '')) AND min(split_part(session_id, '@', 1)) <> max(split_part(session_id, '@', 1));

-- The first in the following order is the original:
--  1. this machine's line;
--  2. the line in the file that keeps the session's id, see step 1-session-ids; of other
--     machines' files, the one with the most messages, so that messages after the end of
--     this machine's state belong to one session;
--  3. a main session's line, then a subagent's, then a helper's;
--  4. the line of the session that another session's line names as its origin;
--  5. a line that names no other session as its origin;
--  6. the older line;
--  7. the line of a session in which no call has a stand-in for a result that another
--     session has: a copy closes the calls that were open when it was made;
--  8. the line of a session that doesn't go on in the background, and of the session that
--     began first, or else ended first. The last terms only break ties, the same way on
--     every load.
-- turns has the part of the order that is the session's. A session in several files has
-- one row. Rows are sorted by numbers, because ids of sessions took a third of the memory.
CREATE OR REPLACE TEMP TABLE turns AS
WITH closed AS (
  SELECT DISTINCT t.agent, t.session_id
  FROM tool_calls t JOIN tool_calls o ON o.agent = t.agent AND o.tool_use_id = t.tool_use_id AND o.session_id <> t.session_id
  WHERE t.source_id IN (FROM scope) AND contains(t.extra, '"stand_in"') AND o.source_id IN (FROM scope)
    AND o.result_message_index IS NOT NULL AND (o.extra->'stand_in') IS NULL)
SELECT agent, session_id, CASE kind WHEN 'main' THEN 0 WHEN 'subagent' THEN 1 ELSE 2 END AS rank,
  row_number() OVER (ORDER BY c.session_id IS NOT NULL, extra->>'session_kind' IS NOT DISTINCT FROM 'bg', started_at NULLS LAST, ended_at NULLS LAST, session_id) AS turn
FROM (FROM sessions SEMI JOIN shared USING (agent, session_id)) LEFT JOIN closed c USING (agent, session_id);

CREATE OR REPLACE TEMP TABLE copies AS
WITH named AS (SELECT DISTINCT agent, key, origin FROM shared WHERE origin IS NOT NULL),
ordered AS (
  SELECT k.source_id, s.turn, k.message_index, first_value(s.turn) OVER w AS first, row_number() OVER w AS place
  FROM shared k
  JOIN turns s USING (agent, session_id)
  LEFT JOIN named n ON n.agent = k.agent AND n.key = k.key AND n.origin = hash(k.session_id)
  LEFT JOIN apart a ON a.by_line = k.by_line AND a.agent = k.agent AND a.key = k.key
  LEFT JOIN displaced d ON d.agent = k.agent AND d.source_id = k.source_id AND d.session_id = k.session_id
  LEFT JOIN sources f ON f.source_id = d.source_id
  WINDOW w AS (PARTITION BY k.agent, k.key, if(a.key IS NULL, NULL, k.says) ORDER BY NOT is_own(k.machine), d.session_id IS NOT NULL, f.messages DESC,
    s.rank, n.key IS NULL, k.origin IS NOT NULL, k.timestamp NULLS LAST, s.turn, k.message_index))
SELECT t.agent, o.source_id, t.session_id, o.message_index, min(f.session_id) AS owner
FROM ordered o JOIN turns t USING (turn) JOIN turns f ON f.turn = o.first
WHERE place > 1 GROUP BY ALL;

-- Lines without a key, in another file of the same session.
INSERT INTO copies
SELECT DISTINCT m.agent, m.source_id, m.session_id, m.message_index, d.owner
FROM displaced d JOIN messages m USING (agent, source_id, session_id)
SEMI JOIN messages o ON o.agent = m.agent AND o.session_id = d.owner AND o.kind = m.kind AND o.text IS NOT DISTINCT FROM m.text
  AND o.timestamp IS NOT DISTINCT FROM m.timestamp AND (m.timestamp IS NOT NULL OR o.message_index = m.message_index)
ANTI JOIN copies c ON c.source_id = m.source_id AND c.session_id = m.session_id AND c.message_index = m.message_index
WHERE m.source_id IN (FROM scope) AND m.uuid IS NULL AND coalesce(length(m.message_id), 0) < 20;

-- In files with a uuid in apart, a result message is a copy only if one of its calls
-- is.
DELETE FROM copies c USING (
  SELECT t.agent, t.source_id, t.session_id, t.result_message_index
  FROM tool_calls t LEFT JOIN copies d USING (agent, source_id, session_id, message_index)
  WHERE t.result_message_index IS NOT NULL AND t.source_id IN (SELECT unnest(files) FROM apart)
  GROUP BY ALL HAVING count(d.owner) = 0) r
WHERE c.agent = r.agent AND c.source_id = r.source_id AND c.session_id = r.session_id AND c.message_index = r.result_message_index AND c.owner <> c.session_id;

-- If uuids were renewed, a line without an API id is a copy if it stands before the
-- last copied message and the owner has a line with the same content.
CREATE OR REPLACE TEMP TABLE candidates AS
SELECT m.*, p.owner
FROM (
  SELECT agent, source_id, session_id, owner, max(message_index) AS last
  FROM copies WHERE owner <> session_id GROUP BY ALL) p
JOIN (SELECT agent, source_id, session_id, message_index, role, kind, text, timestamp FROM messages WHERE message_id IS NULL) m
  USING (agent, source_id, session_id)
ANTI JOIN copies c USING (agent, source_id, session_id, message_index)
WHERE m.message_index < p.last;

INSERT INTO copies
SELECT DISTINCT m.agent, m.source_id, m.session_id, m.message_index, m.owner
FROM candidates m
SEMI JOIN (SELECT agent, session_id, kind, role, text, if(text IS NULL, timestamp, NULL) AS moment FROM messages WHERE message_id IS NULL) o
  ON o.agent = m.agent AND o.session_id = m.owner AND o.kind = m.kind AND o.role = m.role
  AND o.text IS NOT DISTINCT FROM m.text AND o.moment IS NOT DISTINCT FROM if(m.text IS NULL, m.timestamp, NULL)
WHERE m.text IS NOT NULL OR m.timestamp IS NOT NULL;

-- Messages that a subagent inherits are copies from its parent's session, even if the
-- parent's log is gone.
INSERT INTO copies
SELECT m.agent, m.source_id, m.session_id, m.message_index, m.origin_session_id
FROM (SELECT agent, source_id, session_id, message_index, origin_session_id FROM messages
  WHERE origin_session_id IS NOT NULL AND NOT is_sidechain AND source_id IN (FROM scope)) m
SEMI JOIN (SELECT source_id, session_id FROM sessions WHERE kind <> 'main') s USING (source_id, session_id)
ANTI JOIN copies c USING (agent, source_id, session_id, message_index);

-- The result of a copied call is a copy, too.
INSERT INTO copies
SELECT DISTINCT t.agent, t.source_id, t.session_id, t.result_message_index, c.owner
FROM tool_calls t
JOIN copies c USING (agent, source_id, session_id, message_index)
JOIN tool_calls o ON o.agent = t.agent AND o.session_id = c.owner AND o.tool_use_id = t.tool_use_id
  AND o.result_message_index IS NOT NULL
ANTI JOIN copies d ON d.agent = t.agent AND d.source_id = t.source_id AND d.session_id = t.session_id AND d.message_index = t.result_message_index
WHERE t.result_message_index IS NOT NULL AND c.owner <> t.session_id;

DELETE FROM related_sources WHERE source_id IN (FROM scope) OR other_source_id IN (FROM scope);
-- Many keys have the same set of files, so pairs are made once for each set. Pairs of
-- messages would be too many, because a damaged log may give thousands of messages the
-- same key.
INSERT INTO related_sources
WITH holders AS (SELECT DISTINCT agent, key, source_id FROM shared),
groups AS (SELECT DISTINCT list(source_id ORDER BY source_id) AS files FROM holders GROUP BY agent, key HAVING count(*) > 1),
pairs AS (SELECT source_id, unnest(files) AS other_source_id FROM (SELECT unnest(files) AS source_id, files FROM groups))
SELECT source_id, other_source_id FROM pairs WHERE source_id <> other_source_id
UNION
SELECT a.source_id, b.source_id FROM parts a JOIN parts b USING (base)
WHERE a.source_id <> b.source_id AND a.source_id IN (FROM scope) AND b.source_id IN (FROM scope)
UNION
SELECT unnest([source_id, owner_source_id]), unnest([owner_source_id, source_id]) FROM displaced WHERE source_id IN (FROM scope);

UPDATE {rows} t SET is_copy = false WHERE is_copy AND source_id IN (FROM scope);
UPDATE {rows with an index} t SET is_copy = true FROM copies c WHERE t.agent = c.agent AND t.source_id = c.source_id AND t.session_id = c.session_id AND t.message_index = c.message_index;
UPDATE compactions t SET is_copy = true FROM copies c
WHERE t.agent = c.agent AND t.source_id = c.source_id AND t.session_id = c.session_id AND t.after_message_index + 1 = c.message_index;

-- A main session that begins with copies of another session's messages was forked, or
-- resumed under a new id. A fork mark in the log overrides the computed owner. No session
-- is forked from its own fork.
UPDATE sessions SET forked_from = NULL WHERE forked_from IS NOT NULL AND source_id IN (FROM scope);
UPDATE sessions t SET forked_from = f.owner
FROM (
  SELECT agent, source_id, session_id, arg_max(owner, (n, owner)) AS owner
  FROM (SELECT agent, source_id, session_id, owner, count(*) AS n FROM copies ANTI JOIN displaced USING (source_id, session_id, owner) WHERE owner <> session_id GROUP BY ALL)
  GROUP BY ALL) f
WHERE t.agent = f.agent AND t.source_id = f.source_id AND t.session_id = f.session_id AND t.kind = 'main';
UPDATE sessions t SET forked_from = f.forked_from FROM fork_marks f
WHERE t.agent = f.agent AND t.source_id = f.source_id AND (t.session_id = f.session_id OR starts_with(t.session_id, f.session_id || '@'))
  AND t.source_id IN (FROM scope);
UPDATE sessions t SET forked_from = NULL
FROM (
  SELECT a.source_id, a.session_id FROM sessions a JOIN sessions b ON b.agent = a.agent AND b.session_id = a.forked_from AND b.forked_from = a.session_id
  JOIN turns x ON x.agent = a.agent AND x.session_id = a.session_id JOIN turns y ON y.agent = b.agent AND y.session_id = b.session_id
  WHERE a.source_id NOT IN (SELECT source_id FROM fork_marks) AND (b.source_id IN (SELECT source_id FROM fork_marks) OR x.turn < y.turn)) c
WHERE t.source_id = c.source_id AND t.session_id = c.session_id AND t.source_id IN (FROM scope);

-- If a trace of a clear was copied, a different trace may now be the oldest.
INSERT INTO stale_clears
SELECT true WHERE EXISTS (FROM clear_marks c JOIN clear_marks o USING (agent, uuid) WHERE c.source_id <> o.source_id AND c.source_id IN (FROM scope));

-- A message's own log may have only the output tokens counted at the start of the
-- stream, while a replay has a larger count, most often the final count. The message
-- gets the larger count. recorded_output_tokens keeps the recorded count, so that the
-- next run can start from it.
UPDATE messages SET output_tokens = recorded_output_tokens, tokens_reliable = false, recorded_output_tokens = NULL
WHERE recorded_output_tokens IS NOT NULL AND source_id IN (FROM scope);

CREATE OR REPLACE TEMP TABLE fuller AS
SELECT agent, machine, key AS message_id, max(tokens) AS tokens, arg_max(is_sure, (tokens, is_sure)) AS reliable
FROM shared WHERE tokens IS NOT NULL GROUP BY ALL HAVING min(tokens) < max(tokens) AND NOT bool_and(is_sure);

UPDATE messages t SET recorded_output_tokens = t.output_tokens, output_tokens = f.tokens, tokens_reliable = f.reliable
FROM fuller f
WHERE t.agent = f.agent AND t.machine IS NOT DISTINCT FROM f.machine AND t.message_id = f.message_id AND t.source_id IN (FROM scope)
  AND NOT t.is_copy AND NOT t.tokens_reliable AND t.output_tokens < f.tokens;
