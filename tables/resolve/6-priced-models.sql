-- reads messages, model_prices, priced_models, scope, sessions; writes model_prices, priced_models; when a file of the scope names a model not looked up before
-- needs: 3-copies
-- when: EXISTS (FROM messages WHERE source_id IN (FROM scope) AND model NOT IN (SELECT used FROM priced_models) AND EXISTS (FROM model_prices)) OR EXISTS (FROM sessions WHERE source_id IN (FROM scope) AND model NOT IN (SELECT used FROM priced_models) AND EXISTS (FROM model_prices))
-- Looks up the prices of models that no earlier file of the store named. A model is looked
-- up by its whole name. If the list lacks the name, the model is looked up by its name
-- without provider, region, date and context size, and with hyphens for dots; models with
-- prices of zero don't count then. The provider's own model comes first, then a maker's
-- name with a slash, then clouds and resellers. Prices are null for a model missing in the
-- list. A lookup with each sync would take 12 ms.
CREATE OR REPLACE TEMP MACRO key_of_model(model) AS
  replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(lower(model),
    '^.*/', ''),
    '^((us|eu|apac|jp|au|global|us-gov)\.)?((anthropic|amazon|openai|google|meta|mistral|deepseek|qwen|zai|moonshotai|moonshot|xai)\.)?', ''),
    '\[[^\]]*\]$|@.*$|-v[0-9]+(:[0-9]+)?$|-latest$', ''),
    '-(20[0-9]{6}|20[0-9]{2}-[0-9]{2}-[0-9]{2})(-v[0-9]+(:[0-9]+)?)?$', ''), '.', '-');
UPDATE model_prices SET model_key = key_of_model(model) WHERE model_key IS NULL;

INSERT INTO priced_models
WITH used AS (
  SELECT model, lower(model) AS name, key_of_model(model) AS key FROM (
    SELECT model FROM messages WHERE source_id IN (FROM scope)
    UNION SELECT model FROM sessions WHERE source_id IN (FROM scope))
  WHERE model IS NOT NULL AND model NOT IN (SELECT used FROM priced_models)),
found AS (
  SELECT used.model AS used, p.model, 0 AS rank FROM used JOIN model_prices p ON p.model = used.name AND p.above IS NULL
  UNION ALL SELECT used.model, p.model, CASE
      WHEN split_part(p.model, '/', 1) IN ('dashscope', 'deepseek', 'minimax', 'mistral', 'moonshot', 'vertex_ai', 'xai', 'zai') THEN 2
      WHEN contains(p.model, '/') THEN 3 WHEN regexp_matches(p.model, '^([a-z-]+\.)?[a-z-]+\.[a-z]') THEN 4 ELSE 1 END
  FROM used JOIN model_prices p ON p.model_key = used.key AND p.above IS NULL AND p.input_price + p.output_price > 0),
chosen AS (FROM found QUALIFY row_number() OVER (PARTITION BY used ORDER BY rank, length(model), model) = 1)
SELECT used.model, coalesce(p.above, -1), coalesce(p.upto, 9223372036854775807), p.* EXCLUDE (model, model_key, above, upto)
FROM used LEFT JOIN chosen c ON c.used = used.model LEFT JOIN model_prices p ON p.model = c.model;
