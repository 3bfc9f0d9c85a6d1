// Package forget decides what is forgotten: which sessions no log, no older store and no
// pull brings into a store.
//
// In: a store's list of forgotten sessions, the events of logs, and the rows of a store
// in a transaction. Out: events and rows without the forgotten sessions. [Guard] takes
// rows of logs before they reach a batch, [LeaveOut] takes rows that come as SQL.
package forget

import (
	"cmp"
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
	"hindsql/internal/regular"
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
	text, err := regular.Read(at.Forgotten(), regular.Own)
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
	return nil, fmt.Errorf("%s: the list of forgotten sessions can't be read, and nothing is loaded until it can: %w; put back a copy of it, or remove it and run hindsql prune --forget again", at.Forgotten(), err)
}

// Write writes the list whole or not at all, readable for the user only. An empty list
// is no file.
func (l *List) Write(at store.File) error {
	if len(l.Sessions) == 0 {
		if err := os.Remove(at.Forgotten()); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	text, err := json.MarshalIndent(l, "", " ")
	if err != nil {
		return err
	}
	return atomicfile.Write(at.Forgotten(), append(text, '\n'))
}

// Digest returns a hash of the names that a person gave; empty for an empty list. A
// store made under another list is made anew.
func (l *List) Digest() string {
	if len(l.Sessions) == 0 {
		return ""
	}
	var names []string
	for _, s := range l.Sessions {
		names = append(names, s.Agent+"\x00"+s.SessionID)
	}
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
