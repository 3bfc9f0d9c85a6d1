package prompt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"hindsql/cmd/hindsql/term"
)

// systemCommands returns the commands that use the operating system or only write text.
func systemCommands() []command {
	return []command{
		{name: ".shell", args: "[COMMAND]", help: "run a command of the shell; without one: a shell", aliases: []string{".system", `\!`}, run: bySink(runShell), complete: paths, needs: acts, whole: true},
		{name: ".cd", args: "[DIR]", help: "change the folder that names of files begin in; without one: to the home folder", aliases: []string{`\cd`}, run: byConfig(changeFolder), complete: paths, needs: acts},
		{name: ".print", args: "[TEXT]", help: "write a text where results go", aliases: []string{`\qecho`}, run: bySink(printText)},
		{name: ".say", args: "[TEXT]", help: "write a text to the terminal, or standard output", aliases: []string{`\echo`}, run: byConfig(say)},
		{name: ".warn", args: "[TEXT]", help: "write a text to standard error", aliases: []string{`\warn`}, run: byConfig(warn)},
	}
}

func runShell(ctx context.Context, s *sink, args string) error {
	if args == "" {
		if s.Editor == nil {
			return usage(".shell")
		}
		args = s.Tools.Shell
	}
	cmd := term.Program(args)
	cmd.Stdout, cmd.Stderr = term.Behind(s.Out), os.Stderr
	if s.Editor != nil {
		cmd.Stdin = os.Stdin
	}
	resume := s.lend()
	defer resume()
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", args, err)
	}
	return ctx.Err()
}

func changeFolder(_ context.Context, c *Config, args string) error {
	list := wordsOf(args)
	switch {
	case len(list) > 1:
		return usage(".cd")
	case len(list) == 1:
		return os.Chdir(c.long(list[0]))
	case c.View.Home == "":
		return errors.New(".cd: no home folder is known")
	}
	return os.Chdir(c.View.Home)
}

// text returns the text that .print writes: the words of its argument, without quotes.
func text(args string) string { return strings.Join(wordsOf(args), " ") }

func printText(_ context.Context, s *sink, args string) error {
	return s.deliver(func(to *term.Output) error {
		_, err := fmt.Fprintln(to, text(args))
		return err
	})
}

func say(_ context.Context, c *Config, args string) error {
	_, err := fmt.Fprintln(c.Out, text(args))
	return err
}

func warn(_ context.Context, c *Config, args string) error {
	_, err := fmt.Fprintln(c.Err, text(args))
	return err
}
