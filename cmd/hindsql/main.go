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
	env := processEnvironment()
	crash.Watch(env.state(""))
	env.interrupts.handleWith(stop)
	go env.interrupts.watch(stop)
	signal.Ignore(syscall.SIGPIPE) // a closed pipe makes the write fail, and hindsql closes the store properly
	os.Exit(execute(ctx, env))
}

// readZone reads $TZ again on systems without time zones. BurntSushi/toml asks for the
// local zone in its init, before the zones of time/tzdata are there, so Go took UTC.
func readZone() {
	name := strings.TrimPrefix(os.Getenv("TZ"), ":")
	if zone, err := time.LoadLocation(name); err == nil && name != "" && time.Local.String() == "UTC" {
		time.Local = zone
	}
}

// execute runs one command and returns the exit code: 0; 1 for an error of SQL or at run
// time; 2 for wrong usage; 3 if the condition of a report or of run --alert holds; 4 if
// another program writes to the store; 70 after a panic; 130 after an interrupt.
func execute(ctx context.Context, env environment) (code int) {
	stderr := term.NewEscaper(env.stderr) // messages are for people, in a pipe, too
	defer stderr.Flush()
	env.stderr = stderr
	if env.stdoutTerminal {
		stdout := term.NewEscaper(env.stdout)
		defer stdout.Flush()
		env.stdout = stdout
	}
	defer crash.Catch(func(value any) { code, _ = exitPanic, env.reportPanic(value) })
	a := &namedQuery{}
	root := newRootCommand(&env, a)
	args := dispatch(&env, root, a, env.args)
	root.SetArgs(append([]string{}, args...)) // nil would mean the process's arguments
	root.SetIn(env.stdin)
	root.SetOut(env.stdout)
	root.SetErr(env.stderr)
	return exitCode(ctx, &env, root.ExecuteContext(ctx))
}
