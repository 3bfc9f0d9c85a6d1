// Package forget decides what is forgotten: which sessions no log, no older store and no
// pull brings into a store.
//
// In: a store's list of forgotten sessions, the events of logs, and the rows of a store
// in a transaction. Out: events and rows without the forgotten sessions. [Filter] takes
// rows of logs before they reach a batch, [DeleteRows] takes rows that come as SQL.
package forget

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"hindsql/engine/store"
	"hindsql/internal/atomicfile"
	"hindsql/internal/lists"
	"hindsql/internal/regular"
	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// Name names a session.
type Name struct{ Agent, SessionID string }

// Session is a session that no sync and no pull loads.
type Session struct {
	Agent       string    `json:"agent"`
	SessionID   string    `json:"session_id"`
	ForgottenAt time.Time `json:"forgotten_at"`
	Subagents   []string  `json:"subagents,omitempty"`     // ids of the subagents, and of their subagents
	Approvals   []string  `json:"approval_keys,omitempty"` // of the session and its subagents, see tables.Session
	Logs        []int64   `json:"logs,omitempty"`          // source ids
	Keys        Keys      `json:"keys"`                    // of the messages, see tables.KeySQL
}

// List is the list beside the store. It decides alone what is forgotten: all
// rows that come into a store, from logs, from an older store or from a pull, pass it.
// The list has ids and hashes of ids and texts, and no text.
type List struct {
	Format   int        `json:"format"`
	Sessions []*Session `json:"sessions"`
}

// knownFormat is the only known format of the list.
const knownFormat = 1

// Keys is a list of keys, in JSON as base64 of eight bytes each.
type Keys []uint64

// MarshalText writes the keys.
func (k Keys) MarshalText() ([]byte, error) {
	var raw []byte
	for _, n := range k {
		raw = binary.LittleEndian.AppendUint64(raw, n)
	}
	return []byte(base64.StdEncoding.EncodeToString(raw)), nil
}

// UnmarshalText reads what MarshalText wrote.
func (k *Keys) UnmarshalText(text []byte) error {
	raw, err := base64.StdEncoding.DecodeString(string(text))
	if err == nil && len(raw)%8 != 0 {
		err = errors.New("keys are cut off")
	}
	*k = nil
	for ; err == nil && len(raw) > 0; raw = raw[8:] {
		*k = append(*k, binary.LittleEndian.Uint64(raw))
	}
	return err
}

// Read reads the list beside a store. A missing file is an empty list. Any
// other doubt is an error: without the list, forgotten rows would be loaded.
func Read(at store.File) (*List, error) {
	list := &List{Format: knownFormat}
	text, err := regular.Read(at.ForgottenPath(), regular.Own)
	if errors.Is(err, fs.ErrNotExist) {
		return list, nil
	}
	if err == nil {
		err = json.Unmarshal(text, list)
	}
	switch {
	case err != nil:
	case list.Format != knownFormat:
		err = errors.New("another version of hindsql wrote it")
	case slices.ContainsFunc(list.Sessions, func(s *Session) bool { return s == nil || s.Agent == "" || s.SessionID == "" }):
		err = errors.New("a session has no name")
	}
	if err == nil {
		return list, nil
	}
	if wrong := (*fs.PathError)(nil); errors.As(err, &wrong) {
		err = wrong.Err
	}
	return nil, fmt.Errorf("%s: the list of forgotten sessions can't be read, and nothing is loaded until it can: %w; put back a copy of it, or remove it and run hindsql prune --forget again", at.ForgottenPath(), err)
}

// Write writes the list whole or not at all, readable for the user only. An empty list
// is no file.
func (l *List) Write(at store.File) error {
	if len(l.Sessions) == 0 {
		if err := os.Remove(at.ForgottenPath()); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	text, err := json.MarshalIndent(l, "", " ")
	if err != nil {
		return err
	}
	return atomicfile.Write(at.ForgottenPath(), append(text, '\n'))
}

// Digest returns a hash of the names that a person gave; empty for an empty list. A
// store made under another list is made anew.
func (l *List) Digest() string {
	if len(l.Sessions) == 0 {
		return ""
	}
	names := lists.Map(l.Sessions, func(s *Session) string { return s.Agent + "\x00" + s.SessionID })
	slices.Sort(names)
	sum := sha256.Sum256([]byte(strings.Join(names, "\n")))
	return hex.EncodeToString(sum[:8])
}

// Add puts a session on the list, with all that is known of it.
func (l *List) Add(s *Session) {
	for _, had := range l.Sessions {
		if had.Agent == s.Agent && had.SessionID == s.SessionID {
			had.Subagents = union(had.Subagents, s.Subagents)
			had.Approvals = union(had.Approvals, s.Approvals)
			had.Logs = union(had.Logs, s.Logs)
			had.Keys = union(had.Keys, s.Keys)
			return
		}
	}
	l.Sessions = append(l.Sessions, s)
}

// union returns the elements of both lists once, sorted.
func union[S ~[]E, E cmp.Ordered](a, b S) S {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// Find returns the session of an id, or of the unique beginning of an id.
func (l *List) Find(id string) (*Session, error) {
	var found []*Session
	for _, s := range l.Sessions {
		if s.SessionID == id {
			return s, nil
		}
		if strings.HasPrefix(s.SessionID, id) {
			found = append(found, s)
		}
	}
	switch len(found) {
	case 0:
		return nil, store.NotOne(id + ": no forgotten session has this id; hindsql sources --forgotten lists them")
	case 1:
		return found[0], nil
	}
	return nil, store.NotOne(fmt.Sprintf("%s: %d forgotten sessions begin so; give more of the id", id, len(found)))
}

// Writer runs statements on a store's tables.
type Writer interface {
	Exec(ctx context.Context, statement string) (rows int64, err error)
	Each(ctx context.Context, query string, visit func(scan func(...any) error) error) error
}

// Describe finds what the list needs to know of sessions. A chosen session
// below another chosen one goes with the other.
func Describe(ctx context.Context, w Writer, sessions []Name) (list []*Session, err error) {
	names := lists.Map(sessions, func(s Name) string {
		return fmt.Sprintf("(%s, %s)", sqltext.Literal(s.Agent), sqltext.Literal(s.SessionID))
	})
	if _, err := w.Exec(ctx, "CREATE OR REPLACE TEMP TABLE chosen (agent VARCHAR, session_id VARCHAR)"); err != nil {
		return nil, err
	}
	for some := range slices.Chunk(names, 5000) {
		if _, err := w.Exec(ctx, "INSERT INTO chosen VALUES "+strings.Join(some, ", ")); err != nil {
			return nil, err
		}
	}
	if _, err := w.Exec(ctx, describeSQL()); err != nil {
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

// describeSQL is the SQL that makes table described from table chosen. Copies in the
// chosen sessions are of others' messages, which stay, so they have no key.
func describeSQL() string {
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
