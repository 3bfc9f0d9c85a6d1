-- message_keys holds the keys of messages as numbers, so a search for files with common
-- messages needn't read every message. The numbers are 31 bits of the hash of a uuid or
-- an API id, and the last 20 bits of the source id. A match by chance costs only a
-- needless look at a file.
-- The numbers are sorted, to find a few without reading the rest. New numbers are
-- appended (run 1) until there are too many; then all are sorted again. Numbers of
-- messages no longer in a file are kept, and also cost a needless look.
CREATE OR REPLACE TEMP TABLE own_keys AS
SELECT (hash(agent, id) >> 33)::INTEGER AS id_hash, (source_id & 1048575)::INTEGER AS source_tag, count(*) AS messages
FROM (SELECT agent, source_id, unnest(if(length(message_id) >= 20, [uuid, message_id], [uuid])) AS id FROM messages WHERE source_id IN (FROM pending_links))
WHERE id IS NOT NULL GROUP BY ALL;

CREATE OR REPLACE TEMP TABLE known_keys AS
SELECT id_hash, source_tag FROM message_keys SEMI JOIN own_keys USING (id_hash);

INSERT INTO message_keys
SELECT id_hash, source_tag, if((SELECT count(*) FROM message_keys) = 0, 0, 1) FROM own_keys ANTI JOIN known_keys USING (id_hash, source_tag) ORDER BY id_hash;

-- when: (SELECT count(*) FROM message_keys WHERE run = 1) > 300000
CREATE OR REPLACE TEMP TABLE all_keys AS SELECT DISTINCT id_hash, source_tag FROM message_keys;
DELETE FROM message_keys;
INSERT INTO message_keys SELECT id_hash, source_tag, 0 FROM all_keys ORDER BY id_hash;
DROP TABLE all_keys;
