// Package tables is hindsql's vocabulary: the events emitted by readers, the tables
// queried by users, and the step from events to rows.
//
//  1. A reader emits the [Event] values of one log file into a [File].
//  2. [File.AppendTo] joins the events of that file (a result to its call, a
//     refusal to the refused call, an interruption to the cut response) and
//     appends the rows to a [Batch].
//  3. A [Batch] hands out one Arrow record batch a table; engine loads them.
//  4. [Links] is the SQL that joins rows of several files: copies in resumed
//     sessions, clears, session totals.
//
// A column is declared once, on one line: name, type, prose, function. The Arrow
// schema, the DDL, the comments, README.md and the [SchemaHash] are derived from that
// line. The package knows no agent and no database.
package tables

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"time"
)

// Source is a log file, or a part of a file, with its place.
type Source struct {
	Agent         string
	Path          string // absolute
	Part          string // name of the part in a file of many sessions; empty for a whole file
	Stamp         string // changes whenever the part changes; for a file with parts, whenever their list does
	Machine       string // id of the log's machine; empty means Host
	User          string // name of the log's user; empty if withheld
	Host          string // name of the log's machine
	Size          int64  // bytes
	ModifiedAt    time.Time
	LoadedAt      time.Time
	ReaderVersion int
	KeptID        int64 // id from before the log moved here; 0 if the id follows from the fields above
}

// ID returns the source's id in every table: positive, and the same on every load of a
// machine. A number in JSON or in a browser holds its 53 bits exactly.
func (s *Source) ID() int64 {
	if s.KeptID != 0 {
		return s.KeptID
	}
	return s.hash(0)
}

// FreeID returns an id for a source whose own id may be taken by a log that lay at the
// path before.
func (s *Source) FreeID(isTaken func(int64) bool) int64 {
	for n := 0; ; n++ {
		if id := s.hash(n); !isTaken(id) {
			return id
		}
	}
}

// HasMoved reports whether the source had its id before it came to its path. FreeID hardly
// ever tries more than a few ids.
func (s *Source) HasMoved(id int64) bool {
	for n := range 9 {
		if s.hash(n) == id {
			return false
		}
	}
	return true
}

func (s *Source) hash(n int) int64 {
	h := fnv.New64a()
	names := []string{s.Agent, s.machine(), s.Path}
	if s.Part != "" {
		names = append(names, s.Part)
	}
	for _, name := range names {
		h.Write([]byte(name))
		h.Write([]byte{0})
	}
	if n > 0 {
		fmt.Fprintf(h, "\x00%d", n) // no part's name is empty
	}
	return int64(h.Sum64() >> (64 - 53))
}

// File collects the events of one log file, in the file's order, and makes the rows.
// Its methods are not safe for concurrent use.
type File struct {
	Source
	Large     bool   // true for a file with a large text, whose memory is given back after the rows are made
	Beginning string // hashes of the log's beginning, see package logstart; empty for none

	id           int64
	sessions     []*session
	sessionOf    map[string]*session // by session id
	current      *session
	clears       []*clearMark
	prompts      []*Prompt
	kinds        []*RecordKind
	fields       []*RecordField
	problems     []*Problem
	numbers      []*Numbering
	neighbours   []*Neighbour
	sessionNotes []*SessionNote
	projectNotes []*ProjectNote
	approvals    []*Approval
	joined       bool
	project      *FileProject          // allows a ProjectNote to name the project of prompts and clears, which belong to no session; nil if the project isn't looked up
	byPath       map[string]*Neighbour // neighbours by path
	hasForgotten bool                  // Forget left something out
	isForgotten  bool                  // Forget left everything out
}

// NewFile returns a File for a source, without events.
func NewFile(src Source) *File { return &File{Source: src, id: src.ID()} }

// Problems returns the number of problems so far.
func (f *File) Problems() int { return len(f.problems) }

