-- needs: 2-keys
-- when: EXISTS (FROM sources WHERE (source_id & 1048575)::INTEGER IN (SELECT source_tag FROM known_keys) AND source_id NOT IN (FROM pending_links))
-- Finds the files that share a message with the pending files. Each such file is
-- related to some pending file here; step 3-copies computes the true relations.
INSERT INTO related_sources
SELECT (SELECT min(source_id) FROM pending_links), source_id FROM messages
WHERE source_id IN (
    SELECT source_id FROM sources
    WHERE (source_id & 1048575)::INTEGER IN (SELECT source_tag FROM known_keys) AND source_id NOT IN (FROM pending_links))
  AND ((hash(agent, uuid) >> 33)::INTEGER IN (SELECT id_hash FROM own_keys)
    OR length(message_id) >= 20 AND (hash(agent, message_id) >> 33)::INTEGER IN (SELECT id_hash FROM own_keys))
GROUP BY ALL;
