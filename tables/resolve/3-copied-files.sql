-- reads known_keys, messages, pending_links, sources; writes related_sources; when another file may have a message of a pending file
-- needs: 2-keys
-- when: EXISTS (FROM sources WHERE (source_id & 1048575)::INTEGER IN (SELECT source_tag FROM known_keys) AND source_id NOT IN (FROM pending_links))
-- Finds the files that share a message with the pending files. Each such file is
-- related to some pending file here; step 3-copies computes the true relations.
-- The numbers of 2-keys match by chance: 20,000 messages have six such matches in 1 GB
-- of logs. Whole hashes don't. A file related by chance was joined again, and all
-- clears were computed again.
INSERT INTO related_sources
SELECT (SELECT min(source_id) FROM pending_links), source_id FROM messages
WHERE source_id IN (
    SELECT source_id FROM sources
    WHERE (source_id & 1048575)::INTEGER IN (SELECT source_tag FROM known_keys) AND source_id NOT IN (FROM pending_links))
  AND (uuid IS NOT NULL AND hash(agent, uuid) IN (SELECT hash(agent, uuid) FROM messages WHERE uuid IS NOT NULL AND source_id IN (FROM pending_links))
    OR length(message_id) >= 20 AND hash(agent, message_id) IN (SELECT hash(agent, message_id) FROM messages WHERE length(message_id) >= 20 AND source_id IN (FROM pending_links)))
GROUP BY ALL;
