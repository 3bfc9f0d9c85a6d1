-- reads pending_links, prompts, sources; writes prompts; when a prompt is a copy, or an input of a pending history stands in another
-- when: EXISTS (FROM prompts WHERE is_copy) OR EXISTS (FROM prompts p JOIN prompts o ON o.agent = p.agent AND o.timestamp = p.timestamp AND o.source_id <> p.source_id WHERE p.source_id IN (FROM pending_links)) OR EXISTS (FROM prompts p JOIN prompts o ON o.agent = p.agent AND o.text = p.text AND o.source_id <> p.source_id WHERE p.timestamp IS NULL AND o.timestamp IS NULL AND p.source_id IN (FROM pending_links))
-- An input may stand in two histories, for example after a home was copied to another
-- machine or folder. This machine's input counts, then the oldest machine's; of a
-- machine's histories, an existing one's, then the older one's. Equal inputs have the
-- same time and session. Texts are not compared, because not every machine pushes texts.
-- Inputs without a time are equal only on one machine in files of one name, by text and
-- by how often the text stands before in the file: some agents name the file after the
-- project.
UPDATE prompts t SET is_copy = c.is_copy FROM (
  SELECT p.id, (p.timestamp IS NOT NULL OR p.undated IS NOT NULL) AND p.source_id <> first_value(p.source_id) OVER (
    PARTITION BY p.agent, p.session_id, p.timestamp, p.undated, p.nth, if(p.timestamp IS NULL, (f.machine, regexp_extract(f.path, '[^/\\]*$')), NULL)
    ORDER BY NOT is_own(f.machine), f.machine, f.gone_at IS NOT NULL, f.modified_at, f.path, p.source_id) AS is_copy
  FROM (
    SELECT rowid AS id, agent, coalesce(native_id, session_id) AS session_id, timestamp, source_id, if(timestamp IS NULL, text, NULL) AS undated,
      if(timestamp IS NULL, row_number() OVER (PARTITION BY source_id, session_id, timestamp, undated ORDER BY rowid), NULL) AS nth
    FROM prompts) p LEFT JOIN sources f USING (source_id)) c
WHERE t.rowid = c.id AND t.is_copy <> c.is_copy;
