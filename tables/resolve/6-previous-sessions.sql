-- reads clears, pending_links, sessions, stale_clears; writes sessions; when clears were computed again, or a clear began a session of a pending file
-- needs: 5-clears
-- when: EXISTS (FROM stale_clears) OR EXISTS (FROM clears WHERE next_session_id IN (SELECT session_id FROM sessions WHERE source_id IN (FROM pending_links)))
-- previous_session_id is the session ended by the clear in which a session began.
UPDATE sessions t SET previous_session_id = p.previous
FROM (
  SELECT s.agent, s.session_id, arg_min(c.session_id, (c.timestamp, c.session_id)) AS previous
  FROM sessions s LEFT JOIN clears c ON c.agent = s.agent AND c.next_session_id = s.session_id AND may_tell(c.machine, s.machine) AND NOT c.is_inferred
  WHERE s.source_id IN (FROM pending_links) OR EXISTS (FROM stale_clears)
  GROUP BY ALL) p
WHERE t.agent = p.agent AND t.session_id = p.session_id AND t.previous_session_id IS DISTINCT FROM p.previous;
