-- Output tokens of a message whose own log kept only the count at the start of
-- the stream, while a replay of it holds a larger one, most often the final.
-- What was recorded is kept beside it, so that the next time can begin anew.
UPDATE messages SET output_tokens = recorded_output_tokens, tokens_reliable = false, recorded_output_tokens = NULL
WHERE recorded_output_tokens IS NOT NULL AND source_id IN (FROM scope);

UPDATE messages t SET recorded_output_tokens = t.output_tokens, output_tokens = f.tokens, tokens_reliable = f.reliable
FROM (
  SELECT agent, message_id, max(output_tokens) AS tokens, arg_max(tokens_reliable, (output_tokens, tokens_reliable)) AS reliable
  FROM messages SEMI JOIN shared ON shared.agent = messages.agent AND shared.key = message_id
  WHERE source_id IN (FROM scope) AND output_tokens IS NOT NULL
  GROUP BY ALL) f
WHERE t.agent = f.agent AND t.message_id = f.message_id AND t.source_id IN (FROM scope)
  AND NOT t.is_copy AND NOT t.tokens_reliable AND t.output_tokens < f.tokens;
