-- Results passed between the steps: parts lists the files of a session, and a row in
-- stale_clears means that clears must be computed again.
CREATE OR REPLACE TEMP TABLE parts (source_id BIGINT, base BIGINT);
CREATE OR REPLACE TEMP TABLE stale_clears (stale BOOLEAN);

-- Rows of this machine never depend on other machines' rows: only this machine's rows
-- may tell facts about them. Other machines' rows may take facts from any machine.
CREATE OR REPLACE TEMP MACRO is_own(machine) AS machine IS NOT DISTINCT FROM getvariable('own_machine');
CREATE OR REPLACE TEMP MACRO may_tell(teller, told) AS NOT is_own(told) OR teller IS NOT DISTINCT FROM told;

-- Inferred rows are kept apart: no other row takes facts from them.
CREATE OR REPLACE TEMP MACRO is_guess(evidence, confidence) AS {is guess};

-- displaced lists sessions of other machines with a suffixed id, because a session of
-- this machine or a third holds the plain id.
CREATE OR REPLACE TEMP VIEW displaced AS
SELECT s.agent, s.source_id, s.session_id
FROM sessions s JOIN sessions holder ON holder.agent = s.agent
  AND holder.session_id = left(s.session_id, -length(format('@{:x}', s.source_id))) AND holder.machine IS DISTINCT FROM s.machine
WHERE NOT is_own(s.machine) AND s.native_id IS NOT NULL AND ends_with(s.session_id, format('@{:x}', s.source_id));
