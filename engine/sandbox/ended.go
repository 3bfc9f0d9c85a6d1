package sandbox

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

// Cause is why a worker ended.
type Cause int

// The causes of a worker's end.
const (
	Crash  Cause = iota // it ended by itself, or said what no worker of ours says
	Memory              // it met its bound of memory
	Killed              // it was closed
	Late                // it was killed because a statement was late
)

// String says what the worker did.
func (c Cause) String() string {
	return [...]string{"crashed", "met its bound of memory", "was closed", "was killed because it was late"}[c]
}

// Ended says how a worker ended. It is the error of calls that it left without a
// reply. Words are its last on stderr: for us, never for a client.
type Ended struct {
	Cause Cause
	Words string
}

// Error is for us: it has the words.
func (e *Ended) Error() string {
	text := "sandbox: the worker " + e.Cause.String()
	if words := strings.TrimSpace(e.Words); words != "" {
		text += fmt.Sprintf(" (%q)", words)
	}
	return text
}

const (
	longestWords = 4 << 10     // bytes of a worker's stderr that are kept, half of them its first
	pause        = time.Second // after which first words are first again
)

// words keeps what a worker says on stderr: the first of what came without a pause,
// which is why it dies, and the last.
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
