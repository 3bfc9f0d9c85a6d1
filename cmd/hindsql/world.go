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

// world is all that a command sees of the world outside.
type world struct {
	args []string // without the program's name
	streams
	terminal
	variables
	who
	interrupts *interrupts
	editor     prompt.Editor // of the prompt; nil for the terminal
	readers    []*readers.Reader

	// Of tests; nothing in the program.
	now        func() time.Time
	safeTime   time.Duration // of statements where SQL runs safely
	makeReport func(ctx context.Context, name, folder string, from, to time.Time) (schedule.Made, error)
}

type streams struct {
	stdin          io.Reader
	stdout, stderr io.Writer
}

// terminal says which streams are one, and how large it is.
type terminal struct {
	stdinTerminal  bool
	stdoutTerminal bool
	stderrTerminal bool
	width, height  int // columns and lines of the terminal behind stdout; 0 where it doesn't know
}

// variables are those of the environment.
type variables struct {
	getenv  func(string) string
	isEmpty func(string) bool // a variable is set, to nothing; nil: none is
}

// who is at work, and where.
type who struct {
	os           string // as runtime.GOOS
	home         string // empty when there is none
	folder       string // the current one; empty where it isn't known
	hostname     string
	user         string        // name of the user; empty when it isn't known
	systemID     func() string // the operating system's id, see machine.Options; nil for none
	slowSystemID bool          // it takes long to ask
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
func (w *world) lookup(name string) (string, bool) {
	value := w.getenv(name)
	return value, value != "" || w.isEmpty != nil && w.isEmpty(name)
}

// notice writes a line for people to stderr.
func (w *world) notice(format string, args ...any) {
	term.Notice(w.stderr, format, args...)
}

// clock is the time, which tests may set.
func (w *world) clock() time.Time {
	if w.now != nil {
		return w.now()
	}
	return time.Now().Round(0) // without the monotonic clock, which stands still while the machine sleeps
}

// agents are the names of the agents, as --root takes them and tables have them.
func (w *world) agents() []string {
	var names []string
	for _, r := range w.readers {
		names = append(names, r.Agent)
	}
	return names
}

// host is what the agents' folders depend on.
func (w *world) host() readers.Host {
	return readers.Host{OS: w.os, Home: w.home, Getenv: w.getenv}
}

// short is a path for people.
func (w *world) short(path string) string { return atomicfile.Short(w.home, path) }

// long is the path that an argument names.
func (w *world) long(path string) string { return atomicfile.Long(w.home, path) }

// ascii says that the locale names letters other than UTF-8, as en_US.ISO-8859-1
// does. A locale without letters is UTF-8, as terminals are.
func (w *world) ascii() bool {
	locale := cmp.Or(w.getenv("LC_ALL"), w.getenv("LC_CTYPE"), w.getenv("LANG"))
	_, letters, named := strings.Cut(strings.ToLower(locale), ".")
	return named && !strings.HasPrefix(letters, "utf-8") && !strings.HasPrefix(letters, "utf8")
}

// color says that colours are wanted, where they are to be seen.
func (w *world) color() bool { return w.getenv("NO_COLOR") == "" && w.getenv("TERM") != "dumb" }
