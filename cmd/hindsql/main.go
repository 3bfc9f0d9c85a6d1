// Command hindsql answers SQL about the work of coding agents, from their logs on this
// machine. This package is only the command line: package engine syncs and queries,
// package queries holds the saved SQL, package term writes results.
package main

import (
	"context"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
	_ "time/tzdata" // for systems without time zones: Windows, small containers

	"hindsql/cmd/hindsql/term"
	"hindsql/engine"
	_ "hindsql/internal/collector" // less garbage collection, from before main on
	"hindsql/internal/crash"
)

func main() {
	readZone()
	engine.Worker()
	prepareProcess()
	ctx, stop := context.WithCancel(context.Background())
	w := processWorld()
	crash.Watch(w.stateFolder())
	w.interrupts.take(stop)
	go w.interrupts.watch(stop)
	signal.Ignore(syscall.SIGPIPE) // a closed pipe makes the write fail, and hindsql closes the store properly
	os.Exit(run(ctx, w))
}

// readZone reads $TZ again on systems without time zones. BurntSushi/toml asks for the
// local zone in its init, before the zones of time/tzdata are there, so Go took UTC.
func readZone() {
	name := strings.TrimPrefix(os.Getenv("TZ"), ":")
	if zone, err := time.LoadLocation(name); err == nil && name != "" && time.Local.String() == "UTC" {
		time.Local = zone
	}
}

// run runs one command and returns the exit code: 0; 1 for an error of SQL or at run
// time; 2 for wrong usage; 3 if the condition of a report or of run --alert holds; 4 if
// another program writes to the store; 70 after a panic; 130 after an interrupt.
func run(ctx context.Context, w world) (code int) {
	stderr := term.NewDoor(w.stderr) // messages are for people, in a pipe, too
	defer stderr.Flush()
	w.stderr = stderr
	if w.stdoutTerminal {
		stdout := term.NewDoor(w.stdout)
		defer stdout.Flush()
		w.stdout = stdout
	}
	defer crash.Catch(func(value any) { code, _ = exitPanic, w.panicked(value) })
	a := &aim{}
	root := newRootCommand(&w, a)
	args := dispatch(&w, root, a, w.args)
	root.SetArgs(append([]string{}, args...)) // nil would mean the process's arguments
	root.SetIn(w.stdin)
	root.SetOut(w.stdout)
	root.SetErr(w.stderr)
	return exitCode(ctx, &w, root.ExecuteContext(ctx))
}

// panicked is [crash.Tell] in the world.
func (w *world) panicked(value any) string {
	return crash.Tell(value, w.stateFolder(), buildVersion(), w.short, w.notice)
}
