// Command hindsql answers SQL about what coding agents did, from the logs they
// leave on this machine. It is the face only: the engine package syncs and
// queries, queries holds the saved SQL, render writes results.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"os/user"
	"runtime"
	"runtime/debug"
	"syscall"
	_ "time/tzdata" // for systems that have no time zones: Windows, small containers

	"golang.org/x/term"

	"hindsql/cmd/hindsql/prompt"
	"hindsql/cmd/hindsql/render"
	"hindsql/engine"
	"hindsql/machine"
	"hindsql/readers"
	"hindsql/readers/all"
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
	e := processEnv()
	e.interrupts.take(stop)
	go e.interrupts.watch(stop)
	signal.Ignore(syscall.SIGPIPE) // a closed pipe becomes an error of the write, so that the store is closed properly
	os.Exit(run(ctx, e))
}

// env is all that a command sees of the world outside.
type env struct {
	args           []string // without the program's name
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
	isEmpty        func(string) bool // a variable is set, to nothing; nil: none is
	os             string            // as runtime.GOOS
	home           string            // empty when there is none
	folder         string            // the current one; empty where it isn't known
	hostname       string
	user           string        // name of the user; empty when it isn't known
	systemID       func() string // the operating system's id, see machine.Options; nil for none
	slowSystemID   bool          // it takes long to ask
	stdinTerminal  bool
	stdoutTerminal bool
	stderrTerminal bool
	width, height  int // columns and lines of the terminal behind stdout; 0 where it doesn't know
	interrupts     *interrupts
	editor         prompt.Editor // of the prompt; nil for the terminal
	readers        []*readers.Reader
}

func processEnv() env {
	home, _ := os.UserHomeDir()
	hostname, _ := os.Hostname()
	folder, _ := os.Getwd()
	systemID, isSlow := machine.SystemID(runtime.GOOS)
	e := env{
		args:           os.Args[1:],
		stdin:          os.Stdin,
		stdout:         os.Stdout,
		stderr:         os.Stderr,
		getenv:         os.Getenv,
		isEmpty:        isEmpty,
		os:             runtime.GOOS,
		home:           home,
		folder:         folder,
		hostname:       hostname,
		user:           userName(),
		systemID:       systemID,
		slowSystemID:   isSlow,
		stdinTerminal:  term.IsTerminal(int(os.Stdin.Fd())),
		stdoutTerminal: term.IsTerminal(int(os.Stdout.Fd())),
		stderrTerminal: term.IsTerminal(int(os.Stderr.Fd())),
		interrupts:     &interrupts{},
		readers:        all.Readers(),
	}
	if e.stdoutTerminal {
		if width, height, err := term.GetSize(int(os.Stdout.Fd())); err == nil {
			e.width, e.height = width, height
		}
	}
	return e
}

// userName is whose logs these are. Variables have it nearly everywhere; to ask
// the system may mean to ask the network.
func userName() string {
	for _, name := range []string{"USER", "LOGNAME", "USERNAME"} {
		if user := os.Getenv(name); user != "" {
			return user
		}
	}
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return ""
}

func isEmpty(name string) bool {
	value, ok := os.LookupEnv(name)
	return ok && value == ""
}

// lookup gives a variable of the environment, and whether it is set.
func (e *env) lookup(name string) (string, bool) {
	value := e.getenv(name)
	return value, value != "" || e.isEmpty != nil && e.isEmpty(name)
}

// run runs one command and gives the exit code: 0, 1 for an error of SQL or at
// run time, 2 for wrong usage, 3 when the condition of a report or of run --alert holds,
// 4 when another program writes to the store, 130 when interrupted.
func run(ctx context.Context, e env) int {
	stderr := render.NewDoor(e.stderr) // messages are for people, wherever they go
	defer stderr.Flush()
	e.stderr = stderr
	if e.stdoutTerminal {
		stdout := render.NewDoor(e.stdout)
		defer stdout.Flush()
		e.stdout = stdout
	}
	return (&app{env: e}).run(ctx)
}

func (a *app) run(ctx context.Context) int {
	root := a.rootCommand()
	args := a.dispatch(root, a.args)
	hideUseless(root, args)
	root.SetArgs(append([]string{}, args...)) // nil would stand for those of the process
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	return a.exitCode(ctx, root.ExecuteContext(ctx))
}
