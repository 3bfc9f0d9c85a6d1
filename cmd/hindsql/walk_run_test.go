package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"hindsql/cmd/hindsql/term"
	"hindsql/readers/sample"
)

// walk has what all lines of a walk share.
type walk struct {
	folder  string
	homes   map[string]string // home folders, by the values of the factor
	landing string            // what another machine pushed
	codes   []string          // the documented exit codes
}

// documentedCode matches a line of the table of exit codes in docs/usage.md.
var documentedCode = regexp.MustCompile(`(?m)^\| (\d+) \|`)

// newWalk makes the folders of a walk. The process itself gets an empty home folder, and
// finds no programs: no command may write to the user's own files, or run a scheduler.
func newWalk(t *testing.T) *walk {
	usage, err := os.ReadFile("../../docs/usage.md")
	if err != nil {
		t.Fatal(err)
	}
	sampleCache()
	folder := t.TempDir()
	w := &walk{folder: folder, landing: filepath.Join(folder, "landing"), homes: map[string]string{"empty": filepath.Join(folder, "empty")}}
	for _, m := range documentedCode.FindAllStringSubmatch(string(usage), -1) {
		w.codes = append(w.codes, m[1])
	}
	w.homes["sample"], err = sample.Write(filepath.Join(folder, "sample"))
	other, failed := sample.Write(filepath.Join(folder, "other"))
	if err != nil || failed != nil {
		t.Fatal(err, failed)
	}
	t.Chdir(folder)
	for _, name := range []string{"HOME", "PATH"} {
		t.Setenv(name, w.own())
	}
	if err := os.Mkdir(w.own(), 0o700); err != nil {
		t.Fatal(err)
	}
	e, stdout, stderr := outside(t, "push", w.landing)
	e.home, e.hostname = other, "other"
	succeed(t, e, stdout, stderr)
	for _, home := range w.homes { // commands share the store, which stays open
		e, stdout, stderr = outside(t, "sync")
		e.home = home
		succeed(t, e, stdout, stderr)
		keepOpen(t, home)
	}
	return w
}

// own is the home folder of the process, in which no command may write.
func (w *walk) own() string { return filepath.Join(w.folder, "own") }

// takes reports whether the command has a flag whose value the line leaves open.
func (l trial) takes(flag string) bool {
	return l.command.Flags().Lookup(flag) != nil && !strings.HasPrefix(l.flag, "--"+flag+"=")
}

// writers are commands that change a store or the user's settings.
var writers = []string{"prune", "sync", "machine", "push", "pull", "report install", "report uninstall", "queries new", "skill install", "skill uninstall", "mcp install", "mcp uninstall"}

func (l trial) writes() bool {
	return slices.ContainsFunc(writers, func(name string) bool { return strings.HasPrefix(l.command.CommandPath(), "hindsql "+name) })
}

// endless reports whether the command ends by an interrupt only.
func (l trial) endless() bool {
	return l.command.CommandPath() == "hindsql web" || strings.HasPrefix(l.flag, "--http=")
}

// onSample reports whether the line gets --sample. Elsewhere the sample's logs lie in
// the home folder.
func (l trial) onSample() bool {
	return l.home == "sample" && l.takes("sample") && l.takes("root") && l.takes("store") && !strings.HasPrefix(l.flag, "--lake=") && !strings.HasPrefix(l.flag, "--name=")
}

// args returns the command line.
func (l trial) args(w *walk) []string {
	var flags []string
	if l.flag != "" {
		flags = append(flags, l.flag)
	}
	if l.format != "" {
		flags = append(flags, "--format", l.format)
	}
	if l.place == "file" {
		flags = append(flags, "-o", l.file())
	}
	if l.onSample() {
		flags = append(flags, "--sample")
	}
	if l.takes("timezone") {
		flags = append(flags, "--timezone", "UTC")
	}
	args := slices.Concat(l.words, flags)
	if l.before {
		args = slices.Concat(flags, l.words)
	}
	for i, arg := range args {
		if name, given := strings.CutSuffix(arg, "landing"); given {
			args[i] = name + w.landing
		}
	}
	return args
}

// terminalWidth returns the width of a terminal; 0 for a pipe and a file.
func terminalWidth(place string) int {
	width, _ := strconv.Atoi(place)
	return width
}

// file returns the name of the file for the answer. Its extension suits the format.
func (l trial) file() string {
	if f, err := term.ByName(l.format); err == nil && f.Extensions != nil {
		return "answer" + f.Extensions[0]
	}
	return "answer"
}

// answer is what a command line gave.
type answer struct {
	trial
	args           []string
	code           int
	stdout, stderr string
	text           string // the file's, or standard output
	written        bool   // there is a file
}

// run runs a line in a folder of its own. A command that writes gets a home folder of
// its own, too.
func (w *walk) run(t *testing.T, l trial) (a answer) {
	t.Helper()
	folder := t.TempDir()
	home, cache := w.homes[l.home], sampleCache()
	if l.writes() {
		home, cache = filepath.Join(folder, "home"), filepath.Join(folder, "cache")
		if err := os.CopyFS(home, os.DirFS(w.homes[l.home])); err != nil {
			t.Fatal(err)
		}
		os.RemoveAll(filepath.Join(home, ".local", "share", "hindsql")) // the logs lie elsewhere
	}
	write(t, filepath.Join(folder, "query.sql"), "FROM sessions;\nSELECT 1;\n", 0o600)
	write(t, filepath.Join(folder, "prices.toml"), "[\"large-4\"]\ninput = 3.0\noutput = 15.0\n", 0o600)
	t.Chdir(folder)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	a = answer{trial: l, args: l.args(w)}
	e, stdout, stderr := onSample(t)
	e.args, e.home, e.folder = a.args, home, folder
	vars := map[string]string{"XDG_CACHE_HOME": cache, "PAGER": "cat"}
	e.getenv = func(name string) string { return vars[name] }
	if l.endless() {
		e.stdout, e.stderr = ending{stdout, cancel}, ending{stderr, cancel}
	}
	if width := terminalWidth(l.place); width > 0 {
		e.stdoutTerminal, e.stderrTerminal, e.width = true, true, width
	}
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("hindsql %q: panic: %v", a.args, p)
		}
	}()
	a.code = execute(ctx, e)
	a.stdout, a.stderr, a.text = stdout.String(), barless(stderr.String()), stdout.String()
	if l.place == "file" {
		text, err := os.ReadFile(l.file())
		a.text, a.written = string(text), err == nil
	}
	return a
}

// ending is a writer that interrupts a command at its first line.
type ending struct {
	*strings.Builder
	interrupt func()
}

func (e ending) Write(p []byte) (int, error) {
	e.interrupt()
	return e.Builder.Write(p)
}
