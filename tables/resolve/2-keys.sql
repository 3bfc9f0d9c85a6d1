-- reads message_keys, messages, pending_links; writes known_keys, message_keys, own_keys; when files are pending
-- message_keys holds the keys of messages as numbers, so a search for files with common
-- messages needn't read every message. The numbers are 31 bits of the hash of a uuid or
-- an API id, and the last 20 bits of the source id. A match by chance costs only a
-- needless look at a file.
-- The numbers are sorted, to find a few without reading the rest. New numbers are
-- appended (run 1) until there are too many; then all are sorted again. Numbers of
-- messages no longer in a file are kept, and also cost a needless look.
-- A number may stand twice for a file: making the numbers distinct took half of the step.
CREATE OR REPLACE TEMP TABLE own_keys AS
SELECT (hash(agent, uuid) >> 33)::INTEGER AS id_hash, (source_id & 1048575)::INTEGER AS source_tag
FROM messages WHERE uuid IS NOT NULL AND source_id IN (FROM pending_links)
UNION ALL
SELECT (hash(agent, message_id) >> 33)::INTEGER, (source_id & 1048575)::INTEGER
FROM messages WHERE length(message_id) >= 20 AND source_id IN (FROM pending_links);

-- On a first load no number is known, and none of the own numbers is looked up.
CREATE OR REPLACE TEMP TABLE known_keys AS
SELECT id_hash, source_tag FROM message_keys SEMI JOIN (FROM own_keys WHERE EXISTS (FROM message_keys)) USING (id_hash);

INSERT INTO message_keys
SELECT id_hash, source_tag, if((SELECT count(*) FROM message_keys) = 0, 0, 1) FROM own_keys ANTI JOIN known_keys USING (id_hash, source_tag) ORDER BY id_hash;

-- when: (SELECT count(*) FROM message_keys WHERE run = 1) > 300000
CREATE OR REPLACE TEMP TABLE all_keys AS SELECT DISTINCT id_hash, source_tag FROM message_keys;
DELETE FROM message_keys;
INSERT INTO message_keys SELECT id_hash, source_tag, 0 FROM all_keys ORDER BY id_hash;
DROP TABLE all_keys;
