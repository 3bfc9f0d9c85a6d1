package prompt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"hindsql/cmd/hindsql/show"
	"hindsql/engine"
	"hindsql/internal/words"
)

const deepestRead = 10 // files that read each other

// read runs the lines of a file as if they were typed; an error ends it.
func (p *Prompt) read(ctx context.Context, args string) error {
	list := wordsOf(args)
	if len(list) != 1 {
		return p.usage(".read")
	}
	if p.depth == deepestRead {
		return errors.New(".read: files read each other, without an end")
	}
	text, err := os.ReadFile(p.long(list[0]))
	if err != nil {
		return err
	}
	ctx, stop := p.interruptible(ctx)
	defer stop()
	p.depth++
	defer func() { p.depth-- }()
	defer p.sink.flow()()
	return p.readText(ctx, list[0], string(text))
}

// readText runs the lines of a file. Its last statement needs no semicolon.
func (p *Prompt) readText(ctx context.Context, source, text string) error {
	outer, outerSource := p.in, p.source
	p.in, p.source = input{find: p.find, numbered: true}, source
	defer func() { p.in, p.source = outer, outerSource }()
	for line := range strings.Lines(text) {
		if err := p.do(ctx, p.in.take(strings.TrimRight(line, "\r\n"))); err != nil || p.leaving {
			return err
		}
	}
	return p.do(ctx, p.in.end())
}

// Script runs the lines of a text as those of a file, and writes results as a
// one-shot command does: to Out, with an empty line between two. It asks nobody
// and remembers nothing. The first error ends it; that of a file says file:line.
func (p *Prompt) Script(ctx context.Context, source, text string) error {
	defer p.sink.close()
	if err := cmp.Or(p.readText(ctx, source, text), p.runner.tellTables(ctx)); err != nil || p.failed == 0 {
		return err
	}
	return fmt.Errorf("%s: %s", cmp.Or(source, "SQL"), words.Quantity(p.failed, "error"))
}

// misplaced is an error that says where in a file it is.
type misplaced struct {
	source string
	line   int
	err    error
}

func (m *misplaced) Error() string { return fmt.Sprintf("%s:%d: %v", m.source, m.line, m.err) }
func (m *misplaced) Unwrap() error { return m.err }

// placed is an error with the file and the line of what was run: the innermost
// file's, and the line that DuckDB names where it does.
func (p *Prompt) placed(err error, line int) error {
	var inner *misplaced
	var sql *engine.Error
	if err == nil || p.source == "" || errors.As(err, &inner) || errors.Is(err, context.Canceled) {
		return err
	}
	if errors.As(err, &sql) && sql.Line > 0 {
		line = sql.Line
	}
	return &misplaced{p.source, line, err}
}

// edit opens the editor on the statement that is being written, or on the last
// one, and runs the edited text as if it was typed.
func (p *Prompt) edit(ctx context.Context, _ string) error {
	text := p.runner.writing
	if text == "" && p.runner.last != "" {
		text = p.runner.last + ";\n"
	}
	edited, err := p.inEditor(text)
	if err != nil {
		return err
	}
	p.typed = ""
	if edited = strings.TrimRight(edited, " \t\r\n"); edited == "" {
		return nil
	}
	fmt.Fprintln(p.Out, edited)
	if p.source == "" {
		p.note(edited)
	}
	return p.feed(ctx, edited)
}

func (p *Prompt) inEditor(text string) (string, error) {
	f, err := os.CreateTemp("", "hindsql-*.sql") // with mode 0600
	if err != nil {
		return "", err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(text)
	if err := cmp.Or(err, f.Close()); err != nil {
		return "", err
	}
	cmd := show.Program(p.Tools.Editor, f.Name())
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	resume := p.sink.lend()
	err = cmd.Run()
	resume()
	if err != nil {
		return "", fmt.Errorf("%s: %w; name your editor in $EDITOR", p.Tools.Editor, err)
	}
	edited, err := os.ReadFile(f.Name())
	return string(edited), err
}
