package prompt

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/term"

	"hindsql/internal/atomicfile"
	"hindsql/internal/regular"
)

// Terminal is the [Editor] of a terminal. The user edits an entry of several lines as
// one text. Between entries, the terminal has its original state.
type Terminal struct {
	ctx       context.Context
	outer     *term.State // original state of the terminal; nil if unknown
	out       io.Writer
	size      func() (columns, lines int) // 0 lines if unknown
	entries   []string
	composing Composing
	input     []byte // bytes that the terminal sent and no key was cut from yet
	isBurst   bool   // input arrives faster than anyone types
	killed    []rune // the text that Ctrl-Y inserts
	entry
	screen
}

// NewTerminal takes over the process's terminal until Close. If ctx ends, a running
// ReadLine returns.
func NewTerminal(ctx context.Context) *Terminal {
	t := &Terminal{ctx: ctx, out: os.Stdout, size: sizeOfOutput}
	t.outer, _ = term.GetState(int(os.Stdin.Fd()))
	return t
}

func sizeOfOutput() (columns, lines int) {
	columns, lines, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil {
		return 0, 0
	}
	return columns, lines
}

// Compose sets the functions for the text being typed.
func (t *Terminal) Compose(c Composing) { t.composing = c }

// Remember implements [Editor].
func (t *Terminal) Remember(list []string) { t.entries = list }

// Sequences that make a terminal mark pastes, or stop marking them.
const (
	bracketedPasteOn  = "\x1b[?2004h"
	bracketedPasteOff = "\x1b[?2004l"
)

// ReadLine implements [Editor].
func (t *Terminal) ReadLine(sign string) (string, error) {
	fd := int(os.Stdin.Fd())
	if before, err := term.MakeRaw(fd); err == nil {
		defer func() { _ = term.Restore(fd, before) }()
	}
	t.begin(sign)
	fmt.Fprint(t.out, bracketedPasteOn)
	defer fmt.Fprint(t.out, bracketedPasteOff)
	if err := t.edit(); err != nil {
		return "", err
	}
	return string(t.text), nil
}

// begin begins an empty entry. If the cursor is behind output without a line end, the
// spaces move it to the next line. At the beginning of a line they fill just that line.
func (t *Terminal) begin(sign string) {
	t.entry, t.screen = entry{}, screen{sign: sign}
	columns, _ := t.room()
	fmt.Fprint(t.out, strings.Repeat(" ", columns)+"\r")
}

// resized is the signal SIGWINCH, which has the same number in all Unix systems that
// hindsql is built for. Windows never sends it: there, the next key draws the entry anew.
const resized = syscall.Signal(28)

// longestPause limits the wait for more input before the entry is drawn.
const longestPause = 50 * time.Millisecond

// keyTimeout returns how long the rest of an incomplete key is waited for. A lone Escape
// is a key, too, but may begin a sequence. A paste without an end is rare: the
// connection broke.
func keyTimeout(key []byte) time.Duration {
	switch {
	case isPaste(key):
		return 10 * time.Second
	case isLetter(key):
		return time.Second
	}
	return 50 * time.Millisecond
}

// edit handles keys until the entry ends. It draws the entry when no input has come for
// as long as the last drawing took, so that a long paste isn't drawn piece by piece. A
// read runs only while the entry needs input: programs that the prompt starts get all
// later input.
func (t *Terminal) edit() error {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, resized)
	defer signal.Stop(signals)
	read := make(chan []byte, 1)
	pause, late := time.After(0), (<-chan time.Time)(nil)
	t.handleInput() // of the last entry, after its end
	for isReading := false; !t.isOver; {
		if !isReading {
			isReading = true
			go readInput(read)
		}
		select {
		case input := <-read:
			isReading = false
			t.receive(input)
			pause, late = time.After(t.drawTime), nil
		case <-pause:
			pause, t.isBurst = nil, false
			t.handleInput()
			t.draw()
			if len(t.input) > 0 {
				late = time.After(keyTimeout(t.input))
			}
		case <-late:
			key := string(t.input)
			t.input = nil
			t.handle(key)
			t.draw()
		case <-signals:
			t.draw()
		case <-t.ctx.Done():
			return t.ctx.Err()
		}
	}
	t.finishEntry()
	return t.err
}

// readInput passes on what the terminal sends next; nothing at the input's end.
func readInput(to chan<- []byte) {
	chunk := make([]byte, 4<<10)
	n, _ := os.Stdin.Read(chunk)
	to <- chunk[:n]
}

// fasterThanTyped is the size of a read that only a paste reaches.
const fasterThanTyped = 64

