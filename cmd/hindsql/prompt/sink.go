package prompt

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"

	"hindsql/cmd/hindsql/term"
	"hindsql/internal/atomicfile"
)

// sink is where results go: the terminal, a file or a program.
type sink struct {
	*Config
	screen  Screen   // nil if Out isn't a terminal: results aren't paged then
	output  *os.File // file of .output; nil means Out
	once    string   // path given to .once, or | and a command line
	flowing int      // nesting depth of .read and .watch, whose results follow each other without a pager
	written bool     // a script has written a result, so an empty line must separate the next
	quiet   bool     // results are not shown
}

func newSink(c *Config) *sink {
	screen, _ := c.Editor.(Screen)
	return &sink{Config: c, screen: screen}
}

// deliver calls write with an output for the next result. Its target is the file or
// program of .once; if not given, the file of .output; otherwise the terminal. On the
// terminal, a result longer than the screen goes through the pager.
func (s *sink) deliver(write func(*term.Output) error) error {
	switch {
	case s.quiet:
		return write(s.to(io.Discard, ""))
	case s.once != "":
		path := s.once
		s.once = ""
		if line, ok := strings.CutPrefix(path, "|"); ok {
			return s.pipeTo(line, write)
		}
		return s.deliverTo(path, write)
	case s.output != nil:
		return write(s.to(s.output, s.output.Name()))
	case s.Results != nil:
		return s.deliverBehind(write)
	case s.screen == nil || s.flowing > 0:
		return write(s.to(s.Out, ""))
	}
	_, lines := s.screen.Size()
	return s.Tools.Pager.Page(s.Out, lines, s.lend, func(w io.Writer) error {
		to := s.to(w, "")
		s.Tools.Pager.Tell(&to.Options, lines)
		return write(to)
	})
}

// deliverBehind writes a script's result after the results so far.
func (s *sink) deliverBehind(write func(*term.Output) error) error {
	to := s.to(s.Results.Writer, s.Results.File)
	to.Behind = s.written
	err := write(to)
	s.written = to.Behind
	return err
}

func (s *sink) deliverTo(path string, write func(*term.Output) error) error {
	f, err := atomicfile.Create(path)
	if err != nil {
		return err
	}
	defer f.Abandon()
	if err := write(s.to(f, path)); err != nil {
		return err
	}
	return f.Commit()
}

// pipeTo runs a program and pipes the output of write to it.
func (s *sink) pipeTo(line string, write func(*term.Output) error) error {
	cmd := term.Program(line)
	cmd.Stdout, cmd.Stderr = term.Behind(s.Out), os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	resume := s.lend()
	defer resume()
	if err := cmd.Start(); err != nil {
		return err
	}
	err = write(s.to(in, ""))
	in.Close()
	if ended := cmd.Wait(); ended != nil {
		return fmt.Errorf("%s: %w", line, ended)
	}
	return err
}

// to returns an output that writes to w with the current settings. file is the path of
// w's file; empty for the terminal.
func (s *sink) to(w io.Writer, file string) *term.Output {
	o := &term.Output{Writer: w, File: file, Format: s.Settings.Format}
	if file == "" {
		o.Timed = s.Settings.Timer
		o.MoreRows, o.MoreColumns = ".maxrows 0", `\x shows them`
		if s.Results != nil {
			o.Options = s.Results.Options
		}
		o.Width = cmp.Or(s.Settings.Width, s.columns())
		o.MaxRows, o.Color, o.Null, o.ASCII = s.Settings.MaxRows, s.Color, s.Settings.Null, s.ASCII
		o.Auto = s.Settings.Auto && s.Settings.Format == ""
	}
	o.NoHeader = !s.Settings.Headers
	return o
}

// columns returns the width of the terminal.
func (s *sink) columns() int {
	if s.screen == nil {
		return s.Width
	}
	columns, _ := s.screen.Size()
	return cmp.Or(columns, s.Width)
}

// flow turns the pager off until the caller calls end, so several results follow each
// other.
func (s *sink) flow() (end func()) {
	s.flowing++
	return func() { s.flowing-- }
}

// lend gives the terminal to another program, until the caller calls resume.
func (s *sink) lend() (resume func()) {
	if s.screen == nil {
		return func() {}
	}
	return s.screen.Lend()
}

// open directs results to a file from now on.
func (s *sink) open(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err == nil {
		s.output = f
		err = atomicfile.Tighten(path)
	}
	return err
}

// close directs results to Out again.
func (s *sink) close() {
	if s.output != nil {
		s.report(s.output.Close())
		s.output = nil
	}
}
