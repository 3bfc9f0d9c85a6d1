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
	nextLook   = time.Millisecond // at whether the library took its key

	// How long the rest of a key may take. Escape alone is a key, too, which waits that
	// long. The first byte of a letter is no key, and a paste without an end is rare: the
	// line broke.
	lateSequence = 50 * time.Millisecond
	lateLetter   = time.Second
	latePaste    = 10 * time.Second
)

// stdin stands between the terminal and the library, and gives the library one key
// at a time. Alone the library drops a character whose bytes come in two reads, and
// nobody can ask it how much text is waiting.
//
// The library reads the *os.File that os.Stdin was when the program began. While a
// line is read, that file is the end of a pipe, and os.Stdin is another *os.File of
// the terminal.
type stdin struct {
	known    *os.File // by the library
	terminal *os.File
	out, in  *os.File // the pipe's ends: the library reads out
	woken    *os.File // can be read when serve shall end
	waker    *os.File

	running sync.Mutex
	served  chan struct{} // closed by serve; nil: it doesn't run

	mu    sync.Mutex // of all below
	input []byte     // sent by the terminal, and not yet given to anybody
	came  time.Time  // when its last bytes did
	ended bool       // the terminal sends no more
	last  []byte     // the key that the library was given last
}

// newStdin gives nil where the system has no pipe left: then the library reads the
// terminal itself.
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

// capture has the library read the pipe, until release is called. No line may be
// read then.
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

// stop leaves the terminal's input alone from now on. It says whether somebody
// listened to it before.
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

// serve gives the library keys, until stop is called or the terminal ends.
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

const forever = 24 * time.Hour // for poll, which is asked again

// give gives the library the next key, if it took the one before. It says when to
// look again, and whether more input of the terminal changes anything before.
func (s *stdin) give() (timeout time.Duration, more bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if readable(s.out) {
		return nextLook, false
	}
	if len(s.input) == 0 && s.ended {
		_ = s.in.Close() // the end of the library's input
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

// next is the key that comes next, of what the terminal has sent by now, with what
// comes behind it.
func (s *stdin) next() (key, rest []byte, whole bool) {
	if key, rest, whole = cutKey(s.input); !whole || len(rest) == 0 {
		s.read()
		key, rest, whole = cutKey(s.input)
	}
	return key, rest, whole
}

// late is how long to wait for the rest of a key.
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
	return (limit - time.Since(s.came)).Truncate(time.Millisecond) // poll's unit
}

// asGiven is the last key, as the library gets it.
func (s *stdin) asGiven() string {
	if isPaste(s.last) {
		return placeholder
	}
	return validText(string(s.last))
}

// read takes what the terminal has sent, without waiting for it.
func (s *stdin) read() {
	if s.ended || !readable(s.terminal) {
		return
	}
	chunk := make([]byte, readAtOnce)
	n, err := s.terminal.Read(chunk)
	s.ended = n == 0 || err != nil
	s.input, s.came = append(s.input, chunk[:n]...), time.Now()
}

// take takes the next key if it is there already and wanted. Only a command of the
// library may call it: then the library holds no key itself.
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

// pasted is the text of a paste, if that is the library's last key.
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
