-- session(id): a session as readable lines, in order
--
-- id is a session's id, or a unique beginning. A subagent may also be named by
-- the parent's id, a slash, and the subagent's id, or by the beginnings of both.
-- who names the speaker or event: you, agent, tool, stop, compaction … what is
-- the whole text of a prompt, an answer or a reason for a refusal, and the
-- beginning of anything else: a call, the result, a refused call, a stop.
-- Thinking is left out. Messages copied from an older session are one line.
--
--     SELECT time, who, what FROM session('ee0bff4d')
CREATE MACRO session(id) AS TABLE
WITH candidates AS (
{matching}
), best AS (
  SELECT any_value(agent) AS agent, any_value(session_id) AS session_id, any_value(project) AS project,
    any_value(forked_from) AS forked_from, count(*) AS found, string_agg(agent || ' ' || session_id, ', ' ORDER BY ended_at DESC, session_id) AS list
  FROM candidates WHERE rank = (SELECT min(rank) FROM candidates)
), chosen AS (
  SELECT agent, project, forked_from, CASE found WHEN 1 THEN session_id
    ELSE error(if(found = 0, 'no session has', found || ' sessions have') || ' an id that begins with ' || coalesce(id, 'NULL')
      || coalesce(': ' || if(length(list) > 400, left(list, 399) || '…', list), '')) END AS session_id
  FROM best
), own AS (
  SELECT m.* FROM {schema}.messages m JOIN chosen USING (agent, session_id)
), calls AS (
  SELECT c.*, {about(c.path, c.command, c.input)} AS about
  FROM (SELECT *, {file_in(project, file_path)} AS path FROM {schema}.tool_calls) c JOIN chosen USING (agent, session_id)
  WHERE NOT c.is_copy
), refused AS (
  SELECT r.*, 2 * row_number() OVER (ORDER BY message_index, cascaded, timestamp, tool_use_id) AS number,
    {about(r.path, r.command, r.tool_input)} AS about
  FROM (SELECT *, {file_in(project, file_path)} AS path FROM {schema}.rejections) r JOIN chosen USING (agent, session_id)
  WHERE NOT r.is_copy AND NOT r.is_inferred
), stops AS (
  SELECT i.* FROM {schema}.interruptions i JOIN chosen USING (agent, session_id)
  WHERE NOT i.is_copy AND NOT i.is_inferred
), lines AS (
  SELECT min(message_index) AS message_index, 0 AS place, 0 AS number, min(timestamp) AS time, 'copy' AS who,
    count(*) || ' messages copied from ' || coalesce('session ' || any_value(forked_from), 'an older session') AS what, true AS brief
  FROM own, chosen WHERE is_copy AND kind IS DISTINCT FROM 'usage' HAVING count(*) > 0
  UNION ALL
  SELECT message_index, 1, 0, timestamp,
    CASE WHEN kind IN ('prompt', 'command') THEN 'you' WHEN kind = 'response' THEN 'agent' WHEN kind = 'command_output' THEN 'output' ELSE kind END,
    if(is_active, '', '(abandoned) ') || CASE kind WHEN 'command_output' -- written with tags
      THEN regexp_replace(text, '</?[a-z-]+>', '', 'g') ELSE trim(text, E' \n\r\t') END,
    kind IN ('injected', 'summary', 'command', 'command_output')
  FROM own ANTI JOIN stops ON kind IN ('interruption', 'notice', 'error') AND stops.message_index = own.message_index
  WHERE NOT is_copy AND text IS NOT NULL AND kind <> 'tool_result'
  UNION ALL
  SELECT message_index, 2, batch_index, calls.timestamp, 'agent', if(coalesce(is_active, true), '', '(abandoned) ') || tool_name || coalesce(': ' || about, ''), true
  FROM calls LEFT JOIN own USING (message_index)
  UNION ALL
  SELECT coalesce(result_message_index, message_index), 3, batch_index, coalesce(finished_at, timestamp), 'tool',
    tool_name || ' ' || status || coalesce(' (exit code ' || nullif(exit_code, 0) || ')', '') || coalesce(': ' || nullif(trim(output), ''), ''), true
  FROM calls ANTI JOIN refused USING (tool_use_id) ANTI JOIN stops ON status = 'interrupted' AND stops.tool_use_id = calls.tool_use_id
  UNION ALL
  SELECT message_index, 4, number, timestamp, if(decided_by = 'user', 'you', decided_by),
    if(cascaded, 'dropped with a refused call: ', 'refused ') || coalesce(tool_name || ': ', '') || coalesce(about, ''), true
  FROM refused
  UNION ALL
  SELECT message_index, 4, number + 1, timestamp, if(decided_by = 'user', 'you', decided_by), 'because: ' || reason, false
  FROM refused WHERE reason IS NOT NULL
  UNION ALL
  SELECT message_index, 5, 0, timestamp, 'stop',
    if(type = 'user', 'you', 'the system') || ' stopped ' || coalesce(tool_name, 'the ' || phase, 'the agent') || coalesce(': ' || if(type = 'user', partial_output, marker), ''), true
  FROM stops WHERE NOT paired_rejection
  UNION ALL
  SELECT after_message_index, 6, 0, timestamp, 'compaction',
    concat_ws(', ', trigger, coalesce(pre_tokens || ' → ' || post_tokens || ' tokens', pre_tokens || ' tokens'), len(replaced_message_indices) || ' messages replaced'), true
  FROM {schema}.compactions JOIN chosen USING (agent, session_id) WHERE NOT is_copy
  UNION ALL
  SELECT after_message_index, 7, 0, timestamp, 'clear',
    concat_ws(' ', coalesce(command, if(trigger = 'plan', 'a plan was accepted, and the context cleared', 'the context was cleared')),
      '→ session ' || next_session_id, if(confidence < 1, '(inferred, confidence ' || confidence || ')', NULL)), true
  FROM {schema}.clears JOIN chosen USING (agent, session_id) WHERE NOT is_inferred
)
SELECT message_index, time, who,
  CASE WHEN NOT brief THEN what
    WHEN length(what) > 200 THEN regexp_replace(left(what, 199), '\s+', ' ', 'g') || '…'
    ELSE trim(regexp_replace(what, '\s+', ' ', 'g')) END AS what
FROM lines
ORDER BY message_index NULLS LAST, place, number
