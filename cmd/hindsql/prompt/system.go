package prompt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"hindsql/cmd/hindsql/term"
)

// systemCommands returns the commands that open another store, use the operating system,
// or only write text.
func systemCommands() []command {
	return []command{
		{name: ".open", args: "FILE", help: "go on with another store, as hindsql --store FILE does", run: byRunner(openStore), complete: paths, needs: opens},
		{name: ".shell", args: "[COMMAND]", help: "run a command of the shell; without one: a shell", aliases: []string{`\!`}, run: bySink(runShell), complete: paths, needs: acts, whole: true},
		{name: ".cd", args: "[DIR]", help: "change the folder that names of files begin in; without one: to the home folder", run: byConfig(changeFolder), complete: paths, needs: acts},
		{name: ".print", args: "[TEXT]", help: "write a text where results go", run: bySink(printText)},
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

// printText writes the words of its argument, without quotes.
func printText(_ context.Context, s *sink, args string) error {
	return s.deliver(func(to *term.Output) error {
		_, err := fmt.Fprintln(to, strings.Join(wordsOf(args), " "))
		return err
	})
}

// Opener opens stores.
type Opener interface {
	// Open switches the View to the store at a path. It creates the store if missing. If
	// Open fails, the View stays unchanged.
	Open(ctx context.Context, path string) error
}

// opens says why a command can't open a store; empty if it can.
func opens(c *Config) string {
	switch {
	case c.Safe:
		return acts(c)
	case c.Opener == nil:
		return "not with the sample; start hindsql with --store FILE"
	}
	return ""
}

func openStore(ctx context.Context, r *runner, args string) error {
	list := wordsOf(args)
	if len(list) != 1 {
		return usage(".open")
	}
	ctx, stop := r.interruptible(ctx)
	defer stop()
	proposed := r.View.Words
	if err := r.Opener.Open(ctx, r.long(list[0])); err != nil {
		return err
	}
	r.View.Words = proposed
	r.last = ""
	r.synced = time.Now()
	return nil
}
