package prompt

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"hindsql/engine"
	"hindsql/internal/pattern"
	"hindsql/internal/sqltext"
)

// reader takes lines, typed or from a file, and runs each statement and command once it
// is complete.
type reader struct {
	*Config
	run     func(context.Context, step) error
	in      input
	source  string // path of the file that holds the lines; empty if the user types them
	depth   int    // nesting depth of .read in .read
	entry   lines  // all lines except the last of the entry that the user is typing
	asking  bool   // the Editor is reading the answer to a question
	failed  int    // number of errors after which a script went on
	leaving bool   // the reader reads no further line
}

// promptText returns the prompt to show before the next line.
func (r *reader) promptText() string {
	if r.in.buffer == "" {
		return firstPrompt
	}
	if r.Color {
		return dimmed(nextPrompt)
	}
	return nextPrompt
}

// dropStatement drops the unfinished statement.
func (r *reader) dropStatement() { r.in.buffer, r.in.inside = "", false }

// canRun reports whether a text can be run: its last statement is complete, or the text
// answers a question.
func (r *reader) canRun(text string) bool {
	last := strings.LastIndexByte(text, '\n') + 1
	after := r.entry.after(r.in, text[:last])
	after.addLine(text[last:])
	return r.asking || after.buffer == ""
}

// ask asks the user a question and returns the answer; for an empty line, usual.
func (r *reader) ask(question, usual string) (string, error) {
	r.asking = true
	defer func() { r.asking = false }()
	answer, err := r.Editor.ReadLine(fmt.Sprintf("%s [%s]: ", question, usual))
	if answer = strings.TrimSpace(answer); answer == "" {
		answer = usual
	}
	if err != nil {
		err = ErrInterrupted // Ctrl-D cancels the command like Ctrl-C
	}
	return answer, err
}

// feed takes one line or several, and runs every completed step.
func (r *reader) feed(ctx context.Context, text string) error {
	for line := range strings.SplitSeq(text, "\n") {
		if err := r.runSteps(ctx, r.in.addLine(strings.TrimRight(line, "\r"))); err != nil || r.leaving {
			return err
		}
	}
	return nil
}

// file runs the lines of a file. Its last statement needs no semicolon.
func (r *reader) file(ctx context.Context, source, text string) error {
	outer, outerSource := r.in, r.source
	r.in, r.source = input{find: r.in.find, numbered: true}, source
	defer func() { r.in, r.source = outer, outerSource }()
	for line := range strings.Lines(text) {
		if err := r.runSteps(ctx, r.in.addLine(strings.TrimRight(line, "\r\n"))); err != nil || r.leaving {
			return err
		}
	}
	return r.runSteps(ctx, r.in.end())
}

// nestedFile runs the lines of a file for a command such as .read, or for Init.
func (r *reader) nestedFile(ctx context.Context, source, text string) error {
	r.depth++
	defer func() { r.depth-- }()
	return r.file(ctx, source, text)
}

// runSteps runs steps up to the first error. An error in a file names file and line.
func (r *reader) runSteps(ctx context.Context, steps []step) (err error) {
	for _, s := range steps {
		if err = ctx.Err(); err != nil {
			return err
		}
		err = r.withPlace(r.run(ctx, s), s.line)
		if err != nil && (r.Editor == nil || r.depth > 0) && !r.Settings.Bail && ctx.Err() == nil {
			r.printError(err)
			r.failed++
			err = nil
		}
		if err != nil || r.leaving {
			return err
		}
	}
	return nil
}

// errorAt is an error with its file and line.
type errorAt struct {
	source string
	line   int
	err    error
}

func (m *errorAt) Error() string { return fmt.Sprintf("%s:%d: %v", m.source, m.line, m.err) }

func (m *errorAt) Unwrap() error { return m.err }

// withPlace adds to an error the file and line of the failed step. If files read each
// other, the innermost file is named. A line number in DuckDB's error takes precedence.
func (r *reader) withPlace(err error, line int) error {
	var inner *errorAt
	var sql *engine.Error
	if err == nil || r.source == "" || errors.As(err, &inner) || errors.Is(err, context.Canceled) {
		return err
	}
	if errors.As(err, &sql) && sql.Line > 0 {
		line = sql.Line
	}
	return &errorAt{r.source, line, err}
}

// input splits lines into statements and commands. All lines pass through an input:
// typed lines, files and standard input. An input runs nothing. A copy of an input
// therefore can tell what a line would do.
type input struct {
	find     func(name string) *command
	named    func(word string) bool // reports whether a word, typed alone, runs something; nil for a file
	numbered bool                   // the lines come from a file: errors in statements name the file's lines
	buffer   string                 // the beginning of a statement that isn't complete yet
	inside   bool                   // buffer ends in a string or a comment
	line     int                    // number of lines taken up to now
	above    int                    // number of lines before the beginning of buffer
}

// step is a statement to run, or a command.
type step struct {
	sql     string // a statement, without its semicolon
	command string // a command, with its arguments
	buffer  string // for a command: the unfinished statement at that moment
	line    int    // first line of the step, 1-based
}

