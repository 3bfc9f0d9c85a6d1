-- reads messages, scope; writes sessions; when a log of the scope has the costs of its messages
-- needs: 3-copies
-- when: EXISTS (FROM messages WHERE source_id IN (FROM scope) AND contains(extra, '"cost_usd"'))
-- Sums the costs of sessions whose log has a cost for each message. A copied message
-- counts in the original session. If the log of the original is gone, the message is no
-- copy.
UPDATE sessions t SET cost_usd = n.usd
FROM (
  SELECT agent, session_id, sum((extra->>'cost_usd')::DOUBLE ORDER BY message_index) FILTER (NOT is_copy) AS usd
  FROM messages WHERE source_id IN (FROM scope) AND contains(extra, '"cost_usd"')
  GROUP BY ALL) n
WHERE t.agent = n.agent AND t.session_id = n.session_id AND t.source_id IN (FROM scope)
  AND (t.cost_usd IS NULL <> (n.usd IS NULL) OR abs(t.cost_usd - n.usd) > 1e-9);
