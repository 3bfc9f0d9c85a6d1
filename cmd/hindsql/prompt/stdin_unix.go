//go:build unix

package prompt

import (
	"os"
	"sync"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

const (
	readAtOnce = 4096
	nextLook   = time.Millisecond // between two checks whether the library took its key

	// How long to wait for the rest of an incomplete key. A lone Escape is a key, too,
	// but may be the start of a sequence, so it is delayed by lateSequence. The first
	// byte of a letter alone is no key, so the wait may be longer. A paste without an end
	// is rare: the connection broke.
	lateSequence = 50 * time.Millisecond
	lateLetter   = time.Second
	latePaste    = 10 * time.Second
)

// stdin stands between the terminal and the readline library, and passes the library
// one key at a time. If the library read the terminal directly, it would drop a
// character whose bytes arrive in two reads. Nor would it tell how much text is
// waiting.
//
// The library always reads the *os.File that os.Stdin was when the program began. While
// the library reads a line, stdin makes that file the end of a pipe, and os.Stdin
// another *os.File of the terminal.
type stdin struct {
	known    *os.File // the file that the library reads
	terminal *os.File
	out, in  *os.File // the pipe's ends: the library reads out
	woken    *os.File // becomes readable when serve shall end
	waker    *os.File

	running sync.Mutex
	served  chan struct{} // closed by serve; nil if serve doesn't run

	mu    sync.Mutex // guards the fields below
	input []byte     // bytes from the terminal, not yet passed on
	came  time.Time  // time of the last read into input
	ended bool       // the terminal's input has ended
	last  []byte     // the last key passed to the library
}

// newStdin returns nil if the system can't make a pipe. The library then reads the
// terminal directly.
func newStdin() *stdin {
	s := &stdin{known: os.Stdin, terminal: new(os.File)}
	*s.terminal = *os.Stdin
	var err error
	if s.out, s.in, err = os.Pipe(); err != nil {
		return nil
	}
	if s.woken, s.waker, err = os.Pipe(); err != nil {
		return nil
	}
	return s
}

// capture makes the library read the pipe, until the caller calls release. Neither may
// be called while the library reads a line.
func (s *stdin) capture() (release func()) {
	if s == nil {
		return func() {}
	}
	*s.known, os.Stdin = *s.out, s.terminal
	s.start()
	return func() {
		s.stop()
		*s.known, os.Stdin = *s.terminal, s.known
	}
}

func (s *stdin) start() {
	s.running.Lock()
	defer s.running.Unlock()
	s.served = make(chan struct{})
	go s.serve(s.served)
}

// stop ends serve. Nothing then reads the terminal's input. stop reports whether serve
// was running.
func (s *stdin) stop() bool {
	if s == nil {
		return false
	}
	s.running.Lock()
	defer s.running.Unlock()
	if s.served == nil {
		return false
	}
	_, _ = s.waker.Write([]byte{0})
	<-s.served
	_, _ = s.woken.Read(make([]byte, 1))
	s.served = nil
	return true
}

// serve passes keys to the library, until stop is called or the terminal ends.
func (s *stdin) serve(done chan<- struct{}) {
	defer close(done)
	for {
		timeout, more := s.give()
		wait := []unix.PollFd{pollable(s.woken)}
		if more {
			wait = append(wait, pollable(s.terminal))
		}
		poll(wait, timeout)
		if wait[0].Revents != 0 {
			return
		}
		if more && wait[1].Revents != 0 {
			s.mu.Lock()
			s.read()
			s.mu.Unlock()
		}
	}
}

const forever = 24 * time.Hour // for poll: serve polls again afterwards

// give passes the next key to the library, if the library has taken the previous key.
// timeout is how long to wait before the next call. more says whether to call earlier
// if the terminal has new input.
func (s *stdin) give() (timeout time.Duration, more bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if readable(s.out) {
		return nextLook, false
	}
	if len(s.input) == 0 && s.ended {
		_ = s.in.Close() // the library then gets the end of its input
		return forever, false
	}
	key, rest, whole := s.next()
	if late := s.late(key); !whole && late > 0 {
		return late, true
	}
	s.input = rest
	if position.Match(key) {
		return 0, false
	}
	s.last = key
	_, _ = s.in.WriteString(s.asGiven())
	return nextLook, false
}

// next returns the first key of the terminal's input so far, and the rest of the input.
// whole is false if the key is incomplete.
func (s *stdin) next() (key, rest []byte, whole bool) {
	if key, rest, whole = cutKey(s.input); !whole || len(rest) == 0 {
		s.read()
		key, rest, whole = cutKey(s.input)
	}
	return key, rest, whole
}

// late returns how much longer to wait for the rest of an incomplete key.
func (s *stdin) late(key []byte) time.Duration {
	limit := lateLetter
	switch {
	case s.ended && len(s.input) > 0:
		return 0
	case len(key) == 0:
		return forever
	case isPaste(key):
		limit = latePaste
	case key[0] == '\x1b' && utf8.FullRune(key[len(key)-1:]):
		limit = lateSequence
	}
	return (limit - time.Since(s.came)).Truncate(time.Millisecond) // poll counts in milliseconds
}

// asGiven returns the last key in the form in which the library gets it: a paste as
// [placeholder].
func (s *stdin) asGiven() string {
	if isPaste(s.last) {
		return placeholder
	}
	return validText(string(s.last))
}

// read takes the terminal's waiting input, without blocking.
func (s *stdin) read() {
	if s.ended || !readable(s.terminal) {
		return
	}
	chunk := make([]byte, readAtOnce)
	n, err := s.terminal.Read(chunk)
	s.ended = n == 0 || err != nil
	s.input, s.came = append(s.input, chunk[:n]...), time.Now()
}

// take takes the next key away from the library, if the key is waiting and wanted
// returns true for it. Only a command of the library may call take, because the library
// then holds no key itself.
func (s *stdin) take(wanted func(key, rest []byte) bool) (text string, ok bool) {
	if s == nil {
		return "", false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if readable(s.out) {
		if !wanted(s.last, s.input) {
			return "", false
		}
		given := make([]byte, len(s.asGiven()))
		_, _ = s.out.Read(given)
		return string(given), true
	}
	key, rest, whole := s.next()
	if !whole || !wanted(key, rest) {
		return "", false
	}
	s.input = rest
	return validText(string(key)), true
}

// pasted returns the text of a paste, if the last key passed to the library was a
// paste.
func (s *stdin) pasted() (text string, ok bool) {
	if s == nil {
		return "", false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return pastedText(s.last), isPaste(s.last)
}

func pollable(f *os.File) unix.PollFd { return unix.PollFd{Fd: int32(f.Fd()), Events: unix.POLLIN} }

func readable(f *os.File) bool {
	one := []unix.PollFd{pollable(f)}
	poll(one, 0)
	return one[0].Revents != 0
}

func poll(files []unix.PollFd, timeout time.Duration) {
	for {
		if _, err := unix.Poll(files, int(timeout/time.Millisecond)); err != unix.EINTR {
			return
		}
	}
}
