-- reads prompts, sessions; writes prompts; when a prompt with a session has no project
-- when: EXISTS (FROM prompts WHERE project IS NULL AND session_id IS NOT NULL)
-- If the history file has no project for an input, the input gets the project of its
-- session.
UPDATE prompts p SET project = s.project FROM sessions s
WHERE p.project IS NULL AND s.agent = p.agent AND s.session_id = p.session_id AND s.project IS NOT NULL
  AND may_tell(s.machine, p.machine);
