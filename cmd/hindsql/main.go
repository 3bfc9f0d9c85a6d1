// Command hindsql answers SQL about what coding agents did, from the logs they
// leave on this machine. It is the face only: the engine package syncs and
// queries, queries holds the saved SQL, render writes results.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	_ "time/tzdata" // for systems that have no time zones: Windows, small containers

	"hindsql/cmd/hindsql/term"
	"hindsql/engine"
)

// gcPercent lets the process collect garbage less often than Go does: most of
// what a load allocates dies with the log that is read. It saves a seventh of a
// first load's cpu, and costs 10 MB of memory, 60 with 100,000 logs.
const gcPercent = 200

func main() {
	engine.Worker()
	prepareProcess()
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	ctx, stop := context.WithCancel(context.Background())
	w := processWorld()
	w.interrupts.take(stop)
	go w.interrupts.watch(stop)
	signal.Ignore(syscall.SIGPIPE) // a closed pipe becomes an error of the write, so that the store is closed properly
	os.Exit(run(ctx, w))
}

// run runs one command and gives the exit code: 0, 1 for an error of SQL or at
// run time, 2 for wrong usage, 3 when the condition of a report or of run --alert holds,
// 4 when another program writes to the store, 130 when interrupted.
func run(ctx context.Context, w world) int {
	stderr := term.NewDoor(w.stderr) // messages are for people, wherever they go
	defer stderr.Flush()
	w.stderr = stderr
	if w.stdoutTerminal {
		stdout := term.NewDoor(w.stdout)
		defer stdout.Flush()
		w.stdout = stdout
	}
	a := &aim{}
	root := newRootCommand(&w, a)
	args := dispatch(&w, root, a, w.args)
	hideUseless(root, args)
	root.SetArgs(append([]string{}, args...)) // nil would stand for those of the process
	root.SetIn(w.stdin)
	root.SetOut(w.stdout)
	root.SetErr(w.stderr)
	return exitCode(ctx, &w, root.ExecuteContext(ctx))
}
