-- What the steps below tell each other: the files of one session, and whether
-- the clears are to be worked out anew.
CREATE OR REPLACE TEMP TABLE parts (source_id BIGINT, base BIGINT);
CREATE OR REPLACE TEMP TABLE stale_clears (stale BOOLEAN);

-- Rows of this machine are as they would be without those of others: what tells
-- one of its own is its own. Other machines' rows are told by anybody's.
CREATE OR REPLACE TEMP MACRO is_own(machine) AS machine IS NOT DISTINCT FROM getvariable('own_machine');
CREATE OR REPLACE TEMP MACRO may_tell(teller, told) AS NOT is_own(told) OR teller IS NOT DISTINCT FROM told;

-- Rows that are only inferred stand apart: they tell nothing of any other row.
CREATE OR REPLACE TEMP MACRO is_guess(evidence, confidence) AS {is guess};

-- The sessions of other machines whose ids a third machine's, or this one's, hold.
CREATE OR REPLACE TEMP VIEW displaced AS
SELECT s.agent, s.source_id, s.session_id
FROM sessions s JOIN sessions holder ON holder.agent = s.agent
  AND holder.session_id = left(s.session_id, -length(format('@{:x}', s.source_id))) AND holder.machine IS DISTINCT FROM s.machine
WHERE NOT is_own(s.machine) AND s.native_id IS NOT NULL AND ends_with(s.session_id, format('@{:x}', s.source_id));
