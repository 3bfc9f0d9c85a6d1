package prompt

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/term"
	"hindsql/internal/atomicfile"
	"hindsql/internal/sqltext"
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
		return atomicfile.WriteBy(path, func(w io.Writer) error { return write(s.to(w, path)) })
	case s.output != nil:
		return write(s.to(s.output, s.output.Name()))
	case s.Results != nil:
		return s.deliverNext(write)
	case s.screen == nil || s.flowing > 0:
		return write(s.to(s.Out, ""))
	}
	_, lines := s.screen.Size()
	return s.Tools.Pager.Page(s.Out, lines, s.lend, func(w io.Writer) error {
		to := s.to(w, "")
		s.Tools.Pager.SetOptions(&to.Options, lines)
		return write(to)
	})
}

// deliverNext writes a script's result after the results so far.
func (s *sink) deliverNext(write func(*term.Output) error) error {
	to := s.to(s.Results.Writer, s.Results.File)
	to.HasWritten = s.written
	err := write(to)
	s.written = to.HasWritten
	return err
}

// pipeTo runs a program and pipes the output of write to it.
func (s *sink) pipeTo(line string, write func(*term.Output) error) error {
	cmd := term.Program(line)
	cmd.Stdout, cmd.Stderr = term.Unescaped(s.Out), os.Stderr
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
		err = atomicfile.MakePrivate(path)
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

func exportCommands() []command {
	return []command{{
		name: ".export", args: "DIR [--option …]", help: "write the tables to files, as hindsql export does",
		run: byRunner(exportTables), complete: paths, needs: exports,
	}, {
		name: ".copy", args: "TABLE|(QUERY) TO FILE [(OPTIONS)]", help: "write a table or a query to a file with DuckDB's COPY; also TO STDOUT, TO PROGRAM 'COMMAND', and FROM FILE into a table of yours",
		aliases: []string{`\copy`}, run: byRunner(copyRows), needs: acts, takesRest: true,
	}}
}

func exports(c *Config) string {
	if c.Export == nil {
		return "not with --safe"
	}
	return ""
}

func exportTables(ctx context.Context, r *runner, args string) error {
	list := wordsOf(args)
	if len(list) == 0 {
		return usage(".export")
	}
	return r.show(ctx, func(ctx context.Context, to *term.Output) error { return r.Export(ctx, to, list) })
}

// copyCommand holds the parsed argument of a \copy.
type copyCommand struct {
	what    string // a table, or a query in parentheses
	out     bool   // TO (true) or FROM (false) the target
	target  string // a path or a command line
	kind    string // kind of the target: program or stdout; empty for a file
	options string // in COPY's syntax
}

// parseCopy parses the argument of \copy: a table or query, TO or FROM, a target,
// options. ok is false if the argument is malformed.
func parseCopy(args string) (c copyCommand, ok bool) {
	depth, before := 0, sqltext.Token{Kind: sqltext.Sign}
	for t := range sqltext.Tokens(args) {
		switch word := t.Word(); {
		case word == "(":
			depth++
		case word == ")":
			depth--
		case depth == 0 && before.Kind == sqltext.Space && (word == "to" || word == "from"):
			c.what, c.out = strings.TrimSpace(args[:t.At]), word == "to"
			ok = c.parseTarget(args[t.End():])
			return c, ok && c.what != ""
		}
		before = t
	}
	return c, false
}

// parseTarget parses the text after TO or FROM. A target without quotes ends at the first
// space.
func (c *copyCommand) parseTarget(text string) (ok bool) {
	first, rest := cutTarget(text)
	if strings.EqualFold(first, "program") && rest != "" {
		c.kind = "program"
		first, rest = cutTarget(rest)
	}
	c.target, c.options = first, rest
	switch {
	case first == "":
		return false
	case first[0] == '\'':
		c.target = strings.ReplaceAll(strings.Trim(first, "'"), "''", "'")
	case c.kind == "" && (strings.EqualFold(first, "stdout") || strings.EqualFold(first, "pstdout")):
		c.kind = "stdout"
	}
	return true
}

func cutTarget(text string) (target, rest string) {
	text = strings.TrimSpace(text)
	n := strings.IndexAny(text, " \t\r\n\f")
	if t := sqltext.First(text); t.Kind == sqltext.String && t.Text[0] == '\'' && !t.Open {
		n = len(t.Text)
	}
	if n < 0 {
		n = len(text)
	}
	return text[:n], strings.TrimSpace(text[n:])
}

// copyRows does what psql's \copy does. For a file, DuckDB writes the rows to the file,
// or reads the file into a table of the user's. A program or standard output gets the
// rows as CSV.
func copyRows(ctx context.Context, r *runner, args string) error {
	c, ok := parseCopy(args)
	switch {
	case !ok || c.kind != "" && !c.out:
		return usage(".copy")
	case c.kind == "program":
		return r.sink.pipeTo(c.target, func(to *term.Output) error { return copyCSV(ctx, r, to, c) })
	case c.kind == "stdout":
		return r.sink.deliver(func(to *term.Output) error { return copyCSV(ctx, r, to, c) })
	}
	path := r.long(c.target)
	if c.out && c.options == "" && filepath.Ext(path) == "" {
		c.options = "(FORMAT csv)"
	}
	way := map[bool]string{true: " TO ", false: " FROM "}[c.out]
	return r.show(ctx, func(ctx context.Context, to *term.Output) error {
		return r.View.Session.Run(ctx, ask.Instead("COPY ", c.what, way+sqltext.Literal(path)+" "+c.options), func(*ask.Answer) error { return nil })
	})
}

func copyCSV(ctx context.Context, r *runner, to *term.Output, c copyCommand) error {
	if c.options != "" {
		return fmt.Errorf(".copy: options are for files; write TO FILE %s", c.options)
	}
	to.Format = "csv"
	sql := c.what
	if !strings.HasPrefix(sql, "(") {
		sql = "FROM " + sql
	}
	return r.View.Query(ctx, to, ask.Typed(sql))
}
