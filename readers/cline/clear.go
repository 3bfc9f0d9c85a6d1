package cline

import (
	"bytes"
	"io"
	"path"
	"sort"
	"strconv"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/tables"
)

// How far a session's predecessor is searched: names of sessions before it, and the
// time from the old session's end to the new one's first prompt. Two sessions of one
// process are close; a number of a process comes back after days.
const (
	maxPredecessors = 12
	maxGap          = 24 * time.Hour
	maxOverlap      = 10 * time.Second // the new session of an undo begins before the old one ends
)

// Confidence that a session began in a /clear of the session before in the same process:
// of the command line, and of an editor, where it was not tried.
const (
	sameProcess = 0.9
	sameEditor  = 0.6
)

// commandLine is the source of sessions in a terminal.
const commandLine = "cli"

// Largest sizes in bytes of files that are read of another session: its manifest, and
// the beginning of its messages.
const (
	manifestLimit = 1 << 20
	messagesLimit = 16 << 20
)

// findClear finds the session before this one in the same process and folder. If this
// session begins with its messages, /undo copied them. Otherwise /clear ended the
// earlier session: /clear leaves no other mark (FORMAT.md §6). A daemon runs the sessions
// of many starts, so the daemon's pid doesn't tell processes apart.
func (s *session) findClear() *tables.Clear {
	if s.isSubagent() || !s.manifest.interactive || s.manifest.hub || s.manifest.pid <= 0 || s.manifest.started.IsZero() || len(s.entries) == 0 || s.row.ForkedFrom != "" {
		return nil
	}
	id, old := s.predecessor()
	if old == nil {
		return nil
	}
	if s.startsWithMessagesOf(id) {
		s.row.ForkedFrom, s.row.CostUSD = id, s.cost // the manifest's cost includes the copies'
		return nil
	}
	if s.manifest.started.Before(old.ended) {
		return nil // /undo of the first prompt: only /undo begins a session before it ends the old one
	}
	c := &tables.Clear{
		SessionID:     id,
		NextSessionID: s.row.SessionID,
		Trigger:       tables.ClearByCommand,
		Project:       s.row.Project,
		Timestamp:     old.ended,
		Evidence:      tables.EvidenceInferred,
		Confidence:    sameEditor,
	}
	if s.manifest.source == commandLine {
		c.Command, c.Confidence = "/clear", sameProcess
	}
	return c
}

// predecessor returns the session of the same process and folder that ended last before
// this one began.
func (s *session) predecessor() (id string, last *manifest) {
	names, err := s.in.NamesUnwatched(s.at.sessions)
	if err != nil {
		return "", nil // without the folder, nothing shows a clear
	}
	at := sort.SearchStrings(names, s.at.folder)
	for _, name := range names[max(0, at-maxPredecessors):at] {
		m := s.otherManifest(name)
		if m == nil || m.pid != s.manifest.pid || m.cwd != s.manifest.cwd || m.source != s.manifest.source || !m.interactive || m.ended.IsZero() || m.marker != "" {
			continue
		}
		gap := s.manifest.started.Sub(m.ended)
		if gap < -maxOverlap || gap > maxGap || m.started.After(s.manifest.started) {
			continue
		}
		if last == nil || m.ended.After(last.ended) {
			id, last = name, m
		}
	}
	return id, last
}

// otherManifest reads the manifest of another session; nil if it can't be one of the
// same process.
func (s *session) otherManifest(id string) *manifest {
	data, err := s.readUnwatched(path.Join(s.at.sessions, id, id+".json"), manifestLimit)
	if err != nil || !bytes.Contains(data, strconv.AppendInt(nil, s.manifest.pid, 10)) {
		return nil
	}
	v, err := fastjson.ParseBytes(data)
	if err != nil || v.Type() != fastjson.TypeObject {
		return nil
	}
	return parseManifest(v)
}

func (s *session) readUnwatched(rel string, most int64) ([]byte, error) {
	f, err := s.in.OpenUnwatched(rel)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most))
}

// startsWithMessagesOf reports whether this session begins with the messages of another
// one: its first message has the same id.
func (s *session) startsWithMessagesOf(other string) bool {
	first := s.entries[0].native
	if first == "" || strings.ContainsAny(first, `"\`) {
		return false
	}
	data, err := s.readUnwatched(path.Join(s.at.sessions, other, other+messagesSuffix), messagesLimit)
	return err == nil && bytes.Contains(data, []byte(`"`+first+`"`))
}
