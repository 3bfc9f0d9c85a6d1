package forget

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"hindsql/engine/store"
	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// Rows from an older store and from a pull come as SQL, and not through a Filter.
// Forgotten ones are deleted in the transaction that inserts them: DuckDB writes no row
// that its own transaction deleted.

// DeleteRows deletes the forgotten rows of the sources that a query gives, and notes the
// keys of messages that this machine's log of a forgotten session doesn't have. The
// connection is in a transaction, and uses the schema of the store's tables.
func DeleteRows(ctx context.Context, conn *sql.Conn, at store.File, sources string) error {
	l := &deletion{conn}
	list, err := Read(at)
	if err != nil || len(list.Sessions) == 0 {
		return err
	}
	if err := l.fillTables(ctx, list); err != nil {
		return err
	}
	if err := l.exec(ctx, "CREATE OR REPLACE TEMP TABLE come (source_id BIGINT); INSERT INTO come "+sources+";\n"+findForgottenSQL()); err != nil {
		return err
	}
	if err := l.recordFound(ctx, at, list); err != nil {
		return err
	}
	return l.exec(ctx, findCopiedSQL+";\n"+deleteSQL())
}

// deletion runs the statements of DeleteRows.
type deletion struct{ conn *sql.Conn }

func (l *deletion) exec(ctx context.Context, statement string) error {
	_, err := l.conn.ExecContext(ctx, statement)
	return err
}

// fillTables puts the list into temporary tables.
func (l *deletion) fillTables(ctx context.Context, list *List) error {
	const made = `CREATE OR REPLACE TEMP TABLE unwanted (agent VARCHAR, session_id VARCHAR, root VARCHAR);
		CREATE OR REPLACE TEMP TABLE unwanted_keys (key UBIGINT);
		CREATE OR REPLACE TEMP TABLE unwanted_approvals (agent VARCHAR, key VARCHAR)`
	if err := l.exec(ctx, made); err != nil {
		return err
	}
	var names, keys, approvals []string
	for _, s := range list.Sessions {
		for _, id := range append([]string{s.SessionID}, s.Subagents...) {
			names = append(names, fmt.Sprintf("(%s, %s, %s)", sqltext.Literal(s.Agent), sqltext.Literal(id), sqltext.Literal(s.SessionID)))
		}
		for _, k := range s.Keys {
			keys = append(keys, fmt.Sprintf("(%d)", k))
		}
		for _, k := range s.Approvals {
			approvals = append(approvals, fmt.Sprintf("(%s, %s)", sqltext.Literal(s.Agent), sqltext.Literal(k)))
		}
	}
	for table, rows := range map[string][]string{"unwanted": names, "unwanted_keys": keys, "unwanted_approvals": approvals} {
		for some := range slices.Chunk(rows, 5000) {
			if err := l.exec(ctx, "INSERT INTO "+table+" VALUES "+strings.Join(some, ", ")); err != nil {
				return err
			}
		}
	}
	return nil
}

// ownID is the SQL of a session's id without the suffix of link 1-session-ids.
const ownID = "CASE WHEN ends_with(session_id, format('@{:x}', source_id)) THEN left(session_id, -length(format('@{:x}', source_id))) ELSE session_id END"

// findForgottenSQL is the SQL that finds the forgotten sessions of the sources in come,
// and the keys of all messages there.
func findForgottenSQL() string {
	return fmt.Sprintf(`
CREATE OR REPLACE TEMP TABLE going AS
WITH RECURSIVE kin AS (
  SELECT agent, session_id AS id, %[1]s AS session_id, parent_session_id FROM sessions
  UNION ALL SELECT agent, session_id, session_id, continues FROM continuations),
below AS (
  SELECT agent, session_id, root FROM unwanted
  UNION SELECT k.agent, k.session_id, b.root FROM below b JOIN kin k ON k.agent = b.agent AND k.parent_session_id = b.session_id)
SELECT DISTINCT s.agent, s.source_id, s.session_id, s.own_id, b.root
FROM (
  SELECT agent, source_id, session_id, %[1]s AS own_id FROM sessions SEMI JOIN come USING (source_id)
  UNION SELECT agent, source_id, session_id, %[1]s FROM messages SEMI JOIN come USING (source_id)) s
JOIN below b ON b.agent = s.agent AND b.session_id = s.own_id;

CREATE OR REPLACE TEMP TABLE keyed AS
SELECT m.agent, m.source_id, m.session_id, message_index, origin_session_id, %[2]s AS ids, %[3]s AS content, g.session_id IS NOT NULL AS goes, g.root
FROM messages m SEMI JOIN come USING (source_id) LEFT JOIN going g USING (agent, source_id, session_id);`,
		ownID, qualified(tables.KeySQL("messages"), "m"), qualified(tables.ContentKeySQL(), "m"))
}

