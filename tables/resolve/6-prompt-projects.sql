-- when: EXISTS (FROM prompts WHERE project IS NULL AND session_id IS NOT NULL)
-- The project of an input whose history file doesn't record it: its session's.
UPDATE prompts p SET project = s.project FROM sessions s
WHERE p.project IS NULL AND s.agent = p.agent AND s.session_id = p.session_id AND s.project IS NOT NULL
  AND may_tell(s.machine, p.machine);
