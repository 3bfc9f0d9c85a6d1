-- reads clear_marks, former_clear_marks, former_sessions, messages, pending_links, rejections, scope, sessions, sources, stale_clears, tool_calls; writes clears, stale_clears; when a trace of a clear changed, or a session near a trace
-- needs: 3-copies
-- when: EXISTS (FROM stale_clears) OR EXISTS (FROM former_clear_marks) OR EXISTS (FROM clear_marks WHERE source_id IN (FROM pending_links) OR evidence = 'inferred' OR trigger = 'plan' AND session_id IS NULL OR evidence = 'history' AND (session_id IS NULL OR session_id IN (SELECT session_id FROM sessions WHERE source_id IN (FROM scope)))) OR (SELECT sum(hash(agent, session_id, project, kind, origin, machine, forked_from, (extra->'projects')::VARCHAR, started_at, source_id)) FROM sessions WHERE source_id IN (FROM scope)) IS DISTINCT FROM (SELECT sum(hash(agent, session_id, project, kind, origin, machine, forked_from, (extra->'projects')::VARCHAR, started_at, source_id)) FROM former_sessions)
-- Makes one row for each clear. The traces of a clear are the line in the prompt
-- history, which names the ended session, and the first lines of the new session. Two
-- traces form a pair by their order within the project, each in one pair only, if they
-- don't contradict each other: if they are at most two seconds apart or name the same
-- session. If the clear was typed while the agent worked, the new session begins when
-- the agent is done, or at most ten minutes after the clear if the old log is gone.
-- If only the history has a trace, it names as new session the session of the project's
-- next input, possibly typed into another program. The log of such a session would show
-- the clear, so the name is trusted only if that log is gone. A session without first
-- lines is the new session if it began at that moment. If a history line names no ended
-- session, the only possible session is taken, with less confidence. If several are
-- possible, none is taken.
-- An agent without traces marks every session as perhaps begun in a clear. The mark
-- counts if a session of the same project and origin had ended in the five minutes
-- before the marked session began, and no further session had followed or was still
-- active.
-- An agent that records when its programs end marks both ends of a session. A session
-- then followed an older session in a clear if it began when the older session's
-- program ended, or if both programs ended together and the older session had no more
-- messages.
--
-- A reader that can tell both sessions by itself, for example by a process that wrote
-- both, emits an inferred trace with both ids. The trace is taken as it is.
--
-- Traces of a pair lie on one machine. Of a line on two machines, this machine's line
-- counts, whatever its pair there; then the first line by source.
--
-- Clears are computed again only if their input changed: a trace, or the facts from a
-- session that a trace names or that is near the trace in time. A session that only
-- grew matters only to traces without a session.
INSERT INTO stale_clears
WITH
touched AS (
  SELECT agent, session_id, project, started_at, min(ended_at) AS ended_first, max(ended_at) AS ended_last, count(*) <> 2 AS changed
  FROM (
    SELECT agent, session_id, project, kind, origin, machine, forked_from, extra->'projects' AS projects, started_at, ended_at, source_id
    FROM sessions WHERE source_id IN (FROM scope) AND (SELECT count(*) <= 1000 FROM scope)
    UNION ALL
    SELECT agent, session_id, project, kind, origin, machine, forked_from, extra->'projects', started_at, ended_at, source_id FROM former_sessions)
  GROUP BY agent, session_id, project, kind, origin, machine, forked_from, projects, started_at, source_id),