// session is a session of the file with its events.
type session struct {
	file *File
	*Session
	messages      []*message
	lines         lines // every line of a message, not only the first
	byMessageID   map[string]*message
	calls         []*call
	byToolUseID   map[string]*call
	results       []*result
	orphans       []*result // results without a call
	decisions     []*Decision
	rejections    []*rejection
	interruptions []*interruption
	failures      []*failure
	finder        *promptFinder // made by promptFinder; nil before
	compactions   []*compaction
	current       *message // message that the next events belong to; nil before the first message
	currentID     string   // MessageID of the last part
	segment       int
	compactable   map[bool][]*message // messages not yet replaced by a compaction; key true for inline subagents' messages
	considered    int                 // number of messages added to compactable
	isEmptied     bool                // all messages were copies of forgotten ones

	messageArena Arena[message]
	callArena    Arena[call]
	resultArena  Arena[result]
}

// The row types: an event with its place.
type (
	message struct {
		session *session // the message's session
		*Message
		index, segment int
		inactive       bool
		replaced       bool // true if a compaction replaced the message
		lastPart       time.Time
		cutAlone       bool // the user stopped the message or a call of it, and refused no call by the same keypress
		calls          []*call
	}
	call struct {
		*session
		*ToolCall
		at                    *message
		batchIndex, batchSize int
		result                *result
		status                string
		decision              Decision
		refusal               *Rejection // of a result whose call the log lacks, empty for no refusal; nil for a call
	}
	result struct {
		*ToolResult
		at    *message
		order int // index among the session's results
	}
	rejection struct {
		*session
		*Rejection
		at   *message
		call *call // nil if the log lacks the call
		next string
	}
	interruption struct {
		*session
		*Interruption
		at, cut *message
		prompt  *message
		call    *call
	}
	failure struct {
		*Failure
		at *message
	}
	compaction struct {
		*session
		*Compaction
		at       *message
		replaced []int32
	}
	clearMark struct {
		*File
		*Clear
		after int
	}
)

// Emit adds an event. It panics if a reader emits an event about messages before any
// Session event.
func (f *File) Emit(e Event) {
	switch e := e.(type) {
	case *Session:
		f.openSession(e)
	case *Clear:
		f.addClear(e)
	case *Prompt:
		f.prompts = append(f.prompts, e)
	case *SessionNote:
		f.sessionNotes = append(f.sessionNotes, e)
	case *ProjectNote:
		f.projectNotes = append(f.projectNotes, e)
	case *Approval:
		f.approvals = append(f.approvals, e)
	case *FileProject:
		f.project = e
	case *RecordKind:
		f.kinds = append(f.kinds, e)
	case *RecordField:
		f.fields = append(f.fields, e)
	case *Numbering:
		if f.checkNumbering(e) {
			f.numbers = append(f.numbers, e)
		}
	case *Problem:
		f.problems = append(f.problems, e)
	default:
		f.current.addEvent(e)
	}
}

func (f *File) openSession(e *Session) {
	if s := f.sessionOf[e.SessionID]; s != nil {
		s.Session, f.current = e, s
		return
	}
	if f.sessionOf == nil {
		f.sessionOf = map[string]*session{}
	}
	n := f.expectedEvents()
	f.current = &session{file: f, Session: e, byMessageID: make(map[string]*message, n), byToolUseID: make(map[string]*call, n), compactable: map[bool][]*message{}}
	f.sessions, f.sessionOf[e.SessionID] = append(f.sessions, f.current), f.current
}

// expectedEvents returns roughly how many messages and calls the first session of the
// file will have, for maps that needn't grow then. It is low: a log has a response and a
// call in 5 to 10 KB.
func (f *File) expectedEvents() int {
	if len(f.sessions) > 0 || f.Part != "" {
		return 0
	}
	return int(min(f.Size>>13, 4096))
}

