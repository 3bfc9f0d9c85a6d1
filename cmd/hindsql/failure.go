package main

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"github.com/spf13/cobra"

	"hindsql/cmd/hindsql/show"
	"hindsql/engine"
)

const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitAlert       = 3   // a condition holds
	exitHeld        = 4   // another program writes to the store
	exitInterrupted = 130 // 128 + SIGINT, as shells have it
)

// usageError is an error in how the program was called.
type usageError struct{ error }

func (u usageError) Unwrap() error { return u.error }

// errAlert ends a command whose condition holds: its rows are written, and the
// exit code tells.
var errAlert = errors.New("there is something to tell")

func usagef(format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...)}
}

// exitCode tells the user of err, and the shell.
func (a *app) exitCode(ctx context.Context, err error) int {
	var usage usageError
	switch {
	case err == nil, errors.Is(err, syscall.EPIPE):
		return exitOK
	case ctx.Err() != nil:
		a.notice("interrupted")
		return exitInterrupted
	case errors.Is(err, errBroken):
		return exitFailed
	case errors.Is(err, errAlert):
		return exitAlert
	case errors.As(err, &usage):
		a.notice("%s", commandWords.Explain(err))
		return exitUsage
	}
	a.notice("%s", commandWords.Explain(err))
	if errors.As(err, new(*engine.Held)) {
		return exitHeld
	}
	return exitFailed
}

// notice writes a line for people to stderr.
func (a *app) notice(format string, args ...any) {
	show.Notice(a.stderr, format, args...)
}

// between allows from least to most arguments; otherwise says the usage.
func between(least, most int, usage string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return usagef("usage: %s", usage)
		}
		return nil
	}
}