// findCopiedSQL is the SQL that finds copies of forgotten messages in other sessions, by
// the rules of link 3-copies.
const findCopiedSQL = `
CREATE OR REPLACE TEMP TABLE copied AS
SELECT agent, source_id, session_id, message_index FROM keyed k
WHERE NOT goes AND ((ids[1] IN (FROM unwanted_keys) OR ids[2] IN (FROM unwanted_keys))
  OR EXISTS (FROM unwanted u WHERE u.agent = k.agent AND u.session_id = k.origin_session_id));
INSERT INTO copied
SELECT k.agent, k.source_id, k.session_id, k.message_index
FROM keyed k JOIN (SELECT agent, source_id, session_id, max(message_index) AS last FROM copied GROUP BY ALL) c USING (agent, source_id, session_id)
WHERE k.message_index < c.last AND k.content IN (FROM unwanted_keys);
INSERT INTO copied
SELECT agent, source_id, session_id, t.result_message_index
FROM tool_calls t SEMI JOIN copied USING (agent, source_id, session_id, message_index) WHERE t.result_message_index IS NOT NULL`

// recordFound notes the subagents, and the messages after the last known one, of
// sessions that the list has: another machine may have gone on with a session.
func (l *deletion) recordFound(ctx context.Context, at store.File, list *List) error {
	isNew := false
	learn := func(query string, note func(s *Session, id string, key uint64)) error {
		rows, err := l.conn.QueryContext(ctx, query)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var agent, root, id string
			var key uint64
			if err := rows.Scan(&agent, &root, &id, &key); err != nil {
				return err
			}
			at := slices.IndexFunc(list.Sessions, func(s *Session) bool { return s.Agent == agent && s.SessionID == root })
			note(list.Sessions[at], id, key)
			isNew = true
		}
		return rows.Err()
	}
	err := learn("SELECT DISTINCT agent, root, own_id, 0::UBIGINT FROM going ANTI JOIN (SELECT agent, session_id AS own_id FROM unwanted) USING (agent, own_id)",
		func(s *Session, id string, _ uint64) { s.Subagents = append(s.Subagents, id) })
	if err != nil {
		return err
	}
	err = learn(`
WITH known AS (
  SELECT agent, source_id, session_id, max(message_index) AS last FROM keyed
  WHERE goes AND (ids[1] IN (FROM unwanted_keys) OR ids[2] IN (FROM unwanted_keys)) GROUP BY ALL)
SELECT DISTINCT agent, root, '', key FROM (
  SELECT agent, root, unnest(list_append(ids, content)) AS key FROM keyed JOIN known USING (agent, source_id, session_id) WHERE message_index > last)
WHERE key IS NOT NULL AND key NOT IN (FROM unwanted_keys)`,
		func(s *Session, _ string, key uint64) { s.Keys = append(s.Keys, key) })
	if err != nil || !isNew {
		return err
	}
	if err := l.fillTables(ctx, list); err != nil {
		return err
	}
	return list.Write(at)
}

