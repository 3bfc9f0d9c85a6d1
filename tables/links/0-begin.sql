-- What the steps below tell each other: the files of one session, and whether
-- the clears are to be worked out anew.
CREATE OR REPLACE TEMP TABLE parts (source_id BIGINT, base BIGINT);
CREATE OR REPLACE TEMP TABLE stale_clears (stale BOOLEAN);
