-- reads clear_marks, former_sessions, own_names, pending_links, project_notes, session_notes, sessions, sources; writes clear_marks, compactions, former_sessions, interruptions, messages, own_names, pending_links, prompts, rejections, sessions, tool_calls; when some file lists titles or projects for other files, or did at the last link
-- when: EXISTS (FROM session_notes) OR EXISTS (FROM project_notes) OR EXISTS (FROM own_names WHERE title_from IS NOT NULL OR project_from IS NOT NULL)
-- Some files are shared by many sessions: an index of titles, a list of projects. A
-- shared file applies to the logs in its folder and below, on its machine, and
-- overrides a log's own title or project. This step handles touched logs and touched
-- shared files, and writes only changed values, so no log is read again.
CREATE OR REPLACE TEMP TABLE shared_files AS
SELECT source_id, agent, machine, gone_at IS NOT NULL AS gone, left(path, -length(regexp_extract(path, '[^/\\]*$'))) AS folder
FROM sources SEMI JOIN (SELECT source_id FROM session_notes UNION SELECT source_id FROM project_notes) USING (source_id);

CREATE OR REPLACE TEMP TABLE touched AS
WITH title_notes AS (SELECT agent, session_id FROM session_notes WHERE source_id IN (FROM pending_links)),
key_notes AS (SELECT agent, key FROM project_notes WHERE source_id IN (FROM pending_links)),
keyed AS (SELECT agent, source_id, unnest(project_keys) AS key FROM own_names WHERE project_keys IS NOT NULL),
places AS (
  SELECT source_id, session_id FROM own_names WHERE source_id IN (FROM pending_links) OR title_from IN (FROM pending_links) OR project_from IN (FROM pending_links)
  UNION SELECT source_id, session_id FROM own_names SEMI JOIN title_notes USING (agent, session_id)
  UNION SELECT source_id, session_id FROM own_names WHERE source_id IN (SELECT source_id FROM keyed SEMI JOIN key_notes USING (agent, key)))
SELECT o.agent, o.source_id, o.session_id, o.title, o.about, o.project, o.project_keys, f.path, f.machine, f.gone_at IS NOT NULL AS gone,
  -- The id as step 1-session-ids may have changed it.
  CASE WHEN s.session_id IS NULL THEN o.session_id ELSE s.session_id END AS current_id
FROM own_names o
JOIN places p ON p.source_id = o.source_id AND p.session_id IS NOT DISTINCT FROM o.session_id
JOIN sources f ON f.source_id = o.source_id
LEFT JOIN sessions s ON s.source_id = o.source_id AND s.session_id IN (o.session_id, o.session_id || '@' || format('{:x}', o.source_id));

-- when: EXISTS (FROM touched)
-- Of several shared files, the nearest counts. A session whose log is gone keeps its
-- title even if the shared file changed or is gone since.
CREATE OR REPLACE TEMP TABLE titled AS
SELECT t.source_id, t.session_id, t.current_id, coalesce(n.title, t.title) AS title, if(n.title IS NULL, t.about, n.about) AS about, n.source_id AS title_from
FROM touched t
LEFT JOIN (
  SELECT t.source_id AS log_id, t.session_id, n.title, n.about, n.source_id
  FROM touched t
  JOIN session_notes n USING (agent, session_id)
  JOIN shared_files f ON f.source_id = n.source_id AND f.machine IS NOT DISTINCT FROM t.machine AND starts_with(t.path, f.folder)
  WHERE n.title IS NOT NULL AND (t.gone OR NOT f.gone)
  QUALIFY row_number() OVER (PARTITION BY t.source_id, t.session_id ORDER BY f.gone, length(f.folder) DESC, n.source_id) = 1) n
  ON n.log_id = t.source_id AND n.session_id = t.session_id
WHERE t.session_id IS NOT NULL AND (n.title IS NOT NULL OR NOT t.gone);

