-- reads former_sessions, messages, pending_links, sessions, sources; writes compactions, former_sessions, interruptions, messages, pending_links, rejections, sessions, tool_calls; when a session of a pending file has the id of another, or a session has a suffixed id
-- when: EXISTS (FROM sessions WHERE native_id IS NOT NULL AND contains(session_id, '@')) OR (SELECT count(*) > count(DISTINCT session_id) FROM sessions WHERE session_id IN (SELECT session_id FROM sessions WHERE source_id IN (FROM pending_links)))
-- Files may have the same session id: a file or folder was moved, copied or filed anew,
-- or it lies on two machines. One file keeps the id: this machine's file first, then the
-- file of the machine with the longest conversation, then the oldest machine's. Of a
-- machine's files, the one with the longest conversation comes first, then an existing
-- file, then the older. The path decides between equal files only. The other files'
-- sessions get the suffix @ and their source id, to keep (agent, session_id) unique. A
-- file gets its plain id back when it becomes the first.
CREATE OR REPLACE TEMP MACRO own_id(id, source_id) AS
  CASE WHEN contains(id, '@') AND ends_with(id, '@' || format('{:x}', source_id)) THEN left(id, -length(format('{:x}', source_id)) - 1) ELSE id END;

-- renamed lists the sessions whose id must change. Checked are sessions with an id that
-- the pending files have now or had before.
CREATE OR REPLACE TEMP TABLE renamed AS
WITH touched AS (
  SELECT agent, own_id(session_id, source_id) AS own_id FROM sessions WHERE source_id IN (FROM pending_links)
  UNION SELECT agent, own_id(session_id, source_id) FROM former_sessions),
files AS (
  SELECT agent, source_id, session_id, own_id(session_id, source_id) AS own_id FROM sessions
  SEMI JOIN touched ON touched.agent = sessions.agent AND touched.own_id = own_id(sessions.session_id, sessions.source_id)),
said AS (
  SELECT source_id, session_id, count(*) AS said FROM messages
  WHERE is_said(kind) AND source_id IN (SELECT source_id FROM files QUALIFY count(*) OVER (PARTITION BY agent, own_id) > 1)
  GROUP BY ALL),
turns AS (
  SELECT source_id, session_id, own_id, row_number() OVER (PARTITION BY agent, own_id
    ORDER BY NOT is_own(machine), longest DESC, machine, said DESC, gone, modified_at, path, part) AS turn
  FROM (
    SELECT s.* REPLACE (coalesce(said, 0) AS said), f.machine, f.gone_at IS NOT NULL AS gone, f.modified_at, f.path, f.part,
      if(is_own(f.machine), 0, max(coalesce(said, 0)) OVER (PARTITION BY s.agent, own_id, f.machine)) AS longest
    FROM (FROM files LEFT JOIN said USING (source_id, session_id)) s JOIN sources f USING (source_id)))
SELECT source_id, session_id, own_id, CASE turn WHEN 1 THEN own_id ELSE own_id || '@' || format('{:x}', source_id) END AS new_id
FROM turns WHERE new_id <> session_id;

-- when: EXISTS (FROM renamed)
INSERT INTO former_sessions FROM sessions SEMI JOIN renamed USING (source_id, session_id);
UPDATE sessions t SET session_id = r.new_id,
  native_id = CASE r.new_id WHEN r.own_id THEN nullif(t.native_id, r.own_id) ELSE coalesce(t.native_id, r.own_id) END
FROM renamed r WHERE t.source_id = r.source_id AND t.session_id = r.session_id;
UPDATE {rows} t SET session_id = r.new_id FROM renamed r WHERE t.source_id = r.source_id AND t.session_id = r.session_id;
INSERT INTO pending_links SELECT source_id FROM renamed;
