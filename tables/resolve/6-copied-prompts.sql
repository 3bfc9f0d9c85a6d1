-- when: EXISTS (FROM prompts WHERE is_copy) OR (SELECT min(machine) IS DISTINCT FROM max(machine) FROM prompts)
-- An input may stand in the histories of two machines, for example after a home was
-- copied. This machine's input counts; if this machine has none, the oldest machine's.
-- Equal inputs have the same time and session. Texts are not compared, because not
-- every machine pushes texts. An input without a time is never a copy.
UPDATE prompts t SET is_copy = c.is_copy FROM (
  SELECT rowid AS id, timestamp IS NOT NULL AND machine IS DISTINCT FROM first_value(machine) OVER (
    PARTITION BY agent, session_id, timestamp ORDER BY NOT is_own(machine), machine) AS is_copy
  FROM prompts) c
WHERE t.rowid = c.id AND t.is_copy <> c.is_copy;
