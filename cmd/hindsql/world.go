package main

import (
	"cmp"
	"context"
	"io"
	"os"
	"os/user"
	"runtime"
	"strings"
	"time"

	xterm "golang.org/x/term"

	"hindsql/cmd/hindsql/prompt"
	"hindsql/cmd/hindsql/schedule"
	"hindsql/cmd/hindsql/term"
	"hindsql/engine/fleet/machine"
	"hindsql/internal/atomicfile"
	"hindsql/readers"
	"hindsql/readers/all"
)

// world is a command's environment: arguments, streams, variables and user. Tests
// replace it.
type world struct {
	args []string // without the program's name
	streams
	terminal
	variables
	who
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

// who is the user and the machine.
type who struct {
	os           string // like runtime.GOOS
	home         string // empty if unknown
	folder       string // the current folder; empty if unknown
	hostname     string
	user         string        // name of the user; empty if unknown
	systemID     func() string // the operating system's id, see machine.Options; nil for none
	slowSystemID bool          // systemID is slow
}

func processWorld() world {
	w := world{
		args:       os.Args[1:],
		streams:    streams{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr},
		terminal:   processTerminal(),
		variables:  variables{getenv: os.Getenv, isEmpty: isEmpty},
		who:        who{os: runtime.GOOS, user: userName()},
		interrupts: &interrupts{},
		readers:    all.Readers(),
		retries:    []time.Duration{5 * time.Minute, 15 * time.Minute, 45 * time.Minute},
	}
	w.home, _ = os.UserHomeDir()
	w.hostname, _ = os.Hostname()
	w.folder, _ = os.Getwd()
	w.systemID, w.slowSystemID = machine.SystemID(runtime.GOOS)
	return w
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

// lookup returns an environment variable, and whether it is set.
func (w *world) lookup(name string) (string, bool) {
	value := w.getenv(name)
	return value, value != "" || w.isEmpty != nil && w.isEmpty(name)
}

// notice writes a line for people to stderr.
func (w *world) notice(format string, args ...any) {
	term.Notice(w.stderr, format, args...)
}

// clock returns the time, which tests may set.
func (w *world) clock() time.Time {
	if w.now != nil {
		return w.now()
	}
	return time.Now().Round(0) // drop the monotonic clock, which stops while the machine sleeps
}

// agents returns the agents' names, as in --root and tables.
func (w *world) agents() []string {
	var names []string
	for _, r := range w.readers {
		names = append(names, r.Agent)
	}
	return names
}

// host returns what the agents' readers need to find the agents' folders.
func (w *world) host() readers.Host {
	return readers.Host{OS: w.os, Home: w.home, Getenv: w.getenv}
}

// short shortens a path for people.
func (w *world) short(path string) string { return atomicfile.Short(w.home, path) }

// long returns the full path of an argument.
func (w *world) long(path string) string { return atomicfile.Long(w.home, path) }

// ascii reports whether the locale names a charset other than UTF-8, for example
// en_US.ISO-8859-1. A locale without a charset counts as UTF-8, as on terminals.
func (w *world) ascii() bool {
	locale := cmp.Or(w.getenv("LC_ALL"), w.getenv("LC_CTYPE"), w.getenv("LANG"))
	_, letters, named := strings.Cut(strings.ToLower(locale), ".")
	return named && !strings.HasPrefix(letters, "utf-8") && !strings.HasPrefix(letters, "utf8")
}

// color reports whether colours are wanted on a terminal.
func (w *world) color() bool { return w.getenv("NO_COLOR") == "" && w.getenv("TERM") != "dumb" }
