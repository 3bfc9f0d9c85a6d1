package sandbox

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

// Cause is the reason why a worker ended.
type Cause int

// The causes of a worker's end.
const (
	Crash  Cause = iota // ended by itself, or sent a message that no real worker sends
	Memory              // met its memory bound
	Killed              // closed
	Late                // killed because a statement was late
)

// String describes the worker's end.
func (c Cause) String() string {
	return [...]string{"crashed", "met its bound of memory", "was closed", "was killed because it was late"}[c]
}

// Ended describes a worker's end. It is the error of the worker's calls without a
// reply. Words are the worker's last output on stderr, for developers only and never
// for a client.
type Ended struct {
	Cause Cause
	Words string
}

// Error includes the words, so clients must not see the text.
func (e *Ended) Error() string {
	text := "sandbox: the worker " + e.Cause.String()
	if words := strings.TrimSpace(e.Words); words != "" {
		text += fmt.Sprintf(" (%q)", words)
	}
	return text
}

const (
	longestWords = 4 << 10     // bytes kept of a worker's stderr, half of them from the beginning
	pause        = time.Second // silence after which the beginning starts anew
)

// words keeps a worker's stderr. It keeps the beginning of the output since the last
// pause, which tells why the worker dies, and the end.
type words struct {
	mutex       sync.Mutex
	first, last []byte
	at          time.Time
}

func (w *words) Write(text []byte) (int, error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	all := len(text)
	if time.Since(w.at) > pause {
		w.first, w.last = nil, nil
	}
	w.at = time.Now()
	room := min(longestWords/2-len(w.first), all)
	w.first, text = append(w.first, text[:room]...), text[room:]
	w.last = append(w.last, text...)
	if extra := len(w.last) - longestWords/2; extra > 0 {
		w.last = append(w.last[:0], w.last[extra:]...)
	}
	return all, nil
}

func (w *words) String() string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return string(w.first) + string(w.last)
}
