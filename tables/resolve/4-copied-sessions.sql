-- reads displaced, messages, scope, sessions, tool_calls; writes compactions, interruptions, messages, rejections, sessions, tool_calls; when another file has the same session, or had
-- needs: 3-copies
-- when: EXISTS (FROM sessions WHERE is_copy) OR EXISTS (FROM displaced)
-- A session is a copy, with all of its rows, if another file keeps its id, and it has no
-- call and no conversation of its own. Two files without any conversation are equal if
-- their times are.
CREATE OR REPLACE TEMP TABLE whole_copies AS
FROM displaced WHERE source_id IN (FROM scope);
DELETE FROM whole_copies t USING messages m WHERE NOT m.is_copy AND is_said(m.kind) AND m.source_id = t.source_id AND m.session_id = t.session_id;
DELETE FROM whole_copies t USING tool_calls m WHERE NOT m.is_copy AND m.source_id = t.source_id AND m.session_id = t.session_id;
DELETE FROM whole_copies t USING sessions s JOIN sessions o ON o.agent = s.agent
WHERE t.source_id = s.source_id AND t.session_id = s.session_id AND o.source_id = t.owner_source_id AND o.session_id = t.owner
  AND (s.started_at, s.ended_at) IS DISTINCT FROM (o.started_at, o.ended_at)
  AND NOT EXISTS (FROM messages m WHERE is_said(m.kind) AND m.source_id = o.source_id AND m.session_id = o.session_id);
UPDATE sessions SET is_copy = false WHERE is_copy AND source_id IN (FROM scope);
UPDATE sessions t SET is_copy = true FROM whole_copies c WHERE t.source_id = c.source_id AND t.session_id = c.session_id;
UPDATE {rows} t SET is_copy = true FROM whole_copies c WHERE t.source_id = c.source_id AND t.session_id = c.session_id AND NOT t.is_copy;
