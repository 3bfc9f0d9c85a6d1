-- reads messages, priced_models, scope; writes messages; when the list of prices is loaded
-- needs: 6-priced-models
-- when: EXISTS (FROM priced_models)
-- Estimates the costs of messages in the files of scope by the price list. Step 7-totals
-- adds them up. Tokens of no answer (kind usage) belong to many requests, none known to be
-- large. The cost is null for a model without a price. Only costs that change are written.
UPDATE messages t SET cost_estimated_usd = e.usd
FROM (
  SELECT id, input * input_price + output * output_price + cache_read * cache_read_price
    + (cache_write - hour) * cache_write_price + hour * cache_write_1h_price AS usd, was
  FROM (
    SELECT m.rowid AS id, m.cost_estimated_usd AS was, m.model AS model, coalesce(m.input_tokens, 0) AS input, coalesce(m.output_tokens, 0) AS output,
      coalesce(m.cache_read_tokens, 0) AS cache_read, coalesce(m.cache_write_tokens, 0) AS cache_write,
      least(coalesce(m.cache_write_1h_tokens, 0), cache_write) AS hour,
      CASE WHEN m.kind = 'usage' THEN 0 ELSE input + cache_read + cache_write END AS request
    FROM messages m
    WHERE m.source_id IN (FROM scope) AND m.model IS NOT NULL AND input + output + cache_read + cache_write > 0) m
  JOIN priced_models p ON p.used = m.model AND m.request > p.above AND m.request <= p.upto
  WHERE was IS DISTINCT FROM usd) e
WHERE t.rowid = e.id;
