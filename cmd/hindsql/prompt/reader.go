package prompt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"hindsql/engine"
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

// sign returns the prompt to show before the next line.
func (r *reader) sign() string {
	if r.in.buffer == "" {
		return firstPrompt
	}
	if r.Color {
		return dimmed(nextPrompt)
	}
	return nextPrompt
}

// giveUp drops the unfinished statement.
func (r *reader) giveUp() { r.in.buffer, r.in.inside = "", false }

// whole reports whether a text can be run: its last statement is complete, or the text
// answers a question.
func (r *reader) whole(text string) bool {
	last := strings.LastIndexByte(text, '\n') + 1
	after := r.entry.behind(r.in, text[:last])
	after.take(text[last:])
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
	if err != nil && !errors.Is(err, ErrInterrupted) {
		err = cmp.Or(ErrInterrupted, err) // Ctrl-D cancels the command like Ctrl-C
	}
	return answer, err
}

// feed takes one line or several, and runs every completed step.
func (r *reader) feed(ctx context.Context, text string) error {
	for line := range strings.SplitSeq(text, "\n") {
		if err := r.do(ctx, r.in.take(strings.TrimRight(line, "\r"))); err != nil || r.leaving {
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
		if err := r.do(ctx, r.in.take(strings.TrimRight(line, "\r\n"))); err != nil || r.leaving {
			return err
		}
	}
	return r.do(ctx, r.in.end())
}

// deeper runs the lines of a file for a command such as .read, or for Init.
func (r *reader) deeper(ctx context.Context, source, text string) error {
	r.depth++
	defer func() { r.depth-- }()
	return r.file(ctx, source, text)
}

// do runs steps up to the first error. An error in a file names file and line.
func (r *reader) do(ctx context.Context, steps []step) (err error) {
	for _, s := range steps {
		if err = ctx.Err(); err != nil {
			return err
		}
		err = r.placed(r.run(ctx, s), s.line)
		if err != nil && r.scripted() && !r.Settings.Bail && ctx.Err() == nil {
			r.complain(err)
			r.failed++
			err = nil
		}
		if err != nil || r.leaving {
			return err
		}
	}
	return nil
}

// scripted reports whether the lines come from a file.
func (r *reader) scripted() bool { return r.Editor == nil || r.depth > 0 }

// misplaced is an error with its file and line.
type misplaced struct {
	source string
	line   int
	err    error
}

func (m *misplaced) Error() string { return fmt.Sprintf("%s:%d: %v", m.source, m.line, m.err) }
func (m *misplaced) Unwrap() error { return m.err }

// placed adds to an error the file and line of the failed step. If files read each
// other, the innermost file is named. A line number in DuckDB's error takes precedence.
func (r *reader) placed(err error, line int) error {
	var inner *misplaced
	var sql *engine.Error
	if err == nil || r.source == "" || errors.As(err, &inner) || errors.Is(err, context.Canceled) {
		return err
	}
	if errors.As(err, &sql) && sql.Line > 0 {
		line = sql.Line
	}
	return &misplaced{r.source, line, err}
}
