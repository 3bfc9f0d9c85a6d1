-- The sessions that {id} may mean, and how well it fits each: only those of the least rank are meant. It is an id, the
-- agent's own one, or the beginning of one: of main sessions first. Behind a slash it is the beginning of a subagent's own
-- part, and what stands before the beginning of the id of a session above it.
SELECT s.agent, s.session_id, s.project, s.kind, s.about, s.started_at, s.ended_at, s.forked_from, s.parent_session_id,
  CASE WHEN s.session_id = {id} THEN 0 WHEN s.native_id = {id} THEN 1
    WHEN starts_with(s.session_id, {id}) AND s.kind = 'main' THEN 2 WHEN starts_with(s.session_id, {id}) THEN 3 ELSE 4 END AS rank
FROM {schema}.sessions s
LEFT JOIN {schema}.sessions above ON above.agent = s.agent AND above.session_id = s.parent_session_id
WHERE starts_with(s.session_id, {id}) OR s.native_id = {id}
  OR (starts_with(regexp_replace(s.session_id, '^.*/', ''), regexp_extract({id}, '/([^/]+)$', 1))
      -- Letters that all of them begin with, such as agent-, may be left out.
      OR starts_with(regexp_replace(regexp_replace(s.session_id, '^.*/', ''), '^([A-Za-z]+[-_])+', ''), regexp_extract({id}, '/([^/]+)$', 1)))
    AND regexp_matches({id}, '[^/]/[^/]+$')
    AND (starts_with(s.parent_session_id, regexp_extract({id}, '^(.*)/', 1))
      OR starts_with(above.parent_session_id, regexp_extract({id}, '^(.*)/', 1)))