UPDATE sessions t SET title = n.title, about = n.about FROM titled n
WHERE t.source_id = n.source_id AND t.session_id = n.current_id AND (t.title IS DISTINCT FROM n.title OR t.about IS DISTINCT FROM n.about);
UPDATE own_names t SET title_from = n.title_from FROM titled n
WHERE t.source_id = n.source_id AND t.session_id = n.session_id AND t.title_from IS DISTINCT FROM n.title_from;

-- placed uses the first project key known to the nearest shared file. If the file has
-- several projects for the key, the project named by the log counts; if the log names
-- none of them, the project is null. extra.projects lists all of them.
CREATE OR REPLACE TEMP TABLE placed AS
WITH keys AS (
  SELECT source_id, session_id, agent, path, machine, gone, project, unnest(project_keys) AS key, generate_subscripts(project_keys, 1) AS turn
  FROM touched WHERE project_keys IS NOT NULL),
known AS (
  SELECT k.source_id AS log_id, k.session_id, n.source_id AS project_from, list(DISTINCT n.project ORDER BY n.project) AS projects, any_value(k.project) AS own
  FROM keys k
  JOIN project_notes n USING (agent, key)
  JOIN shared_files f ON f.source_id = n.source_id AND f.machine IS NOT DISTINCT FROM k.machine AND starts_with(k.path, f.folder)
  WHERE k.gone OR NOT f.gone
  GROUP BY k.source_id, k.session_id, n.source_id, k.turn, f.gone, f.folder
  QUALIFY row_number() OVER (PARTITION BY k.source_id, k.session_id ORDER BY f.gone, length(f.folder) DESC, n.source_id, k.turn) = 1)
SELECT t.source_id, t.session_id, t.current_id, k.project_from,
  CASE WHEN k.projects IS NULL THEN t.project WHEN len(k.projects) = 1 THEN k.projects[1] WHEN list_contains(k.projects, k.own) THEN k.own END AS project,
  CASE WHEN len(k.projects) > 1 THEN to_json(k.projects) END AS projects
FROM touched t
LEFT JOIN known k ON k.log_id = t.source_id AND k.session_id IS NOT DISTINCT FROM t.session_id
WHERE t.project_keys IS NOT NULL AND (k.projects IS NOT NULL OR NOT t.gone);

-- A JSON patch with null removes the key.
UPDATE sessions t SET extra = nullif(json_merge_patch(coalesce(t.extra, '{}'), json_object('projects', n.projects)), '{}') FROM placed n
WHERE t.source_id = n.source_id AND t.session_id = n.current_id AND (t.extra->'projects') IS DISTINCT FROM n.projects;
UPDATE own_names t SET project_from = n.project_from FROM placed n
WHERE t.source_id = n.source_id AND t.session_id IS NOT DISTINCT FROM n.session_id AND t.project_from IS DISTINCT FROM n.project_from;

INSERT INTO pending_links
SELECT source_id FROM placed n JOIN clear_marks t USING (source_id) WHERE n.session_id IS NULL AND t.project IS DISTINCT FROM n.project;
UPDATE prompts t SET project = n.project FROM placed n WHERE n.session_id IS NULL AND t.source_id = n.source_id AND t.project IS DISTINCT FROM n.project;
UPDATE clear_marks t SET project = n.project FROM placed n WHERE n.session_id IS NULL AND t.source_id = n.source_id AND t.project IS DISTINCT FROM n.project;

CREATE OR REPLACE TEMP TABLE moved AS
SELECT n.* FROM placed n JOIN sessions s ON s.source_id = n.source_id AND s.session_id = n.current_id WHERE s.project IS DISTINCT FROM n.project;

-- when: EXISTS (FROM moved)
INSERT INTO former_sessions FROM sessions SEMI JOIN moved USING (source_id, session_id) WHERE source_id NOT IN (SELECT source_id FROM former_sessions);
UPDATE sessions t SET project = n.project FROM moved n WHERE t.source_id = n.source_id AND t.session_id = n.current_id;
UPDATE {rows} t SET project = n.project FROM moved n WHERE t.source_id = n.source_id AND t.session_id = n.current_id;
INSERT INTO pending_links SELECT source_id FROM moved WHERE source_id NOT IN (FROM pending_links);
