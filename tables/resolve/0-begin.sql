-- reads sessions; writes displaced, parts, stale_clears; when files are pending, before all other steps
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

CREATE OR REPLACE TEMP MACRO rejection_type_of(tool_kind) AS
  CASE tool_kind WHEN 'edit' THEN 'edit' WHEN 'command' THEN 'command' WHEN 'plan' THEN 'option' WHEN 'question' THEN 'option' ELSE 'other' END;

-- displaced lists the sessions with a suffixed id: another file of the session holds the
-- plain id (owner), see step 1-session-ids.
CREATE OR REPLACE TEMP VIEW displaced AS
SELECT s.agent, s.source_id, s.session_id, holder.session_id AS owner, holder.source_id AS owner_source_id
FROM sessions s JOIN sessions holder ON holder.agent = s.agent
  AND holder.session_id = left(s.session_id, -length(format('@{:x}', s.source_id)))
WHERE s.native_id IS NOT NULL AND ends_with(s.session_id, format('@{:x}', s.source_id));

-- Messages of these kinds make a conversation. A file without any is no session if
-- another file of the session has some.
CREATE OR REPLACE TEMP MACRO is_said(kind) AS kind IN ('prompt', 'command', 'response', 'tool_result', 'summary');
