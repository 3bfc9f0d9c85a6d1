-- One session id in two files: a project folder that was moved, or copied, or
-- lies on two machines. The file that is there, then the first by path and
-- host, keeps the id; the others' rows
-- get one of their own, so that (agent, session_id) stays unique. A file gets
-- its id back when it is the first in turn.
CREATE OR REPLACE TEMP TABLE renamed AS
WITH ids AS (
  SELECT s.agent, source_id, session_id, '@' || format('{:x}', source_id) AS suffix, f.gone_at IS NOT NULL AS gone, f.path, f.host, f.part,
    CASE WHEN ends_with(session_id, suffix) THEN left(session_id, -length(suffix)) ELSE session_id END AS own_id
  FROM sessions s JOIN sources f USING (source_id)),
turns AS (SELECT *, row_number() OVER (PARTITION BY agent, own_id ORDER BY gone, path, host, part) AS turn FROM ids)
SELECT source_id, session_id, own_id, CASE turn WHEN 1 THEN own_id ELSE own_id || suffix END AS new_id
FROM turns WHERE new_id <> session_id;

UPDATE sessions t SET session_id = r.new_id,
  native_id = CASE r.new_id WHEN r.own_id THEN nullif(t.native_id, r.own_id) ELSE coalesce(t.native_id, r.own_id) END
FROM renamed r WHERE t.source_id = r.source_id AND t.session_id = r.session_id;
UPDATE messages t SET session_id = r.new_id FROM renamed r WHERE t.source_id = r.source_id AND t.session_id = r.session_id;
UPDATE tool_calls t SET session_id = r.new_id FROM renamed r WHERE t.source_id = r.source_id AND t.session_id = r.session_id;
UPDATE rejections t SET session_id = r.new_id FROM renamed r WHERE t.source_id = r.source_id AND t.session_id = r.session_id;
UPDATE interruptions t SET session_id = r.new_id FROM renamed r WHERE t.source_id = r.source_id AND t.session_id = r.session_id;
UPDATE compactions t SET session_id = r.new_id FROM renamed r WHERE t.source_id = r.source_id AND t.session_id = r.session_id;
INSERT INTO pending_links SELECT source_id FROM renamed;

-- The files of one session. The step that finds them is left out where there
-- can be none.
CREATE OR REPLACE TEMP TABLE parts (source_id BIGINT, base BIGINT);
