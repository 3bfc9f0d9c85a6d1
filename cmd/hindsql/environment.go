package main

import (
	"cmp"
	"context"
	"io"
	"os"
	"os/signal"
	"os/user"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
	_ "time/tzdata"

	xterm "golang.org/x/term"

	"hindsql/cmd/hindsql/prompt"
	"hindsql/cmd/hindsql/schedule"
	"hindsql/cmd/hindsql/term"
	"hindsql/engine/fleet/machine"
	"hindsql/internal/atomicfile"
	_ "hindsql/internal/collector"
	"hindsql/internal/crash"
	"hindsql/internal/lists"
	"hindsql/internal/userfolders"
	"hindsql/readers"
	"hindsql/readers/all"
)

// environment is a command's environment: arguments, streams, variables and user. Tests
// replace it.
type environment struct {
	args []string // without the program's name
	streams
	terminal
	variables
	identity
	interrupts *interrupts
	editor     prompt.Editor // of the prompt; nil for the terminal
	readers    []*readers.Reader
	retries    []time.Duration // pauses of a scheduled run after failures

	// Only set by tests.
	now        func() time.Time
	safeTime   time.Duration // of statements in safe mode
	makeReport func(ctx context.Context, name, folder string, from, to time.Time) (schedule.Made, error)
}

type streams struct {
	stdin          io.Reader
	stdout, stderr io.Writer
}

// terminal says which streams are terminals, and their size.
type terminal struct {
	stdinTerminal  bool
	stdoutTerminal bool
	stderrTerminal bool
	width, height  int // columns and lines of the terminal behind stdout; 0 if unknown
}

// variables are the environment's variables.
type variables struct {
	getenv  func(string) string
	isEmpty func(string) bool // reports whether a variable is set to an empty text; nil: no variable is
}

// identity is the user and the machine.
type identity struct {
	os           string // like runtime.GOOS
	home         string // empty if unknown
	folder       string // the current folder; empty if unknown
	hostname     string
	user         string        // name of the user; empty if unknown
	systemID     func() string // the operating system's id, see machine.Options; nil for none
	slowSystemID bool          // systemID is slow
}

func processEnvironment() environment {
	env := environment{
		args:       os.Args[1:],
		streams:    streams{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr},
		terminal:   processTerminal(),
		variables:  variables{getenv: os.Getenv, isEmpty: func(name string) bool { value, ok := os.LookupEnv(name); return ok && value == "" }},
		identity:   identity{os: runtime.GOOS, user: userName()},
		interrupts: &interrupts{},
		readers:    all.Readers(),
		retries:    []time.Duration{5 * time.Minute, 15 * time.Minute, 45 * time.Minute},
	}
	env.home, _ = os.UserHomeDir()
	env.hostname, _ = os.Hostname()
	env.folder, _ = os.Getwd()
	env.systemID, env.slowSystemID = machine.SystemID(runtime.GOOS)
	return env
}

func processTerminal() terminal {
	t := terminal{
		stdinTerminal:  xterm.IsTerminal(int(os.Stdin.Fd())),
		stdoutTerminal: xterm.IsTerminal(int(os.Stdout.Fd())),
		stderrTerminal: xterm.IsTerminal(int(os.Stderr.Fd())),
	}
	if t.stdoutTerminal {
		if width, height, err := xterm.GetSize(int(os.Stdout.Fd())); err == nil {
			t.width, t.height = width, height
		}
	}
	return t
}

// userName returns the name of the user whose logs are read. It prefers environment
// variables, because asking the system may use the network.
func userName() string {
	for _, name := range []string{"USER", "LOGNAME", "USERNAME"} {
		if value := os.Getenv(name); value != "" {
			return value
		}
	}
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return ""
}

// lookup returns an environment variable, and whether it is set.
func (env *environment) lookup(name string) (string, bool) {
	value := env.getenv(name)
	return value, value != "" || env.isEmpty != nil && env.isEmpty(name)
}

// notice writes a line for people to stderr.
func (env *environment) notice(format string, args ...any) {
	term.Notice(env.stderr, format, args...)
}

