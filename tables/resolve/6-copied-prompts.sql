-- when: EXISTS (FROM prompts WHERE is_copy) OR (SELECT min(machine) IS DISTINCT FROM max(machine) FROM prompts)
-- An input that stands in the histories of two machines, as of a home that was
-- copied: this machine's counts, else the oldest one's. It is told by its moment
-- and its session, not by what it says, which not every machine tells. One without
-- a moment is told from no other.
UPDATE prompts t SET is_copy = c.is_copy FROM (
  SELECT rowid AS id, timestamp IS NOT NULL AND machine IS DISTINCT FROM first_value(machine) OVER (
    PARTITION BY agent, session_id, timestamp ORDER BY NOT is_own(machine), machine) AS is_copy
  FROM prompts) c
WHERE t.rowid = c.id AND t.is_copy <> c.is_copy;