// receive handles input. Input of length 0 is the terminal's end.
func (t *Terminal) receive(input []byte) {
	t.isBurst = t.isBurst || len(input) >= fasterThanTyped
	t.input = append(t.input, input...)
	if t.handleInput(); len(input) == 0 {
		t.end(io.EOF)
	}
}

// handleInput handles all whole keys of the input. A Tab at the end of a burst may
// belong to a pasted text, so it waits for the input after it.
func (t *Terminal) handleInput() {
	for !t.isOver {
		key, rest, whole := cutKey(t.input)
		if !whole || t.isBurst && string(key) == "\t" && len(rest) == 0 {
			return
		}
		t.input = rest
		t.handle(string(key))
	}
}

// end ends the entry; err is nil if it can be run.
func (t *Terminal) end(err error) {
	if !t.isOver {
		t.isOver, t.err = true, err
	}
}

// Size implements [Screen].
func (t *Terminal) Size() (columns, lines int) { return t.size() }

// Lend implements [Screen].
func (t *Terminal) Lend() (resume func()) {
	fd := int(os.Stdin.Fd())
	inner, err := term.GetState(fd)
	if t.outer == nil || err != nil {
		return func() {}
	}
	_ = term.Restore(fd, t.outer)
	return func() { _ = term.Restore(fd, inner) }
}

// Close restores the terminal's original state.
func (t *Terminal) Close() error {
	if t.outer == nil {
		return nil
	}
	return term.Restore(int(os.Stdin.Fd()), t.outer)
}

const (
	historyLimit = 1000    // entries that the user can call back
	historyTail  = 1 << 20 // bytes read from the file's end
)

// history holds the entries that the user typed. Its file has one entry a line. A
// prompt only appends to the file, because other prompts may append their entries at
// the same time.
type history struct {
	path    string   // empty if no history is kept
	entries []string // the oldest first, without duplicates
	typed   string   // the beginning of an entry that isn't complete yet
}

func openHistory(path string) (*history, error) {
	h := &history{path: path}
	if path == "" {
		return h, nil
	}
	lines, err := tailLines(path, historyTail)
	for _, line := range lines {
		h.keep(unescape(line))
	}
	return h, err
}

// tailLines returns the complete lines in the last limit bytes of a file; none if the
// file doesn't exist.
func tailLines(path string, limit int64) ([]string, error) {
	f, err := regular.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	from := max(0, info.Size()-limit)
	r := bufio.NewReader(io.NewSectionReader(f, from, limit))
	if from > 0 {
		if _, err := r.ReadString('\n'); err != nil {
			return nil, nil // the last line is longer than limit
		}
	}
	text, err := io.ReadAll(r)
	return strings.Split(string(text), "\n"), err
}

// addTyped adds typed text to the entry being collected. The entry is complete when its
// last statement ends. in is the input's state before the text. A command typed in the
// middle of a statement, and leaving the statement unchanged, becomes an entry of its
// own.
func (h *history) addTyped(in input, text string) error {
	after := in
	for line := range strings.Lines(text) {
		after.addLine(strings.TrimRight(line, "\r\n"))
	}
	line := strings.TrimSpace(text)
	switch {
	case in.isCommand(line) && after.buffer == in.buffer:
		return h.add(line)
	case after.buffer != "":
		h.typed += text + "\n"
		return nil
	}
	entry := strings.TrimRight(h.typed+text, " \t\r\n")
	h.dropIncomplete()
	return h.add(entry)
}

// dropIncomplete drops the incomplete entry.
func (h *history) dropIncomplete() { h.typed = "" }

// keep puts an entry at the end of the list. It removes an older entry with the same
// text.
func (h *history) keep(entry string) {
	if strings.TrimSpace(entry) == "" {
		return
	}
	if i := slices.Index(h.entries, entry); i >= 0 {
		h.entries = slices.Delete(h.entries, i, i+1)
	}
	h.entries = append(h.entries, entry)
	if extra := len(h.entries) - historyLimit; extra > 0 {
		h.entries = slices.Delete(h.entries, 0, extra)
	}
}

// add puts an entry at the end of the list. It also appends the entry to the file,
// unless the entry is the same as the last.
func (h *history) add(entry string) error {
	again := len(h.entries) > 0 && h.entries[len(h.entries)-1] == entry
	h.keep(entry)
	if h.path == "" || again || strings.TrimSpace(entry) == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(h.path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(h.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	private := atomicfile.MakePrivate(h.path)
	_, err = f.WriteString(escape(entry) + "\n") // a single write, because other prompts append to the file, too
	return errors.Join(private, err, f.Close())
}

func escape(entry string) string {
	return strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`).Replace(entry)
}

func unescape(line string) string {
	return strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\r`, "\r").Replace(line)
}