var (
	startsCommand = pattern.Lazy(`^(\.[a-zA-Z]|\\)`)
	bare          = pattern.Lazy(`^(quit|exit|help);?$`) // typed alone, these words are commands
	bareName      = pattern.Lazy(`^([a-zA-Z][a-zA-Z0-9_-]*)(\s+[a-z][a-z0-9_]*=.*)?;?$`)
	nextCommand   = pattern.Lazy(`\s\\[a-zA-Z?!]`)
)

// isCommand reports whether a line is a command. In an unfinished statement, only a
// line that begins with a backslash is a command, because a line of SQL may begin with
// a dot.
func (in *input) isCommand(line string) bool {
	switch {
	case in.buffer == "":
		return startsCommand.MatchString(line) || !in.numbered && (bare.MatchString(line) || in.isName(line))
	case in.inside:
		return false
	}
	return strings.HasPrefix(line, `\`)
}

// isName reports whether a line is the name of a saved query or table, perhaps with
// parameters, as it would be at the shell.
func (in *input) isName(line string) bool {
	m := bareName.FindStringSubmatch(line)
	return m != nil && in.named != nil && in.named(m[1])
}

// addLine adds a line, without its line end, and returns the statements and commands that
// are then complete. In the middle of SQL, but outside strings and comments, a
// backslash begins a command.
func (in *input) addLine(line string) []step {
	in.line++
	if in.buffer == "" {
		in.above = in.line - 1
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "":
			return nil
		case in.isCommand(trimmed):
			return in.commands(trimmed)
		}
	}
	text := in.buffer + line + "\n"
	if in.buffer != "" && !in.inside && staysOpen(line) {
		in.buffer = text
		return nil
	}
	at := sqltext.Backslash(text)
	if at < 0 {
		return in.statements(text)
	}
	before := text[:at]
	if in.numbered || !strings.HasSuffix(before, "\n") {
		before += "\n" // the line's end
	}
	steps := in.statements(before)
	return append(steps, in.commands(strings.TrimSpace(text[at:]))...)
}

// staysOpen reports whether a line surely leaves an unfinished statement unfinished, and
// outside strings and comments. The statement's earlier lines then needn't be parsed
// again, so a long statement takes time in proportion to its length.
func staysOpen(line string) bool {
	_, rest := sqltext.Split(line + "\n")
	return !rest.Open && !strings.ContainsAny(line, `;\`)
}

// end returns the last statement of a file, which needs no semicolon; empty if no
// statement is unfinished.
func (in *input) end() []step {
	if in.buffer == "" {
		return nil
	}
	return in.statements(in.buffer + ";")
}

func (in *input) statements(text string) (steps []step) {
	ended, rest := sqltext.Split(text)
	for _, s := range ended {
		sql := strings.TrimSpace(s.Text)
		if in.numbered {
			sql = strings.Repeat("\n", in.above) + s.Placed()
		}
		code := strings.TrimLeft(sql, " \t\r\n")
		steps = append(steps, step{sql: sql, line: 1 + strings.Count(sql[:len(sql)-len(code)], "\n")})
	}
	if in.inside = rest.Open; !rest.Open && !rest.IsCode {
		rest.Text = ""
	}
	in.above += strings.Count(text, "\n") - strings.Count(rest.Text, "\n")
	in.buffer = rest.Text
	return steps
}

// commands splits a text that begins with a command into steps. Several backslash
// commands may stand on one line.
func (in *input) commands(text string) (steps []step) {
	for text != "" {
		one := text
		name, args := cutCommand(text)
		c := in.find(name)
		text = ""
		if strings.HasPrefix(one, `\`) && (c == nil || !c.takesRest) && !strings.HasPrefix(args, "|") {
			if at := nextOf(one); at > 0 {
				one, text = one[:at], strings.TrimSpace(one[at:])
			}
		}
		steps = append(steps, step{command: strings.TrimSpace(one), buffer: in.buffer, line: in.line})
		if c != nil && c.endsStatement {
			in.buffer, in.inside = "", false
		}
	}
	return steps
}

// lines caches the state of the input for the complete lines of an entry being typed.
// The Editor asks at the end of each line whether the entry is complete. With lines,
// the earlier lines needn't be parsed again.
type lines struct {
	text   string
	before input
	state  input
}

// after returns the state of an input after all lines of a text. Parameter before is
// its state before the text. Each line has its line end.
func (l *lines) after(before input, text string) input {
	added, longer := strings.CutPrefix(text, l.text)
	if !longer || l.state.find == nil || before.line != l.before.line || before.buffer != l.before.buffer {
		added, l.before, l.state = text, before, before
	}
	for line := range strings.Lines(added) {
		l.state.addLine(strings.TrimSuffix(line, "\n"))
	}
	l.text = text
	return l.state
}

// HasCommands reports whether a file mixes commands into its SQL.
func HasCommands(text string) bool {
	in := input{numbered: true, find: commands().find}
	for line := range strings.Lines(text) {
		for _, s := range in.addLine(strings.TrimRight(line, "\r\n")) {
			if s.command != "" {
				return true
			}
		}
	}
	return false
}

// nextOf returns the index of the next command in a text, outside quotes; -1 if none.
func nextOf(text string) int {
	for _, at := range nextCommand.Regexp().FindAllStringIndex(text, -1) {
		before := text[:at[0]]
		if strings.Count(before, "'")%2 == 0 && strings.Count(before, `"`)%2 == 0 {
			return at[0]
		}
	}
	return -1
}
