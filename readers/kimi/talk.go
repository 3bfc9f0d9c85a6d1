package kimi

import (
	"strconv"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// talk holds the messages of a wire.
type talk struct {
	in    *readers.Input
	about *about
	kinds readers.Kinds
	words readers.Words

	record int64 // number of readable lines up to the current line, as the wire's own line numbers
	line   int64
	at     time.Time // of the current line
	begun  bool      // a turn has begun

	said      []*said        // the messages so far
	seen      readers.Set    // ids of messages, steps and results
	names     map[string]int // how often an id was made for a line without one
	prompt    *said          // the last prompt
	prompts   int64          // number of prompts so far
	anchors   []*said        // prompts that /undo counts
	forkedAt  int            // number of messages before the last line forked
	compacted int            // number of messages before the end of the last compaction's summary
	kept      []*said        // prompts that the last compaction kept
}

// said is a message with what an undo or a compaction has to know of it.
type said struct {
	*tables.Message
	record   int64
	aside    bool   // injected by the program, and not undone with the turn around it
	owner    string // id of the prompt that an injected message belongs to; empty if none
	isAnchor bool   // a prompt that /undo counts
	isOwn    bool   // no copy, although no turn has begun
	prompt   int64  // number of the prompt, 1-based; 0 for any other message
}

// name returns an id for a line without one. It depends on the line's time alone, so a
// copy of the line, in a fork, gets the same id. Without a time, it depends on the first
// line's.
func (t *talk) name(what string) string {
	at := t.at
	if at.IsZero() {
		at = t.about.created
	}
	id := t.about.agent + "@" + strconv.FormatInt(at.UnixMilli(), 10) + "/" + what
	if t.names[id]++; t.names[id] > 1 {
		id += "#" + strconv.Itoa(t.names[id])
	}
	t.seen[id] = true
	return id
}

// say emits a message. Text, tokens and more may still be added.
func (t *talk) say(s *said) *said {
	if !t.begun && t.about.agent != mainAgent && !s.isOwn {
		s.OriginSessionID = t.about.copied // as a side question begins (FORMAT.md §9)
	}
	if s.Kind == tables.KindPrompt {
		t.prompts++
		s.prompt = t.prompts
	}
	if s.isAnchor {
		t.anchors = append(t.anchors, s)
	}
	t.said = append(t.said, s)
	t.in.Emit(s.Message)
	return s
}

// sayHere emits a message for the current line.
func (t *talk) sayHere(m *tables.Message) *said {
	m.Timestamp, m.Line = t.at, t.line
	return t.say(&said{Message: m, record: t.record})
}

// replaced returns the messages that a compaction replaced: those on the lines that it
// names, or all earlier ones, except the last prompts of the user, and the first ones if
// it kept those. A message is replaced once.
func (t *talk) replaced(v *fastjson.Value) []string {
	from, to := readers.Int(v, "wireLines", "start").Value, t.record
	if end := readers.Int(v, "wireLines", "end"); end.OK {
		to = end.Value
	}
	head := readers.Int(v, "keptHeadUserMessageCount").Value
	tail := t.prompts - (readers.Int(v, "keptUserMessageCount").Value - head)
	stays := func(s *said) bool { return s.prompt > 0 && (s.prompt <= head || s.prompt > tail) }
	uuids := []string{}
	kept := t.kept[:0]
	for _, s := range t.kept { // by the compaction before
		if stays(s) {
			kept = append(kept, s)
		} else {
			uuids = append(uuids, s.UUID)
		}
	}
	for _, s := range t.said[t.compacted:] {
		if stays(s) {
			kept = append(kept, s)
		} else if s.record >= from && s.record <= to {
			uuids = append(uuids, s.UUID)
		}
	}
	t.kept, t.compacted = kept, len(t.said) // the summary can be replaced by the next compaction
	return uuids
}
