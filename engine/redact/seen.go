package redact

import (
	"strings"
	"sync"
)

// seen remembers texts without secrets. Logs say the same again and again: ids and
// names stand in each row, and a file's text in each answer of a tool. seen keeps the
// texts themselves, because a secret must never take the place of another text.
type seen struct {
	mutex  sync.Mutex
	now    map[string]struct{}
	before map[string]struct{} // filled before now; forgotten when now is full
	bytes  int                 // of the texts in now
}

const (
	seenBytes   = 4 << 20 // in each of the two maps
	seenLongest = seenBytes / 16
	seenEntry   = 48 // bytes of an entry besides its text
)

// has reports whether a text without secrets was added, and still is remembered.
func (s *seen) has(text string) bool {
	if len(text) > seenLongest {
		return false
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if _, ok := s.now[text]; ok {
		return true
	}
	if _, ok := s.before[text]; !ok {
		return false
	}
	s.keep(text)
	return true
}

// add remembers a copy of a text, which may be a part of a much longer one.
func (s *seen) add(text string) {
	if len(text) > seenLongest {
		return
	}
	text = strings.Clone(text)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.keep(text)
}

func (s *seen) keep(text string) {
	if s.bytes += len(text) + seenEntry; s.now == nil || s.bytes > seenBytes {
		s.now, s.before, s.bytes = map[string]struct{}{}, s.now, len(text)+seenEntry
	}
	s.now[text] = struct{}{}
}
