-- reads former_sessions, messages, own_names, parts, pending_links, rejections, sessions; writes compactions, interruptions, messages, rejections, sessions, tool_calls; when a session of a pending file has a parent or children
-- needs: 4-subagents
-- when: EXISTS (FROM sessions WHERE parent_session_id IS NOT NULL AND source_id IN (FROM pending_links)) OR EXISTS (FROM sessions WHERE parent_session_id IN (SELECT session_id FROM sessions WHERE source_id IN (FROM pending_links) UNION ALL SELECT session_id FROM former_sessions))
-- The rows of a subagent or helper take two facts from the topmost session above. One
-- is the project, because a subagent may begin after its parent changed folders. The
-- second is the user's next prompt after a refusal, because no user types into a
-- subagent. Checked are sessions with a changed file, and sessions below them.
CREATE OR REPLACE TEMP TABLE kin AS
WITH RECURSIVE changed AS (
  SELECT agent, session_id FROM sessions WHERE source_id IN (FROM pending_links)
  UNION SELECT agent, session_id FROM former_sessions),
below AS (
  FROM changed
  UNION SELECT s.agent, s.session_id FROM below b JOIN sessions s ON s.agent = b.agent AND s.parent_session_id = b.session_id)
FROM below;

CREATE OR REPLACE TEMP TABLE children AS
WITH RECURSIVE above AS (
  SELECT agent, session_id, machine, parent_session_id AS root, 1 AS height FROM sessions SEMI JOIN kin USING (agent, session_id) WHERE parent_session_id IS NOT NULL
  UNION ALL
  SELECT a.agent, a.session_id, a.machine, s.parent_session_id, height + 1
  FROM above a JOIN sessions s ON s.agent = a.agent AND s.session_id = a.root AND may_tell(s.machine, a.machine)
  WHERE s.parent_session_id IS NOT NULL AND height < 20), -- in damaged logs, parents may form a ring
tops AS (SELECT agent, session_id, arg_max(root, height) AS root FROM above GROUP BY ALL)
SELECT c.agent, c.source_id, c.session_id, r.session_id AS root, r.source_id AS root_source_id, c.project,
  -- Without a session above, the log's own project, unless step 1-shared-files decides
  -- on the project.
  coalesce(r.project, if(o.project_keys IS NULL, o.project, c.project)) AS parents_project
FROM tops t
JOIN sessions c USING (agent, session_id)
LEFT JOIN sessions r ON r.agent = t.agent AND r.session_id = t.root AND may_tell(r.machine, c.machine)
LEFT JOIN own_names o ON o.source_id = c.source_id AND c.session_id IN (o.session_id, o.session_id || '@' || format('{:x}', o.source_id));

CREATE OR REPLACE TEMP TABLE unsaid AS
SELECT r.agent, r.source_id, r.session_id, r.tool_use_id, r.message_index, r.timestamp, c.root, c.root_source_id
FROM rejections r JOIN children c USING (agent, source_id, session_id);

-- typed holds the first text of each moment.
CREATE OR REPLACE TEMP TABLE typed AS
SELECT agent, session_id, timestamp, arg_min(coalesce(typed_text, text), message_index) AS text
FROM messages SEMI JOIN (SELECT DISTINCT agent, root AS session_id FROM unsaid) u USING (agent, session_id)
WHERE typed_by = 'human' AND NOT is_sidechain AND text IS NOT NULL AND timestamp IS NOT NULL
  AND source_id IN (SELECT root_source_id FROM unsaid UNION SELECT p.source_id FROM parts p JOIN unsaid u ON u.root_source_id = p.base)
GROUP BY ALL;

UPDATE rejections t SET next_prompt = n.text
FROM (
  SELECT u.agent, u.source_id, u.session_id, u.tool_use_id, u.message_index, arg_min(m.text, m.timestamp) AS text
  FROM unsaid u ASOF LEFT JOIN typed m ON m.agent = u.agent AND m.session_id = u.root AND u.timestamp < m.timestamp
  GROUP BY ALL) n
WHERE t.agent = n.agent AND t.source_id = n.source_id AND t.session_id = n.session_id
  AND t.tool_use_id IS NOT DISTINCT FROM n.tool_use_id AND t.message_index IS NOT DISTINCT FROM n.message_index
  AND t.next_prompt IS DISTINCT FROM n.text;

CREATE OR REPLACE TEMP TABLE inherits AS
SELECT agent, source_id, session_id, parents_project FROM children WHERE project IS DISTINCT FROM parents_project;

-- when: EXISTS (FROM inherits)
UPDATE sessions t SET project = parents_project FROM inherits m WHERE t.agent = m.agent AND t.source_id = m.source_id AND t.session_id = m.session_id;
UPDATE {rows} t SET project = parents_project FROM inherits m WHERE t.agent = m.agent AND t.source_id = m.source_id AND t.session_id = m.session_id;