// deleteSQL is the SQL that deletes what findForgottenSQL found.
func deleteSQL() string {
	var all strings.Builder
	for _, t := range []string{"messages", "tool_calls", "rejections", "interruptions", "compactions", "sessions"} {
		fmt.Fprintf(&all, "DELETE FROM %s t USING going g WHERE t.source_id = g.source_id AND t.agent = g.agent AND t.session_id = g.session_id;\n", t)
	}
	for _, t := range []string{"fork_marks", "continuations", "own_names", "loose_results"} {
		fmt.Fprintf(&all, "DELETE FROM %s t USING going g WHERE t.source_id = g.source_id AND t.agent = g.agent AND t.session_id IN (g.session_id, g.own_id);\n", t)
	}
	for t, index := range map[string]string{"messages": "message_index", "tool_calls": "message_index", "rejections": "message_index", "interruptions": "message_index", "compactions": "after_message_index"} {
		fmt.Fprintf(&all, "DELETE FROM %s t USING copied c WHERE t.source_id = c.source_id AND t.agent = c.agent AND t.session_id = c.session_id AND t.%s = c.message_index;\n", t, index)
	}
	fmt.Fprintf(&all, `
DELETE FROM prompts t WHERE source_id IN (FROM come) AND (EXISTS (FROM unwanted u WHERE u.agent = t.agent AND u.session_id = t.session_id) OR %[1]s[1] IN (FROM unwanted_keys));
DELETE FROM session_notes t WHERE source_id IN (FROM come) AND EXISTS (FROM unwanted u WHERE u.agent = t.agent AND u.session_id = t.session_id);
DELETE FROM approvals t WHERE source_id IN (FROM come) AND EXISTS (FROM unwanted_approvals u WHERE u.agent = t.agent AND u.key = t.key);
DELETE FROM clear_marks t WHERE source_id IN (FROM come) AND EXISTS (FROM unwanted u WHERE u.agent = t.agent AND u.session_id IN (t.session_id, t.next_session_id));
UPDATE fork_marks t SET forked_from = NULL WHERE source_id IN (FROM come) AND EXISTS (FROM unwanted u WHERE u.agent = t.agent AND u.session_id = t.forked_from);
DELETE FROM fork_marks WHERE forked_from IS NULL;

-- A session that only copied is gone with its copies; a title may be a copy, too.
CREATE OR REPLACE TEMP TABLE thinned AS SELECT DISTINCT agent, source_id, session_id FROM copied;
DELETE FROM sessions t USING thinned c WHERE t.agent = c.agent AND t.source_id = c.source_id AND t.session_id = c.session_id
  AND NOT EXISTS (FROM messages m WHERE m.agent = c.agent AND m.source_id = c.source_id AND m.session_id = c.session_id);
CREATE OR REPLACE TEMP TABLE about AS
SELECT agent, source_id, session_id, %[2]s AS own_id, if(%[3]s[1] IN (FROM unwanted_keys), NULL, title) AS title,
  (SELECT arg_min(coalesce(m.typed_text, m.text), m.message_index) FROM messages m WHERE m.agent = s.agent AND m.source_id = s.source_id AND m.session_id = s.session_id AND m.kind = 'prompt') AS prompt
FROM sessions s SEMI JOIN thinned USING (agent, source_id, session_id);
UPDATE sessions t SET title = a.title, about = left(trim(regexp_replace(coalesce(a.title, a.prompt), '\s+', ' ', 'g')), 120)
FROM about a WHERE t.agent = a.agent AND t.source_id = a.source_id AND t.session_id = a.session_id;
UPDATE own_names t SET title = a.title, about = left(trim(regexp_replace(coalesce(a.title, a.prompt), '\s+', ' ', 'g')), 120)
FROM about a WHERE t.agent = a.agent AND t.source_id = a.source_id AND t.session_id IN (a.session_id, a.own_id);

CREATE OR REPLACE TEMP TABLE hollow AS
SELECT source_id FROM (SELECT source_id FROM going UNION SELECT source_id FROM thinned)
WHERE source_id NOT IN (SELECT source_id FROM sessions) AND source_id NOT IN (SELECT source_id FROM prompts);
INSERT INTO forgotten_logs (source_id) SELECT DISTINCT source_id FROM (SELECT source_id FROM going UNION SELECT source_id FROM thinned) WHERE source_id NOT IN (FROM hollow);
`, tables.KeySQL("prompts"), ownID, tables.KeySQL("sessions"))
	for _, t := range tables.Loaded() {
		if t.Has("source_id") && t != tables.Pulled() {
			fmt.Fprintf(&all, "DELETE FROM %s WHERE source_id IN (FROM hollow);\n", t.Name)
		}
	}
	return all.String()
}