// clock returns the time, which tests may set.
func (env *environment) clock() time.Time {
	if env.now != nil {
		return env.now()
	}
	return time.Now().Round(0) // drop the monotonic clock, which stops while the machine sleeps
}

// agents returns the agents' names, as in --root and tables.
func (env *environment) agents() []string {
	return lists.Map(env.readers, func(r *readers.Reader) string { return r.Agent })
}

// host returns what the agents' readers need to find the agents' folders.
func (env *environment) host() readers.Host {
	return readers.Host{OS: env.os, Home: env.home, Getenv: env.getenv}
}

// short shortens a path for people.
func (env *environment) short(path string) string { return atomicfile.Short(env.home, path) }

// long returns the full path of an argument.
func (env *environment) long(path string) string { return atomicfile.Long(env.home, path) }

// isASCII reports whether the locale names a charset other than UTF-8, for example
// en_US.ISO-8859-1. A locale without a charset counts as UTF-8, as on terminals.
func (env *environment) isASCII() bool {
	locale := cmp.Or(env.getenv("LC_ALL"), env.getenv("LC_CTYPE"), env.getenv("LANG"))
	_, letters, named := strings.Cut(strings.ToLower(locale), ".")
	return named && !strings.HasPrefix(letters, "utf-8") && !strings.HasPrefix(letters, "utf8")
}

// hasColor reports whether colours are wanted on a terminal.
func (env *environment) hasColor() bool {
	return env.getenv("NO_COLOR") == "" && env.getenv("TERM") != "dumb"
}

// userOf returns the user whose folders are used.
func userOf(env *environment) userfolders.User {
	return userfolders.User{OS: env.os, Home: env.home, Getenv: env.getenv}
}

// state returns a file or folder in the program's state; empty if no home is known.
func (env *environment) state(name string) string { return ofHindsql(userOf(env).State(), name) }

// configured returns a file or folder in hindsql's configuration; empty if no home is
// known.
func (env *environment) configured(name string) string {
	return ofHindsql(userOf(env).Config(), name)
}

// ofHindsql returns hindsql's file or folder in a folder of the user's; empty without a
// folder.
func ofHindsql(folder, name string) string {
	if folder == "" {
		return ""
	}
	return filepath.Join(folder, "hindsql", name)
}

// runtimeFolder returns the folder for files that exist only while a process runs:
// $XDG_RUNTIME_DIR, which is private to the user and emptied at shutdown, otherwise
// hindsql's state folder; empty if no home folder is known.
func runtimeFolder(env *environment) string {
	if folder := env.getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(folder) {
		return filepath.Join(folder, "hindsql")
	}
	return env.state("")
}

// released is the version set by make dist through the linker; empty in other builds.
var released string

// buildVersion returns the version of the release or the module, or the commit of the
// build.
func buildVersion() string {
	if released != "" {
		return released
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown)"
	}
	version := info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 && version == "(devel)" {
			version = s.Value[:12]
		}
	}
	return version
}

// reportPanic calls [crash.Report].
func (env *environment) reportPanic(value any) string {
	return crash.Report(value, env.state(""), buildVersion(), env.short, env.notice)
}

// interrupts passes each Ctrl-C to the function that last asked for it.
type interrupts struct {
	mu       sync.Mutex
	handlers []*func()
}

// handleWith makes each Ctrl-C call f until restore is called.
func (i *interrupts) handleWith(f func()) (restore func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.handlers = append(i.handlers, &f)
	return func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		i.handlers = slices.DeleteFunc(i.handlers, func(t *func()) bool { return t == &f })
	}
}

func (i *interrupts) fire() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if n := len(i.handlers); n > 0 {
		(*i.handlers[n-1])()
	}
}

// watch waits for signals. Ctrl-C goes to the last function of handleWith. SIGTERM and
// SIGHUP call stop. If nohup started the program, SIGHUP is ignored, and the program
// outlives its terminal.
func (i *interrupts) watch(stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	for s := range signals {
		if s == os.Interrupt {
			i.fire()
		} else {
			stop()
		}
	}
}

// interruptible returns a context cancelled by the next Ctrl-C.
func (i *interrupts) interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	restore := i.handleWith(cancel)
	return ctx, func() { restore(); cancel() }
}
