-- needs: 3-copies
-- when: EXISTS (FROM sessions WHERE is_copy) OR EXISTS (FROM displaced)
-- A session is a copy if another machine has it, too, and all of its rows here are
-- copies.
CREATE OR REPLACE TEMP TABLE whole_copies AS
FROM displaced WHERE source_id IN (FROM scope);
DELETE FROM whole_copies t USING messages m WHERE NOT m.is_copy AND m.source_id = t.source_id AND m.session_id = t.session_id;
DELETE FROM whole_copies t USING tool_calls m WHERE NOT m.is_copy AND m.source_id = t.source_id AND m.session_id = t.session_id;
DELETE FROM whole_copies t USING rejections m WHERE NOT m.is_copy AND m.source_id = t.source_id AND m.session_id = t.session_id;
DELETE FROM whole_copies t USING interruptions m WHERE NOT m.is_copy AND m.source_id = t.source_id AND m.session_id = t.session_id;
DELETE FROM whole_copies t USING compactions m WHERE NOT m.is_copy AND m.source_id = t.source_id AND m.session_id = t.session_id;
UPDATE sessions SET is_copy = false WHERE is_copy AND source_id IN (FROM scope);
UPDATE sessions t SET is_copy = true FROM whole_copies c WHERE t.source_id = c.source_id AND t.session_id = c.session_id;