marks AS (SELECT (count(*), sum(hash(m))) FROM clear_marks m WHERE source_id IN (FROM pending_links)),
former_marks AS (SELECT (count(*), sum(hash(m))) FROM former_clear_marks m)
SELECT true WHERE
  (SELECT count(*) > 1000 FROM scope) -- then a change is likely, and comparing every session with every mark is slow
  OR (FROM marks) IS DISTINCT FROM (FROM former_marks)
  OR EXISTS (FROM touched s JOIN clear_marks c ON c.agent = s.agent
    WHERE (s.changed OR c.evidence = 'history' AND s.ended_first <> s.ended_last) AND (s.session_id = c.session_id OR s.session_id = c.next_session_id)
    OR c.project = s.project AND (
      -- Sessions begun before the clear, or up to two hours after.
      s.changed AND c.evidence = 'history' AND s.started_at <= c.timestamp + INTERVAL 2 HOUR
      -- Sessions with a message in the day before.
      OR c.evidence = 'history' AND c.session_id IS NULL AND s.ended_first <> s.ended_last AND s.ended_first < c.timestamp - INTERVAL 1 DAY AND s.ended_last >= c.timestamp - INTERVAL 1 DAY
      -- Sessions begun with the next prompt, ended before, or still active.
      OR c.next_prompt IS NOT NULL
      OR c.evidence = 'inferred' AND (s.changed OR s.ended_first <> s.ended_last) AND (s.ended_first BETWEEN c.timestamp - INTERVAL 5 MINUTE AND c.timestamp
        OR s.ended_last BETWEEN c.timestamp - INTERVAL 5 MINUTE AND c.timestamp
        OR s.started_at < c.timestamp AND s.ended_last > c.timestamp AND (s.changed OR s.ended_first <= c.timestamp))
      -- Sessions that may have the call of the plan.
      OR c.trigger = 'plan' AND c.session_id IS NULL
        AND c.timestamp BETWEEN s.started_at - INTERVAL 3 SECOND AND s.ended_last + if(s.changed, INTERVAL 1 DAY, INTERVAL 3 SECOND)));

-- when: EXISTS (FROM stale_clears)
DELETE FROM clears;

INSERT INTO clears BY NAME
WITH
marks AS (SELECT c.*, f.machine FROM clear_marks c LEFT JOIN sources f USING (source_id)),
-- A forked session copies the first lines, too: the oldest session's trace counts.
starts AS (
  SELECT c.*, c.uuid IS NOT NULL AND row_number() OVER (PARTITION BY c.agent, c.uuid ORDER BY NOT is_own(c.machine), coalesce(m.is_copy, false), c.source_id) > 1 AS is_elsewhere
  FROM marks c
  LEFT JOIN messages m ON m.agent = c.agent AND m.source_id = c.source_id AND m.uuid = c.uuid
  WHERE c.evidence = 'session start' OR c.evidence = 'inferred' AND c.session_id IS NOT NULL AND c.next_session_id IS NOT NULL
  QUALIFY row_number() OVER (PARTITION BY c.agent, c.machine, coalesce(c.uuid, c.source_id::VARCHAR || c.timestamp::VARCHAR)
    ORDER BY coalesce(m.is_copy, false), c.source_id) = 1),
-- A process names, in every session that it writes, the session that it began with. The
-- first session that a process writes after this one may have begun in a clear of it.
named AS (
  SELECT agent, machine, session_id AS process, next_session_id AS session_id, min(timestamp) AS since
  FROM marks WHERE evidence = 'process' GROUP BY ALL),
opened AS (
  SELECT *, if(since = min(since) OVER (PARTITION BY agent, machine, process), process, NULL) AS first_of FROM named
  QUALIFY row_number() OVER (PARTITION BY agent, machine, session_id ORDER BY since, process) = 1),
plan_starts AS MATERIALIZED (FROM starts WHERE trigger = 'plan' AND session_id IS NULL),
plan_calls AS MATERIALIZED (
  SELECT s.uuid, s.source_id, arg_min(t.session_id, (abs(epoch(t.finished_at) - epoch(s.timestamp)), t.session_id)) AS session_id
  FROM plan_starts s
  JOIN tool_calls t ON t.agent = s.agent AND t.machine IS NOT DISTINCT FROM s.machine AND t.tool_kind = 'plan' AND NOT t.is_copy AND t.session_id <> s.next_session_id
    AND t.finished_at BETWEEN s.timestamp - INTERVAL 3 SECOND AND s.timestamp + INTERVAL 3 SECOND
  JOIN sessions o ON o.agent = t.agent AND o.source_id = t.source_id AND o.session_id = t.session_id AND o.kind = 'main' AND o.project = s.project
  ANTI JOIN rejections r ON r.agent = t.agent AND r.source_id = t.source_id AND r.tool_use_id = t.tool_use_id AND r.reason IS NOT NULL
  GROUP BY ALL),
