-- reads messages, priced_models, scope, sessions; writes messages; when a message of the scope has tokens and no model
-- needs: 6-priced-models
-- when: EXISTS (FROM messages WHERE source_id IN (FROM scope) AND model IS NULL AND output_tokens > 0 AND EXISTS (FROM priced_models))
-- Estimates, as 7-estimates does, the costs of messages that name no model, by the model of
-- their session.
UPDATE messages t SET cost_estimated_usd = e.usd
FROM (
  SELECT id, input * input_price + output * output_price + cache_read * cache_read_price
    + (cache_write - hour) * cache_write_price + hour * cache_write_1h_price AS usd, was
  FROM (
    SELECT m.rowid AS id, m.cost_estimated_usd AS was, s.model AS model, coalesce(m.input_tokens, 0) AS input, coalesce(m.output_tokens, 0) AS output,
      coalesce(m.cache_read_tokens, 0) AS cache_read, coalesce(m.cache_write_tokens, 0) AS cache_write,
      least(coalesce(m.cache_write_1h_tokens, 0), cache_write) AS hour,
      CASE WHEN m.kind = 'usage' THEN 0 ELSE input + cache_read + cache_write END AS request
    FROM messages m JOIN (SELECT agent, session_id, model FROM sessions WHERE source_id IN (FROM scope)) s USING (agent, session_id)
    WHERE m.source_id IN (FROM scope) AND m.model IS NULL AND input + output + cache_read + cache_write > 0) m
  JOIN priced_models p ON p.used = m.model AND m.request > p.above AND m.request <= p.upto
  WHERE was IS DISTINCT FROM usd) e
WHERE t.rowid = e.id;
