package term

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"hindsql/internal/pattern"
	"hindsql/internal/shell"
)

// Pager is the user's program for reading results longer than the screen. The zero
// Pager runs no program.
type Pager struct {
	Command  string // a command line; empty: results go straight to the terminal
	Less     string // value of $LESS for the pager
	inherits bool   // $LESS is set in the environment, so the pager gets it anyway
}

// DefaultPager is the default command line. It cuts long lines, keeps colours, ends at
// once if everything fits on the screen, and doesn't clear the screen.
const (
	DefaultPager = "less -SRFX"
	defaultLess  = "SRFX"
)

// PagerOf returns the pager set in the environment: $HINDSQL_PAGER, or $PAGER, or less.
// No pager runs if the value is empty or cat, or if the terminal can't move the cursor.
// lookup returns a variable, and whether it is set.
func PagerOf(lookup func(name string) (string, bool)) Pager {
	p := Pager{Command: DefaultPager}
	for _, name := range []string{"PAGER", "HINDSQL_PAGER"} {
		if command, ok := lookup(name); ok {
			p.Command = strings.TrimSpace(command)
		}
	}
	if terminal, _ := lookup("TERM"); p.Command == "cat" || terminal == "dumb" {
		p.Command = ""
	}
	if p.Less, p.inherits = lookup("LESS"); p.Less == "" {
		p.Less, p.inherits = defaultLess, false
	}
	return p
}

// Page calls write with a writer that holds text back. Text that fits the screen then
// goes to the terminal. Longer text goes to the pager, and Page returns when the user
// leaves the pager. lines is the number of the terminal's lines; 0 if unknown. If a
// program holds the terminal, lend makes it release the terminal, and resume takes the
// terminal back; lend may be nil.
func (p Pager) Page(terminal io.Writer, lines int, lend func() (resume func()), write func(io.Writer) error) error {
	if lines == 0 || !p.isThere() {
		return write(terminal)
	}
	page := &screenful{pager: p, terminal: Unescaped(terminal), limit: lines - 1, lend: lend}
	err := cmp.Or(write(escapedLike(page, terminal)), page.end())
	if page.to != nil && errors.Is(err, syscall.EPIPE) {
		return nil // the user left the pager early
	}
	return err
}

// SetOptions sets the options that depend on the pager: Height, Paged and Sideways.
func (p Pager) SetOptions(o *Options, lines int) {
	o.Height, o.Paged = lines, lines > 0 && p.isThere()
	o.Sideways = o.Paged && p.scrolls()
}

// scrolls reports whether the pager scrolls to the ends of long lines.
func (p Pager) scrolls() bool {
	words := strings.Fields(p.Command)
	switch program := filepath.Base(words[0]); program {
	case "pspg", "moar", "moor", "ov":
		return true
	case "less":
		options := strings.Join(words[1:], " ") + " " + p.Less
		return strings.Contains(options, "-chop-long-lines") || lessChops.MatchString(options)
	}
	return false
}

// lessChops matches the option -S of less, also among other one-letter options. With
// -S, less scrolls to the right instead of wrapping lines.
var lessChops = pattern.Lazy(`(^|[ -])[a-zA-RT-Z]*S`)

func (p Pager) isThere() bool {
	words := strings.Fields(p.Command)
	if len(words) == 0 {
		return false
	}
	_, err := exec.LookPath(words[0])
	return err == nil
}

// screenful holds text back until it is longer than the screen, then starts the pager.
type screenful struct {
	pager    Pager
	terminal io.Writer
	limit    int // lines
	lend     func() (resume func())
	held     bytes.Buffer
	lines    int
	to       io.WriteCloser // the pager; nil before its start
	cmd      *exec.Cmd
	failed   bool // the pager couldn't start; text goes to the terminal
	resume   func()
}

func (p *screenful) Write(text []byte) (int, error) {
	switch {
	case p.to != nil:
		return p.to.Write(text)
	case p.failed:
		return p.terminal.Write(text)
	}
	p.held.Write(text)
	if p.lines += bytes.Count(text, []byte("\n")); p.lines > p.limit {
		p.start()
		return len(text), p.flush()
	}
	return len(text), nil
}

func (p *screenful) flush() error {
	to := p.terminal
	if p.to != nil {
		to = p.to
	}
	_, err := p.held.WriteTo(to)
	return err
}

func (p *screenful) start() {
	p.cmd = Program(p.pager.Command)
	p.cmd.Stdout, p.cmd.Stderr = os.Stdout, os.Stderr
	if !p.pager.inherits {
		p.cmd.Env = append(os.Environ(), "LESS="+p.pager.Less)
	}
	to, err := p.cmd.StdinPipe()
	if err == nil && p.lend != nil {
		p.resume = p.lend()
	}
	if err == nil {
		err = p.cmd.Start()
	}
	if p.failed = err != nil; !p.failed {
		p.to = to
	}
}

// end writes the text still held back, and waits until the user leaves the pager.
func (p *screenful) end() error {
	err := p.flush()
	if p.to != nil {
		p.to.Close()
		_ = p.cmd.Wait() // a pager's exit code means nothing
	}
	if p.resume != nil {
		p.resume()
	}
	return err
}

// Program returns a command for a command line that the user set, such as $EDITOR, with
// further arguments.
func Program(line string, args ...string) *exec.Cmd {
	return shell.Command(context.Background(), line, args...)
}
