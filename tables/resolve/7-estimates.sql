-- needs: 3-copies
-- when: EXISTS (FROM model_prices)
-- Estimates the costs of messages in the files of scope by the price list. Step 7-totals
-- adds them up. A model is looked up by its whole name. If the list lacks the name, the
-- model is looked up by its name without provider, region, date and context size, and
-- with hyphens for dots; models with prices of zero don't count then. The provider's own
-- model comes first, then a maker's name with a slash, then clouds and resellers. Tokens
-- of no answer (kind usage) belong to many requests, none known to be large. The cost is
-- null for a model missing in the list. After a new list, only costs that change are
-- written.
CREATE OR REPLACE TEMP MACRO key_of_model(model) AS
  replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(lower(model),
    '^.*/', ''),
    '^((us|eu|apac|jp|au|global|us-gov)\.)?((anthropic|amazon|openai|google|meta|mistral|deepseek|qwen|zai|moonshotai|moonshot|xai)\.)?', ''),
    '\[[^\]]*\]$|@.*$|-v[0-9]+(:[0-9]+)?$|-latest$', ''),
    '-(20[0-9]{6}|20[0-9]{2}-[0-9]{2}-[0-9]{2})(-v[0-9]+(:[0-9]+)?)?$', ''), '.', '-');
UPDATE model_prices SET model_key = key_of_model(model) WHERE model_key IS NULL;

CREATE OR REPLACE TEMP TABLE priced AS
WITH used AS (
  SELECT model, lower(model) AS name, key_of_model(model) AS key FROM (
    SELECT model FROM messages WHERE source_id IN (FROM scope)
    UNION SELECT model FROM sessions WHERE source_id IN (FROM scope))
  WHERE model IS NOT NULL),
found AS (
  SELECT used.model AS used, p.model, 0 AS rank FROM used JOIN model_prices p ON p.model = used.name AND p.above IS NULL
  UNION ALL SELECT used.model, p.model, CASE
      WHEN split_part(p.model, '/', 1) IN ('dashscope', 'deepseek', 'minimax', 'mistral', 'moonshot', 'vertex_ai', 'xai', 'zai') THEN 2
      WHEN contains(p.model, '/') THEN 3 WHEN regexp_matches(p.model, '^([a-z-]+\.)?[a-z-]+\.[a-z]') THEN 4 ELSE 1 END
  FROM used JOIN model_prices p ON p.model_key = used.key AND p.above IS NULL AND p.input_price + p.output_price > 0),
chosen AS (FROM found QUALIFY row_number() OVER (PARTITION BY used ORDER BY rank, length(model), model) = 1)
SELECT c.used, coalesce(p.above, -1) AS above, coalesce(p.upto, 9223372036854775807) AS upto, p.* EXCLUDE (model, model_key, above, upto)
FROM chosen c JOIN model_prices p USING (model);

UPDATE messages t SET cost_estimated_usd = e.usd
FROM (
  SELECT id, input * input_price + output * output_price + cache_read * cache_read_price
    + (cache_write - hour) * cache_write_price + hour * cache_write_1h_price AS usd
  FROM (
    SELECT m.rowid AS id, coalesce(m.model, s.model) AS model, coalesce(m.input_tokens, 0) AS input, coalesce(m.output_tokens, 0) AS output,
      coalesce(m.cache_read_tokens, 0) AS cache_read, coalesce(m.cache_write_tokens, 0) AS cache_write,
      least(coalesce(m.cache_write_1h_tokens, 0), cache_write) AS hour,
      CASE WHEN m.kind = 'usage' THEN 0 ELSE input + cache_read + cache_write END AS request
    FROM messages m LEFT JOIN (SELECT agent, session_id, model FROM sessions WHERE source_id IN (FROM scope)) s USING (agent, session_id)
    WHERE m.source_id IN (FROM scope) AND coalesce(m.input_tokens, m.output_tokens, m.cache_read_tokens, m.cache_write_tokens) IS NOT NULL
      AND input + output + cache_read + cache_write > 0) m
  LEFT JOIN priced p ON p.used = m.model AND m.request > p.above AND m.request <= p.upto) e
WHERE t.rowid = e.id AND t.cost_estimated_usd IS DISTINCT FROM e.usd;