-- The last messages of the sessions that the other plans' clears may have ended.
may_end AS MATERIALIZED (
  SELECT s.uuid, s.source_id, s.timestamp, o.agent, o.source_id AS old_source, o.session_id
  FROM plan_starts s
  ANTI JOIN plan_calls p ON p.uuid = s.uuid AND p.source_id = s.source_id
  JOIN sessions n ON n.agent = s.agent AND n.source_id = s.source_id AND n.session_id = s.next_session_id
  JOIN sessions o ON o.agent = s.agent AND o.machine IS NOT DISTINCT FROM s.machine AND o.kind = 'main' AND o.project = s.project
    AND o.origin IS NOT DISTINCT FROM n.origin AND o.session_id <> s.next_session_id
    AND s.timestamp BETWEEN o.started_at AND o.ended_at + INTERVAL 1 DAY
  WHERE o.project IN (SELECT project FROM plan_starts)), -- without such a clear, nothing is joined
last_messages AS MATERIALIZED (
  SELECT e.uuid, e.source_id, e.agent, e.old_source, e.session_id, max(m.message_index) AS message_index
  FROM may_end e JOIN messages m ON m.agent = e.agent AND m.source_id = e.old_source AND m.session_id = e.session_id AND NOT m.is_copy
    AND m.timestamp <= e.timestamp AND m.kind IN ('prompt', 'response', 'tool_result', 'command')
  WHERE m.session_id IN (SELECT session_id FROM may_end) -- without such sessions, no message is read
  GROUP BY ALL),
-- If the path of the old transcript was removed from the first text of the new session,
-- the old session is the session with a plan call that ended at that moment. If the
-- agent makes no call of a plan, the old session is the program's last one in the day
-- before whose last message was a plan.
planned AS (
  SELECT s.* REPLACE (coalesce(s.session_id, p.session_id, q.session_id) AS session_id,
      if(coalesce(p.session_id, q.session_id) IS NULL, s.confidence, least(s.confidence, 0.9)) AS confidence),
    n.process, if(o.started_at > s.timestamp, NULL, n.first_of) AS first_of
  FROM starts s
  LEFT JOIN opened n ON n.agent = s.agent AND n.machine IS NOT DISTINCT FROM s.machine AND n.session_id = s.next_session_id
  LEFT JOIN sessions o ON o.agent = n.agent AND o.machine IS NOT DISTINCT FROM n.machine AND o.session_id = n.first_of
  LEFT JOIN plan_calls p ON p.uuid = s.uuid AND p.source_id = s.source_id
  LEFT JOIN (
    SELECT l.uuid, l.source_id, arg_max(m.session_id, (m.timestamp, m.session_id)) AS session_id
    FROM last_messages l JOIN messages m ON m.agent = l.agent AND m.source_id = l.old_source AND m.session_id = l.session_id AND m.message_index = l.message_index
    WHERE m.session_id IN (SELECT session_id FROM last_messages) AND contains(m.text, '<proposed_plan>')
    GROUP BY ALL) q ON q.uuid = s.uuid AND q.source_id = s.source_id),
-- If the session named by the history began after the line, it is the new session. A
-- history on two machines has the same lines on both; one of them is kept.
lines AS (
  SELECT h.* REPLACE (
      CASE WHEN n.session_id IS NULL THEN h.session_id END AS session_id,
      coalesce(n.session_id, h.next_session_id) AS next_session_id),
    n.session_id IS NOT NULL AS is_next,
    row_number() OVER (ORDER BY h.source_id, h.timestamp, h.session_id) AS id
  FROM marks h
  LEFT JOIN sessions n ON n.agent = h.agent AND n.session_id = h.session_id AND n.started_at > h.timestamp AND may_tell(n.machine, h.machine)
  WHERE h.evidence = 'history'
  QUALIFY row_number() OVER (PARTITION BY h.agent, h.trigger, h.command, h.project, h.timestamp, h.session_id ORDER BY NOT is_own(h.machine), h.source_id) = 1),
