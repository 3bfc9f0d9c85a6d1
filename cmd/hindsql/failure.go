package main

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"hindsql/cmd/hindsql/term"
	"hindsql/engine"
)

const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitAlert       = 3   // a condition holds
	exitHeld        = 4   // another program writes to the store
	exitPanic       = 70  // EX_SOFTWARE of sysexits.h; Go's own 2 means wrong usage here
	exitInterrupted = 130 // 128 + SIGINT, as in shells
)

// usageError is a wrong use of the command line.
type usageError struct{ error }

func (u usageError) Unwrap() error { return u.error }

// errAlert ends a command whose condition holds. The rows are written, and the exit
// code tells the caller.
var errAlert = errors.New("there is something to tell")

func usagef(format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...)}
}

// exitCode reports err to the user, and returns the exit code.
func exitCode(ctx context.Context, w *world, err error) int {
	var usage usageError
	switch {
	case err == nil, errors.Is(err, syscall.EPIPE):
		return exitOK
	case ctx.Err() != nil:
		w.notice("interrupted")
		return exitInterrupted
	case errors.Is(err, errBroken):
		return exitFailed
	case errors.Is(err, errAlert):
		return exitAlert
	case errors.As(err, &usage), errors.As(err, new(term.Unfit)), errors.As(err, new(engine.NotOne)):
		w.notice("%s", commandWords.Explain(err))
		return exitUsage
	}
	w.notice("%s", commandWords.Explain(err))
	if errors.As(err, new(*engine.Held)) {
		return exitHeld
	}
	return exitFailed
}