func (s *session) addEvent(e Event) {
	switch e := e.(type) {
	case *Message:
		s.addMessage(e)
	case *Inactive:
		for _, uuid := range e.UUIDs {
			if m := s.lines.message(uuid); m != nil {
				m.inactive = true
			}
		}
	case *ToolCall:
		s.addCall(e)
	case *ToolResult:
		r := s.resultArena.New()
		*r = result{e, s.current, len(s.results)}
		s.results = append(s.results, r)
	case *Decision:
		s.decisions = append(s.decisions, e)
	case *Rejection:
		s.rejections = append(s.rejections, &rejection{session: s, Rejection: e, at: s.current})
	case *Failure:
		s.failures = append(s.failures, &failure{e, s.current})
	case *Interruption:
		i := &interruption{session: s, Interruption: e, at: s.current}
		if e.MessageUUID != "" {
			i.at = s.lines.message(e.MessageUUID)
		}
		s.interruptions = append(s.interruptions, i)
	case *Compaction:
		s.addCompaction(e)
	}
}

func (s *session) addMessage(e *Message) {
	s.file.checkMessage(e)
	if e.Kind == KindResponse && e.OutputTokens.OK && !e.InputTokens.OK {
		e.TokensReliable = Some(false) // until the reader finds the rest
	}
	var m *message
	switch {
	case e.MessageID == "":
	case s.current != nil && s.currentID == e.MessageID:
		m = s.current
	default:
		m = s.byMessageID[e.MessageID]
	}
	if m == nil {
		m = s.messageArena.New()
		*m = message{session: s, Message: e, index: len(s.messages), segment: s.segment}
		s.messages = append(s.messages, m)
		if e.MessageID != "" {
			s.byMessageID[e.MessageID] = m
		}
	} else {
		m.addPart(e)
	}
	s.lines.add(e.UUID, m)
	s.current, s.currentID = m, e.MessageID
}

// addPart adds a further part of the same API message.
func (m *message) addPart(part *Message) {
	if part.Timestamp.After(m.lastPart) {
		m.lastPart = part.Timestamp
	}
	m.AddText(part.Text)
	m.AddThinking(part.Thinking)
	m.StopReason = cmp.Or(part.StopReason, m.StopReason)
	if part.OutputTokens.Or(-1) > m.OutputTokens.Or(-1) || !m.InputTokens.OK && !m.OutputTokens.OK {
		m.InputTokens, m.OutputTokens = part.InputTokens, part.OutputTokens
		m.CacheReadTokens, m.CacheWriteTokens, m.CacheWrite1h = part.CacheReadTokens, part.CacheWriteTokens, part.CacheWrite1h
		m.ReasoningTokens = part.ReasoningTokens
	}
	if part.TokensReliable.Value || !m.TokensReliable.OK {
		m.TokensReliable = part.TokensReliable
	}
	m.Extra = cmp.Or(m.Extra, part.Extra)
}

func (s *session) addCall(e *ToolCall) {
	if s.byToolUseID[e.ToolUseID] != nil {
		return // the same call, logged again
	}
	c := s.callArena.New()
	*c = call{session: s, ToolCall: e, at: s.current}
	if parent := s.byToolUseID[e.ParentToolUseID]; parent != nil && e.ParentToolUseID != "" {
		c.at = parent.at
	}
	if c.at != nil {
		c.batchIndex = len(c.at.calls)
		c.at.calls = append(c.at.calls, c)
	}
	s.calls = append(s.calls, c)
	if e.ToolUseID != "" {
		s.byToolUseID[e.ToolUseID] = c
	}
}

func (f *File) addClear(e *Clear) {
	mark := &clearMark{File: f, Clear: e, after: -1}
	if s := f.current; e.InSession && s != nil {
		mark.after = len(s.messages) - 1
		if s.current != nil && s.current.Kind == KindCommand {
			mark.after--
		}
		s.segment++
	}
	f.clears = append(f.clears, mark)
}
