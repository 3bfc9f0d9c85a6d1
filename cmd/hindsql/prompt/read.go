package prompt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"hindsql/cmd/hindsql/show"
)

const deepestRead = 10 // files that read each other

// read runs the lines of a file as if they were typed; an error ends it.
func (p *Prompt) read(ctx context.Context, args string) error {
	list := words(args)
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
	if err := p.readText(ctx, string(text)); err != nil {
		return fmt.Errorf("%s: %w", list[0], err)
	}
	return nil
}

// readText runs the lines of a text. Its last statement needs no semicolon.
func (p *Prompt) readText(ctx context.Context, text string) error {
	outer := p.buffer
	p.buffer = ""
	defer func() { p.buffer, p.inside = outer, false }()
	for line := range strings.Lines(text) {
		if err := cmp.Or(ctx.Err(), p.feed(ctx, strings.TrimRight(line, "\r\n"))); err != nil || p.leaving {
			return err
		}
	}
	if p.buffer == "" {
		return nil
	}
	return p.feed(ctx, ";")
}

// edit opens the editor on the statement that is being written, or on the last
// one, and runs the edited text as if it was typed.
func (p *Prompt) edit(ctx context.Context, _ string) error {
	text := p.buffer
	if text == "" && p.last != "" {
		text = p.last + ";\n"
	}
	edited, err := p.inEditor(text)
	if err != nil {
		return err
	}
	p.buffer, p.typed = "", ""
	if edited = strings.TrimRight(edited, " \t\r\n"); edited == "" {
		return nil
	}
	fmt.Fprintln(p.Out, edited)
	if !p.isCommand(edited) {
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
	resume := p.lend()
	err = cmd.Run()
	resume()
	if err != nil {
		return "", fmt.Errorf("%s: %w; name your editor in $EDITOR", p.Tools.Editor, err)
	}
	edited, err := os.ReadFile(f.Name())
	return string(edited), err
}
