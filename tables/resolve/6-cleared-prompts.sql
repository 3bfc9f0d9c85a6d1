-- reads clear_marks, clears, pending_links, prompts, stale_clears; writes prompts; when clears were computed again, or a history that names only a program's first session is pending
-- needs: 5-clears
-- when: EXISTS (FROM stale_clears) OR EXISTS (FROM clear_marks WHERE evidence = 'process' AND next_session_id IS NULL AND source_id IN (FROM pending_links))
-- Some histories name a program's first session at each input. An input after a clear
-- belongs to the session that the clear began. native_id keeps the name in the history.
UPDATE prompts t SET session_id = p.session_id, native_id = nullif(p.process, p.session_id)
FROM (
  SELECT p.id, p.process, coalesce(min(c.next_session_id), p.process) AS session_id
  FROM (SELECT rowid AS id, agent, machine, project, source_id, timestamp, coalesce(native_id, session_id) AS process FROM prompts) p
  ASOF LEFT JOIN (SELECT source_id, session_id AS process, timestamp FROM clear_marks WHERE evidence = 'process' AND next_session_id IS NULL) l
    ON l.source_id = p.source_id AND l.process = p.process AND p.timestamp > l.timestamp
  LEFT JOIN clears c ON c.agent = p.agent AND c.timestamp = l.timestamp AND c.evidence = 'history' AND may_tell(c.machine, p.machine)
    AND c.project IS NOT DISTINCT FROM p.project
  WHERE p.source_id IN (SELECT source_id FROM clear_marks WHERE evidence = 'process' AND next_session_id IS NULL)
  GROUP BY p.id, p.process) p
WHERE t.rowid = p.id AND (t.session_id IS DISTINCT FROM p.session_id OR t.native_id IS DISTINCT FROM nullif(p.process, p.session_id));