-- pairs joins traces of the same moment, of one process, or with the same session. The
-- traces never name different ended sessions. The new sessions may differ, because the
-- history names the session of the project's next input.
line_keys AS (
  SELECT h.*, unnest(['at ' || epoch_ms(h.timestamp) // 2000, 'to ' || h.next_session_id, 'of ' || h.session_id] || coalesce(n.processes, [])) AS key
  FROM lines h LEFT JOIN (SELECT agent, machine, session_id, list('of ' || process) AS processes FROM named GROUP BY ALL) n
    ON n.agent = h.agent AND n.machine IS NOT DISTINCT FROM h.machine AND n.session_id = h.session_id),
start_keys AS (
  SELECT *, unnest(['at ' || (t - 1), 'at ' || t, 'at ' || (t + 1), 'to ' || next_session_id, 'of ' || coalesce(session_id, process)]) AS key
  FROM (SELECT *, epoch_ms(timestamp) // 2000 AS t FROM planned)),
pairs AS (
  SELECT h.id, s.uuid, s.machine, abs(epoch(h.timestamp) - epoch(s.timestamp)) AS apart, (apart > 2, starts_with(key, 'at '), apart) AS rank
  FROM line_keys h JOIN start_keys s USING (agent, trigger, key)
  WHERE h.machine IS NOT DISTINCT FROM s.machine
    AND (h.session_id = s.session_id OR h.session_id IS NULL OR s.session_id IS NULL)
    AND (h.project = s.project OR h.project IS NULL OR s.project IS NULL)
    AND (apart <= 2 OR NOT starts_with(key, 'at ') AND h.timestamp BETWEEN s.timestamp - INTERVAL 1 DAY AND s.timestamp)),
near AS (
  SELECT id, uuid, machine FROM (FROM pairs QUALIFY row_number() OVER (PARTITION BY id ORDER BY rank, uuid) = 1)
  QUALIFY row_number() OVER (PARTITION BY uuid, machine ORDER BY rank, id) = 1),
-- A clear typed while the agent worked ran when the agent was done. Its trace is the
-- project's next trace, right after the last message of the old session.
mains AS (
  SELECT agent, machine, project, session_id, started_at, ended_at FROM sessions
  WHERE kind = 'main' AND agent IN (SELECT agent FROM lines)),
-- The old log may have the time of the run: when the clear left the queue.
taken AS (
  SELECT h.id, min(q.timestamp) AS ran
  FROM lines h JOIN marks q ON q.evidence = 'queue' AND q.agent = h.agent AND q.session_id = h.session_id AND q.machine IS NOT DISTINCT FROM h.machine
    AND q.timestamp >= h.timestamp
  GROUP BY h.id),
waiting AS (
  SELECT h.*, q.ran, o.ended_at AS old_ended, o.session_id IS NOT NULL AS is_there
  FROM lines h ANTI JOIN near USING (id)
  LEFT JOIN taken q USING (id)
  LEFT JOIN mains o ON o.agent = h.agent AND o.session_id = h.session_id AND o.machine IS NOT DISTINCT FROM h.machine),
late AS (
  SELECT h.id, s.uuid, s.machine
  FROM waiting h ASOF JOIN (
      SELECT p.* FROM planned p ANTI JOIN near b ON b.uuid = p.uuid AND b.machine IS NOT DISTINCT FROM p.machine WHERE p.uuid IS NOT NULL) s
    ON h.agent = s.agent AND h.machine IS NOT DISTINCT FROM s.machine AND h.trigger = s.trigger AND h.project = s.project AND h.timestamp <= s.timestamp
  WHERE (h.session_id = s.session_id OR h.session_id IS NULL OR s.session_id IS NULL)
    AND CASE WHEN ran IS NOT NULL THEN s.timestamp BETWEEN ran - INTERVAL 2 SECOND AND ran + INTERVAL 1 MINUTE
      WHEN is_there THEN old_ended BETWEEN h.timestamp AND s.timestamp + INTERVAL 2 SECOND AND s.timestamp <= old_ended + INTERVAL 1 MINUTE
      ELSE s.timestamp <= h.timestamp + INTERVAL 10 MINUTE END
  QUALIFY row_number() OVER (PARTITION BY s.uuid, s.machine ORDER BY h.timestamp, h.id) = 1),
best AS (SELECT id, uuid, machine FROM near UNION ALL FROM late),
-- A new session without first lines began at the moment of the clear: when the clear
-- was typed, or when the old session fell silent.
silent AS (
  SELECT m.*, unnest([t - 1, t, t + 1]) AS slot
  FROM (SELECT *, epoch_ms(started_at) // 2000 AS t FROM mains) m
  ANTI JOIN planned p ON p.agent = m.agent AND p.next_session_id = m.session_id),
moments AS (
  SELECT id, agent, machine, project, session_id, unnest(list_distinct([timestamp, if(old_ended BETWEEN timestamp AND timestamp + INTERVAL 1 HOUR, old_ended, NULL), ran])) AS moment
  FROM waiting ANTI JOIN late USING (id)),
begun_at AS (
  SELECT id, session_id FROM (
    SELECT h.id, s.agent, s.session_id, abs(epoch(s.started_at) - epoch(h.moment)) AS apart
    FROM moments h JOIN silent s ON s.agent = h.agent AND s.machine IS NOT DISTINCT FROM h.machine AND s.project = h.project AND s.slot = epoch_ms(h.moment) // 2000
      AND s.session_id IS DISTINCT FROM h.session_id
    WHERE apart <= 2
    QUALIFY row_number() OVER (PARTITION BY h.id ORDER BY apart, s.session_id) = 1)
  QUALIFY row_number() OVER (PARTITION BY agent, session_id ORDER BY apart, id) = 1),
-- Or the new session began with the next prompt typed in the same program.
begins AS (
  FROM begun_at UNION ALL
  SELECT h.id, arg_min(s.session_id, (s.started_at, s.session_id))
  FROM waiting h ANTI JOIN begun_at USING (id) JOIN sessions s ON s.agent = h.agent AND s.machine IS NOT DISTINCT FROM h.machine AND s.project = h.project AND s.kind = 'main' AND s.started_at > h.timestamp
  JOIN (
    SELECT source_id, session_id, arg_min(text, message_index) AS text FROM messages
    WHERE kind = 'prompt' AND agent IN (SELECT agent FROM waiting WHERE next_prompt IS NOT NULL) GROUP BY ALL) m
    ON m.source_id = s.source_id AND m.session_id = s.session_id AND m.text = h.next_prompt
  WHERE s.session_id IS DISTINCT FROM h.session_id
  GROUP BY h.id),
-- Some histories name only a program's first session. A later clear of that program
-- ended the session that the clear before it began.
lefts AS (
  SELECT agent, machine, project, timestamp, lag(timestamp) OVER (PARTITION BY agent, machine, project, session_id ORDER BY timestamp) AS former
  FROM (SELECT DISTINCT agent, machine, project, session_id, timestamp FROM marks WHERE evidence = 'process' AND next_session_id IS NULL)),
formers AS (
  SELECT h.id, arg_min(b.session_id, b.id) AS session_id
  FROM waiting h JOIN lefts l USING (agent, timestamp) JOIN waiting f ON f.agent = h.agent AND f.timestamp = l.former JOIN begins b ON b.id = f.id
  WHERE h.session_id IS NULL AND h.machine IS NOT DISTINCT FROM l.machine AND f.machine IS NOT DISTINCT FROM l.machine
    AND h.project IS NOT DISTINCT FROM l.project AND f.project IS NOT DISTINCT FROM l.project
  GROUP BY h.id),
numbered AS (SELECT *, row_number() OVER (ORDER BY agent, session_id) AS number FROM mains WHERE EXISTS (FROM lines WHERE session_id IS NULL)),
-- alive finds the ended session for a line without one: the project's only session
-- begun by then, with messages in the day before or later. If one session is alive, the
-- sum of the numbers is its number.
alive AS (
  SELECT agent, machine, project, since, sum(sum(step)) OVER w AS sessions, sum(sum(step * number)) OVER w AS number
  FROM (
    SELECT agent, machine, project, number, unnest([1, -1]) AS step, unnest([started_at, coalesce(ended_at, started_at) + INTERVAL 1 DAY + INTERVAL 1 MICROSECOND]) AS since
    FROM numbered WHERE started_at IS NOT NULL)
  GROUP BY agent, machine, project, since
  WINDOW w AS (PARTITION BY agent, machine, project ORDER BY since)),
meant AS (
  SELECT h.id, n.session_id
  FROM waiting h ASOF JOIN alive a ON a.agent = h.agent AND a.machine IS NOT DISTINCT FROM h.machine AND a.project = h.project AND h.timestamp >= a.since
  JOIN numbered n ON n.number = a.number
  WHERE h.session_id IS NULL AND a.sessions = 1),
ends AS (FROM marks WHERE evidence = 'inferred' AND session_id IS NOT NULL AND next_session_id IS NULL),
-- Sessions marked as perhaps begun in a clear, and sessions that began with the prompt
-- typed after a clear.
inferred AS (
  SELECT agent, next_session_id, trigger, command, timestamp, evidence, confidence, source_id, machine, true AS is_made
  FROM marks WHERE evidence = 'inferred' AND next_prompt IS NULL AND session_id IS NULL AND source_id NOT IN (SELECT source_id FROM ends)
  UNION ALL
  SELECT c.agent, s.session_id, c.trigger, c.command, m.timestamp, c.evidence, c.confidence, s.source_id, s.machine, false
  FROM marks c
  JOIN sources f ON f.source_id = c.source_id
  JOIN sessions s ON s.agent = c.agent AND s.project = c.project AND (s.extra->'projects') IS NULL
  JOIN sources l ON l.source_id = s.source_id AND l.machine IS NOT DISTINCT FROM f.machine AND (l.gone_at IS NOT NULL OR f.gone_at IS NULL)
  JOIN messages m ON m.source_id = s.source_id AND m.session_id = s.session_id AND m.message_index = 0
    AND m.kind IN ('prompt', 'command') AND m.text = c.next_prompt AND m.timestamp IS NOT NULL
  WHERE c.next_prompt IS NOT NULL AND c.evidence = 'inferred'),
began AS (
  SELECT c.*, n.project, n.origin, n.started_at
  FROM inferred c
  JOIN sessions n ON n.agent = c.agent AND n.session_id = c.next_session_id AND n.machine IS NOT DISTINCT FROM c.machine
  WHERE n.kind = 'main' AND n.forked_from IS NULL),
fellows AS (
  SELECT agent, machine, project, origin, session_id, started_at, ended_at FROM sessions
  WHERE kind = 'main' AND agent IN (SELECT agent FROM inferred)),
-- While a further session of the project was active, no program of the project had
-- cleared. reaches and busy find such cases.
reaches AS (
  SELECT agent, machine, project, origin, started_at, max(max(ended_at)) OVER (PARTITION BY agent, machine, project, origin ORDER BY started_at) AS reach
  FROM fellows WHERE started_at IS NOT NULL GROUP BY agent, machine, project, origin, started_at),
busy AS (
  SELECT c.agent, c.next_session_id, c.timestamp
  FROM began c ASOF JOIN reaches r ON r.agent = c.agent AND r.machine IS NOT DISTINCT FROM c.machine AND r.project = c.project AND r.origin IS NOT DISTINCT FROM c.origin
    AND c.timestamp > r.started_at
  WHERE c.is_made AND r.reach > c.timestamp),
both_ends AS (
  SELECT s.agent, s.project, s.origin, s.machine, s.session_id, s.source_id, s.started_at, s.ended_at, s.forked_from, e.timestamp AS closed_at, epoch_ms(e.timestamp) // 4000 AS slot
  FROM ends e JOIN sessions s ON s.agent = e.agent AND s.source_id = e.source_id AND s.kind = 'main'),
-- around finds sessions by the approximate time of their end, because pairs of all
-- sessions of a project would be too many.
around AS (SELECT * REPLACE (unnest([slot - 1, slot, slot + 1]) AS slot) FROM both_ends),
-- Some agents record with which session a program began. A session without that trace,
-- after one with it, began in a running program. If the older session's end is late or
-- missing, the project's only session that was silent by then is taken.
begun AS (
  SELECT DISTINCT ON (c.source_id, n.session_id) n.*, c.trigger, c.command, c.timestamp, c.evidence, if(p.since < c.timestamp, 0.9, c.confidence) AS confidence,
    max(c.timestamp) OVER (PARTITION BY n.agent, n.machine, n.project ORDER BY c.timestamp RANGE BETWEEN UNBOUNDED PRECEDING AND INTERVAL 1 MICROSECOND PRECEDING) AS former
  FROM marks c JOIN both_ends n ON n.agent = c.agent AND n.source_id = c.source_id AND n.forked_from IS NULL
  LEFT JOIN (SELECT agent, machine, project, min(timestamp) AS since FROM marks WHERE evidence = 'process' AND session_id = next_session_id GROUP BY ALL) p
    ON p.agent = n.agent AND p.machine IS NOT DISTINCT FROM n.machine AND p.project = n.project
  WHERE c.evidence = 'inferred' AND c.next_prompt IS NULL AND c.session_id IS NULL
  ORDER BY c.source_id, n.session_id, c.timestamp),
older AS (
  SELECT n.source_id, n.session_id AS next_session_id, o.session_id, o.started_at, true AS has_ended
  FROM begun n JOIN around o ON o.agent = n.agent AND o.project = n.project AND o.slot = epoch_ms(n.timestamp) // 4000
    AND o.source_id <> n.source_id AND o.origin IS NOT DISTINCT FROM n.origin AND o.machine IS NOT DISTINCT FROM n.machine
  WHERE o.started_at < n.timestamp AND n.timestamp BETWEEN o.closed_at - INTERVAL 2 SECOND AND o.closed_at + INTERVAL 500 MILLISECOND
  UNION ALL
  SELECT n.source_id, n.session_id, o.session_id, o.started_at, true
  FROM begun n JOIN both_ends w ON w.agent = n.agent AND w.source_id = n.source_id
  JOIN around o ON o.agent = n.agent AND o.project = n.project AND o.slot = w.slot
    AND o.source_id <> n.source_id AND o.origin IS NOT DISTINCT FROM n.origin AND o.machine IS NOT DISTINCT FROM n.machine
  WHERE o.started_at < n.timestamp AND n.timestamp < o.closed_at AND (o.ended_at <= n.timestamp OR o.ended_at > o.closed_at)
    AND w.closed_at BETWEEN o.closed_at - INTERVAL 1 SECOND AND o.closed_at + INTERVAL 1 SECOND
  UNION ALL
  SELECT n.source_id, n.session_id, o.session_id, o.started_at, false
  FROM begun n JOIN both_ends o ON o.agent = n.agent AND o.project = n.project
    AND o.source_id <> n.source_id AND o.origin IS NOT DISTINCT FROM n.origin AND o.machine IS NOT DISTINCT FROM n.machine
  WHERE n.confidence = 0.9 AND o.started_at < n.timestamp AND (o.ended_at <= n.timestamp OR o.ended_at > o.closed_at)
    AND (o.closed_at BETWEEN n.timestamp AND n.timestamp + INTERVAL 10 SECOND
      OR o.closed_at IS NULL AND o.ended_at > n.timestamp - INTERVAL 5 MINUTE AND (n.former IS NULL OR o.ended_at > n.former))),
followed AS (
  SELECT n.agent, c.session_id, n.session_id AS next_session_id, NULL AS after_message_index,
    n.trigger, n.command, n.timestamp, n.evidence, if(c.has_ended OR count(*) OVER one = 1, n.confidence, 0.8) AS confidence, n.source_id, n.machine
  FROM begun n JOIN older c ON c.source_id = n.source_id AND c.next_session_id = n.session_id
  WINDOW one AS (PARTITION BY n.source_id, n.session_id)
  QUALIFY row_number() OVER (PARTITION BY n.source_id, n.session_id ORDER BY c.has_ended DESC, c.started_at DESC, c.session_id) = 1),
merged AS (
  SELECT s.agent, coalesce(s.session_id, h.session_id, s.first_of) AS session_id, coalesce(s.next_session_id, h.next_session_id) AS next_session_id,
    s.after_message_index, s.trigger, coalesce(h.command, s.command) AS command, s.timestamp,
    CASE WHEN h.id IS NULL THEN s.evidence ELSE 'both' END AS evidence, s.confidence, s.source_id, s.machine
  FROM planned s LEFT JOIN best b ON b.uuid = s.uuid AND b.machine IS NOT DISTINCT FROM s.machine LEFT JOIN lines h USING (id)
  WHERE NOT s.is_elsewhere
  UNION ALL
  SELECT h.agent, coalesce(h.session_id, f.session_id, o.session_id),
    -- If the new session named by the history had a log, the log would show the clear.
    CASE WHEN b.session_id IS NOT NULL THEN b.session_id WHEN n.session_id IS NULL OR h.is_next THEN h.next_session_id END,
    h.after_message_index, h.trigger, h.command, h.timestamp, h.evidence,
    CASE WHEN f.session_id IS NULL AND o.session_id IS NOT NULL THEN 0.6 WHEN b.session_id <> coalesce(h.next_session_id, '') THEN 0.9 ELSE h.confidence END, h.source_id, h.machine
  FROM waiting h ANTI JOIN late USING (id)
  LEFT JOIN begins b USING (id)
  LEFT JOIN meant o USING (id)
  LEFT JOIN formers f USING (id)
  LEFT JOIN mains n ON n.agent = h.agent AND n.session_id = h.next_session_id
  UNION ALL
  SELECT * EXCLUDE (ended, turn) FROM (
    SELECT c.agent, o.session_id, c.next_session_id, NULL, c.trigger, c.command, c.timestamp, c.evidence, c.confidence, c.source_id, c.machine,
      o.ended_at AS ended, row_number() OVER (PARTITION BY c.agent, c.next_session_id ORDER BY o.ended_at DESC, o.session_id) AS turn
    FROM began c ANTI JOIN busy USING (agent, next_session_id, timestamp)
    JOIN (SELECT *, unnest([t, t + 1]) AS slot FROM (SELECT *, epoch_ms(ended_at) // 300_000 AS t FROM fellows)) o
      ON o.agent = c.agent AND o.machine IS NOT DISTINCT FROM c.machine AND o.project = c.project AND o.origin IS NOT DISTINCT FROM c.origin
      AND o.slot = epoch_ms(c.timestamp) // 300_000
      AND o.session_id <> c.next_session_id AND o.started_at < c.timestamp AND o.ended_at BETWEEN c.timestamp - INTERVAL 5 MINUTE AND c.timestamp)
  WHERE turn = 1
  QUALIFY row_number() OVER (PARTITION BY agent, session_id ORDER BY timestamp, next_session_id) = 1
  UNION ALL
  FROM followed
  QUALIFY row_number() OVER (PARTITION BY agent, session_id ORDER BY timestamp, next_session_id) = 1)
SELECT c.timestamp, c.agent, coalesce(o.project, n.project) AS project, c.trigger, c.command, c.evidence, c.confidence,
  c.session_id, c.next_session_id,
  coalesce(c.after_message_index, (
    SELECT max(m.message_index) FROM messages m
    WHERE m.agent = c.agent AND m.session_id = o.session_id AND m.timestamp <= c.timestamp)) AS after_message_index,
  c.machine, f.user, f.host, is_guess(c.evidence, c.confidence) AS is_inferred, c.source_id
FROM merged c
LEFT JOIN sources f ON f.source_id = c.source_id
LEFT JOIN sessions o ON o.agent = c.agent AND o.session_id = c.session_id AND may_tell(o.machine, c.machine)
LEFT JOIN sessions n ON n.agent = c.agent AND n.session_id = c.next_session_id AND may_tell(n.machine, c.machine)
ORDER BY c.timestamp, c.session_id;
