package sandbox

import (
	"fmt"
	"strings"
	"sync"
)

// Cause is why a worker ended.
type Cause int

// Causes. Crash is the only one that nobody asked for.
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
// reply. Words are the last of its stderr: for us, never for a client.
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

// longestWords is how much of a worker's stderr is kept, in bytes.
const longestWords = 4 << 10

// tail keeps the last of what is written to it.
type tail struct {
	mutex sync.Mutex
	text  []byte
}

func (t *tail) Write(text []byte) (int, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.text = append(t.text, text...)
	if extra := len(t.text) - longestWords; extra > 0 {
		t.text = append(t.text[:0], t.text[extra:]...)
	}
	return len(text), nil
}

func (t *tail) String() string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return string(t.text)
}
