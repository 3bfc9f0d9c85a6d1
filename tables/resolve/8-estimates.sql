-- needs: 3-copies
-- when: EXISTS (FROM model_prices)
-- Estimates the costs of messages in the files of scope, and of their sessions, by the
-- price list. A model is looked up by its whole name. If the list lacks the name, the
-- model is looked up by its name without provider, region, date and context size, and
-- with hyphens for dots; models with prices of zero don't count then, and the
-- provider's own model comes first. Tokens of no answer (kind usage) belong to many
-- requests, none known to be large. The cost is null for a model missing in the list,
-- and for a session with such a model.
CREATE OR REPLACE TEMP MACRO key_of_model(model) AS
  replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(lower(model),
    '^.*/', ''),
    '^((us|eu|apac|jp|au|global|us-gov)\.)?((anthropic|amazon|openai|google|meta|mistral|deepseek|qwen|zai|moonshotai|moonshot|xai)\.)?', ''),
    '\[[^\]]*\]$|@.*$|-v[0-9]+(:[0-9]+)?$|-latest$', ''),
    '-(20[0-9]{6}|20[0-9]{2}-[0-9]{2}-[0-9]{2})(-v[0-9]+(:[0-9]+)?)?$', ''), '.', '-');
UPDATE model_prices SET model_key = key_of_model(model) WHERE model_key IS NULL;

CREATE OR REPLACE TEMP TABLE priced AS
WITH used AS (
  SELECT DISTINCT coalesce(m.model, s.model) AS model FROM messages m LEFT JOIN sessions s USING (agent, session_id)
  WHERE m.source_id IN (FROM scope) AND coalesce(m.model, s.model) IS NOT NULL AND coalesce(m.output_tokens, m.input_tokens, m.cache_read_tokens, m.cache_write_tokens) IS NOT NULL)
SELECT u.model AS used, p.* EXCLUDE (model)
FROM used u JOIN model_prices p ON p.model = lower(u.model) OR p.model_key = key_of_model(u.model) AND p.input_price + p.output_price > 0
QUALIFY row_number() OVER (PARTITION BY u.model ORDER BY p.model <> lower(u.model), contains(p.model, '/'), length(p.model), p.model) = 1;

UPDATE messages t SET cost_estimated_usd = e.usd
FROM (
  SELECT id, CASE WHEN read_tokens > above AND NOT of_many
    THEN input * above_input + output * above_output + cache_read * above_cache_read + cache_write * above_cache_write
    ELSE input * input_price + output * output_price + cache_read * cache_read_price + cache_write * cache_write_price END AS usd
  FROM (
    SELECT m.rowid AS id, m.kind IS NOT DISTINCT FROM 'usage' AS of_many, coalesce(m.input_tokens, 0) AS input, coalesce(m.output_tokens, 0) AS output,
      coalesce(m.cache_read_tokens, 0) AS cache_read, coalesce(m.cache_write_tokens, 0) AS cache_write,
      coalesce(m.input_tokens, 0) + coalesce(m.cache_read_tokens, 0) + coalesce(m.cache_write_tokens, 0) AS read_tokens, p.*
    FROM messages m LEFT JOIN sessions s USING (agent, session_id)
    JOIN priced p ON p.used = coalesce(m.model, s.model)
    WHERE m.source_id IN (FROM scope))
  WHERE read_tokens + output > 0) e
WHERE t.rowid = e.id AND t.cost_estimated_usd IS DISTINCT FROM e.usd;

UPDATE sessions t SET cost_estimated_usd = n.usd
FROM (
  SELECT s.agent, s.session_id, CASE WHEN count(m.tokens) = count(m.cost_estimated_usd) THEN sum(m.cost_estimated_usd) END AS usd
  FROM sessions s LEFT JOIN (
    SELECT agent, session_id, cost_estimated_usd,
      coalesce(input_tokens, 0) + coalesce(cache_read_tokens, 0) + coalesce(cache_write_tokens, 0) + coalesce(output_tokens, 0) AS tokens
    FROM messages WHERE NOT is_copy AND source_id IN (FROM scope) AND tokens > 0) m USING (agent, session_id)
  WHERE s.source_id IN (FROM scope)
  GROUP BY ALL) n
WHERE t.agent = n.agent AND t.session_id = n.session_id AND t.source_id IN (FROM scope) AND t.cost_estimated_usd IS DISTINCT FROM n.usd;
