package forget

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// Writer runs statements on a store's tables.
type Writer interface {
	Exec(ctx context.Context, statement string) (rows int64, err error)
	Each(ctx context.Context, query string, visit func(scan func(...any) error) error) error
}

// Describe finds what the list needs to know of sessions. A chosen session
// below another chosen one goes with the other.
func Describe(ctx context.Context, w Writer, sessions []Name) (list []*Session, err error) {
	var names []string
	for _, s := range sessions {
		names = append(names, fmt.Sprintf("(%s, %s)", sqltext.Literal(s.Agent), sqltext.Literal(s.SessionID)))
	}
	if _, err := w.Exec(ctx, "CREATE OR REPLACE TEMP TABLE chosen (agent VARCHAR, session_id VARCHAR)"); err != nil {
		return nil, err
	}
	for some := range slices.Chunk(names, 5000) {
		if _, err := w.Exec(ctx, "INSERT INTO chosen VALUES "+strings.Join(some, ", ")); err != nil {
			return nil, err
		}
	}
	if _, err := w.Exec(ctx, describing()); err != nil {
		return nil, err
	}
	of, now := map[Name]*Session{}, time.Now().UTC().Truncate(time.Second)
	err = w.Each(ctx, "SELECT agent, root, kind, value, key FROM described ORDER BY ALL", func(scan func(...any) error) error {
		var name Name
		var kind, value string
		var key uint64
		if err := scan(&name.Agent, &name.SessionID, &kind, &value, &key); err != nil {
			return err
		}
		s := of[name]
		if s == nil {
			s = &Session{Agent: name.Agent, SessionID: name.SessionID, ForgottenAt: now}
			of[name], list = s, append(list, s)
		}
		switch kind {
		case "log":
			s.Logs = append(s.Logs, int64(key))
		case "key":
			s.Keys = append(s.Keys, key)
		case "approval":
			s.Approvals = append(s.Approvals, value)
		default:
			if value != s.SessionID {
				s.Subagents = append(s.Subagents, value)
			}
		}
		return nil
	})
	return list, err
}

// describing is the SQL that makes table described from table chosen. Copies in the
// chosen sessions are of others' messages, which stay, so they have no key.
func describing() string {
	return fmt.Sprintf(`
CREATE OR REPLACE TEMP TABLE family AS
WITH RECURSIVE own AS (SELECT DISTINCT agent, source_id, session_id, parent_session_id, %[1]s AS own_id FROM sessions),
tops AS (
  SELECT DISTINCT o.agent, o.own_id AS root, o.session_id FROM chosen c JOIN own o USING (agent, session_id)
  WHERE NOT EXISTS (FROM chosen p WHERE p.agent = o.agent AND p.session_id = o.parent_session_id)),
below AS (
  SELECT agent, root, session_id, 0 AS depth FROM tops
  UNION SELECT b.agent, b.root, o.session_id, depth + 1 FROM below b JOIN own o ON o.agent = b.agent AND o.parent_session_id = b.session_id WHERE depth < 20)
SELECT o.agent, min(b.root) AS root, o.session_id, o.own_id, o.source_id FROM below b JOIN own o USING (agent, session_id) GROUP BY ALL;

CREATE OR REPLACE TEMP TABLE said AS
SELECT m.agent, root, m.session_id, m.message_index, is_other, %[2]s AS ids, %[3]s AS content, m.text, m.timestamp, m.kind, m.is_copy
FROM messages m JOIN (SELECT DISTINCT agent, session_id, root, session_id <> own_id AS is_other FROM family) f USING (agent, session_id);

-- Another machine may have gone on with a session: what follows the last message known
-- here is the session's, too, though a fork there may count as the original.
CREATE OR REPLACE TEMP TABLE ours AS
WITH own AS (SELECT unnest(ids) AS key FROM said WHERE NOT is_copy),
known AS (SELECT agent, session_id, max(message_index) AS last FROM said WHERE is_other AND (ids[1] IN (FROM own) OR ids[2] IN (FROM own)) GROUP BY ALL)
SELECT s.* FROM said s LEFT JOIN known k USING (agent, session_id) WHERE NOT s.is_copy OR message_index > k.last;

CREATE OR REPLACE TEMP TABLE described AS
SELECT agent, root, 'id' AS kind, own_id AS value, 0::UBIGINT AS key FROM family
UNION SELECT agent, session_id, 'id', session_id, 0 FROM chosen WHERE (agent, session_id) NOT IN (SELECT (agent, session_id) FROM sessions)
UNION SELECT agent, root, 'log', '', source_id::UBIGINT FROM family
UNION SELECT agent, root, 'log', '', m.source_id::UBIGINT FROM (SELECT DISTINCT agent, session_id, source_id FROM messages) m JOIN family f USING (agent, session_id)
UNION SELECT f.agent, root, 'approval', o.approval_key, 0 FROM own_names o JOIN family f ON f.source_id = o.source_id AND f.own_id = o.session_id WHERE o.approval_key IS NOT NULL
UNION SELECT f.agent, root, 'key', '', %[4]s[1] FROM sessions s JOIN family f USING (agent, session_id, source_id) WHERE title IS NOT NULL
UNION SELECT agent, root, 'key', '', key FROM (SELECT agent, root, unnest(list_append(ids, content)) AS key FROM ours) WHERE key IS NOT NULL
UNION SELECT p.agent, root, 'key', '', key
FROM (SELECT agent, text, timestamp, %[5]s[1] AS key FROM prompts WHERE session_id IS NULL) p
JOIN ours m ON m.agent = p.agent AND m.text = p.text AND m.kind IN ('prompt', 'command') AND abs(epoch(m.timestamp) - epoch(p.timestamp)) <= 5`,
		ownID, qualified(tables.KeySQL("messages"), "m"), qualified(tables.ContentKeySQL(), "m"), qualified(tables.KeySQL("sessions"), "s"), tables.KeySQL("prompts"))
}

// qualified names the table of a key's agent.
func qualified(key, table string) string {
	return strings.ReplaceAll(key, "coalesce(agent,", "coalesce("+table+".agent,")
}
