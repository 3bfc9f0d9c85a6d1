package prompt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"hindsql/cmd/hindsql/term"
	"hindsql/internal/regular"
)

const deepestRead = 10 // files that read each other

// readFile runs the lines of a file as if the user typed them. An error ends the file.
func readFile(ctx context.Context, p *Prompt, args string) error {
	list := wordsOf(args)
	if len(list) != 1 {
		return usage(".read")
	}
	if p.reader.depth == deepestRead {
		return errors.New(".read: files read each other, without an end")
	}
	text, err := regular.ReadNamed(p.long(list[0]))
	if err != nil {
		return err
	}
	ctx, stop := p.interruptible(ctx)
	defer stop()
	defer p.sink.flow()()
	return p.reader.deeper(ctx, list[0], string(text))
}

// editStatement opens the user's editor with the unfinished statement, or with the last
// one. It then runs the edited text as if the user had typed it.
func editStatement(ctx context.Context, p *Prompt, _ string) error {
	text := p.runner.writing
	if text == "" && p.runner.last != "" {
		text = p.runner.last + ";\n"
	}
	edited, err := inEditor(p.sink, text)
	if err != nil {
		return err
	}
	p.history.giveUp()
	if edited = strings.TrimRight(edited, " \t\r\n"); edited == "" {
		return nil
	}
	fmt.Fprintln(p.Out, edited)
	if p.reader.source == "" {
		p.note(edited)
	}
	return p.reader.feed(ctx, edited)
}

// inEditor lets the user edit a text in $EDITOR, and returns the edited text.
func inEditor(s *sink, text string) (string, error) {
	f, err := os.CreateTemp("", "hindsql-*.sql") // with mode 0600
	if err != nil {
		return "", err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(text)
	if err := cmp.Or(err, f.Close()); err != nil {
		return "", err
	}
	cmd := term.Program(s.Tools.Editor, f.Name())
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	resume := s.lend()
	err = cmd.Run()
	resume()
	if err != nil {
		return "", fmt.Errorf("%s: %w; name your editor in $EDITOR", s.Tools.Editor, err)
	}
	edited, err := regular.Read(f.Name(), regular.Own)
	return string(edited), err
}
