package prompt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"hindsql/cmd/hindsql/render"
	"hindsql/cmd/hindsql/show"
)

// systemCommands are those that reach outside, and those that only write text.
func systemCommands() []command {
	return []command{
		{name: ".shell", args: "[COMMAND]", help: "run a command of the shell; without one: a shell", aliases: []string{".system", `\!`}, run: (*Prompt).shell, complete: paths, needs: acts, whole: true},
		{name: ".cd", args: "[DIR]", help: "change the folder that names of files begin in; without one: to the home folder", aliases: []string{`\cd`}, run: (*Prompt).cd, complete: paths, needs: acts},
		{name: ".print", args: "[TEXT]", help: "write a text where results go", aliases: []string{`\qecho`}, run: (*Prompt).print},
		{name: ".say", args: "[TEXT]", help: "write a text to the terminal, or standard output", aliases: []string{`\echo`}, run: (*Prompt).say},
		{name: ".warn", args: "[TEXT]", help: "write a text to standard error", aliases: []string{`\warn`}, run: (*Prompt).warn},
	}
}

func (p *Prompt) shell(ctx context.Context, args string) error {
	if args == "" {
		if p.Editor == nil {
			return usage(".shell")
		}
		args = p.Tools.Shell
	}
	cmd := show.Program(args)
	cmd.Stdout, cmd.Stderr = render.Behind(p.Out), os.Stderr
	if p.Editor != nil {
		cmd.Stdin = os.Stdin
	}
	resume := p.sink.lend()
	defer resume()
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", args, err)
	}
	return ctx.Err()
}

func (p *Prompt) cd(_ context.Context, args string) error {
	list := wordsOf(args)
	switch {
	case len(list) > 1:
		return usage(".cd")
	case len(list) == 1:
		return os.Chdir(p.long(list[0]))
	case p.View.Home == "":
		return errors.New(".cd: no home folder is known")
	}
	return os.Chdir(p.View.Home)
}

// text is what an argument of .print stands for: words without their quotes.
func text(args string) string { return strings.Join(wordsOf(args), " ") }

func (p *Prompt) print(_ context.Context, args string) error {
	return p.sink.deliver(func(to *render.Output) error {
		_, err := fmt.Fprintln(to, text(args))
		return err
	})
}

func (p *Prompt) say(_ context.Context, args string) error {
	_, err := fmt.Fprintln(p.Out, text(args))
	return err
}

func (p *Prompt) warn(_ context.Context, args string) error {
	_, err := fmt.Fprintln(p.Err, text(args))
	return err
}
