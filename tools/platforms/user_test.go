//go:build linux

package platforms

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// patience is the time limit for one command.
const patience = 10 * time.Minute

// host is a build of hindsql, and what runs it on this machine.
type host struct {
	name    string
	program string
	starts  []string // comes before a program: wine, qemu
	env     []string
	profile string // wine's folder of the user, a link to the home folder in use; empty elsewhere
}

// user is somebody with a home folder, who runs the program of a host.
type user struct {
	*host
	home    string
	leftOut []string // columns that aren't compared, besides ownColumns
}

// user makes a user with a copy of the logs in a home folder; empty means no logs.
func (h *host) user(t *testing.T, logs string) *user {
	t.Helper()
	u := &user{host: h, home: filepath.Join(t.TempDir(), "home")}
	if err := os.MkdirAll(u.home, 0o755); err != nil {
		t.Fatal(err)
	}
	if logs != "" {
		shell(t, "cp -a \"$0/.\" \"$1\"", logs, u.home)
	}
	if !h.isWindows() {
		return u
	}
	// On Windows, settings are in AppData.
	shell(t, `mkdir -p "$0/AppData/Local/Temp" "$0/AppData/Roaming"
		for program in "$0"/.config/*; do [ ! -e "$program" ] || mv "$program" "$0/AppData/Roaming"; done`, u.home)
	return u
}

func (h *host) isWindows() bool { return h.profile != "" }

// path returns the name that the user's program has for a file of this machine.
func (u *user) path(file string) string {
	if !u.isWindows() {
		return file
	}
	if inside, ok := strings.CutPrefix(file, u.home); ok {
		return `C:\users\root` + strings.ReplaceAll(inside, "/", `\`)
	}
	return "Z:" + strings.ReplaceAll(file, "/", `\`)
}

// data is the folder of the user's store.
func (u *user) data() string {
	if u.isWindows() {
		return filepath.Join(u.home, "AppData", "Local", "hindsql")
	}
	return filepath.Join(u.home, ".local", "share", "hindsql")
}

// command returns a command of the user's program. Under wine, which has one user at a
// time, the user is logged in first.
func (u *user) command(ctx context.Context, t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	return u.start(ctx, t, append([]string{u.program}, args...)...)
}

// start returns a command of any program of the user's platform.
func (u *user) start(ctx context.Context, t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	if u.isWindows() {
		if now, _ := os.Readlink(u.profile); now != u.home {
			if err := os.Remove(u.profile); err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
			if err := os.Symlink(u.home, u.profile); err != nil {
				t.Fatal(err)
			}
		}
	}
	all := append(append([]string{}, u.starts...), args...)
	c := exec.CommandContext(ctx, all[0], all[1:]...)
	c.Dir = u.home
	c.Env = append([]string{"HOME=" + u.home, "PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8", "TZ=UTC", "HINDSQL_SAMPLE_DAY=2026-10-22"}, u.env...)
	c.WaitDelay = 5 * time.Second
	return c
}

// answer is how a command ended.
type answer struct {
	out, said string
	code      int
	took      time.Duration
}

// try runs the program.
func (u *user) try(t *testing.T, args ...string) answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	return finish(t, u.command(ctx, t, args...))
}

// run runs the program, which has to succeed, and returns the output.
func (u *user) run(t *testing.T, args ...string) string {
	t.Helper()
	a := u.try(t, args...)
	if a.code != 0 {
		t.Fatalf("%s: hindsql %q: exit code %d\n%s%s", u.name, args, a.code, a.out, a.said)
	}
	return a.out
}

// piped starts a command, and returns its standard input and output.
func piped(t *testing.T, c *exec.Cmd) (in io.WriteCloser, out *bufio.Reader) {
	t.Helper()
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	said, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return in, bufio.NewReader(said)
}

// finish runs a command to its end.
func finish(t *testing.T, c *exec.Cmd) answer {
	t.Helper()
	return begin(t, c)()
}

// begin starts a command, and returns the function that waits for its end.
func begin(t *testing.T, c *exec.Cmd) (wait func() answer) {
	t.Helper()
	var out, said bytes.Buffer
	c.Stdout, c.Stderr = &out, &said
	began := time.Now()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return func() answer {
		t.Helper()
		err := c.Wait()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatalf("%q: %v\n%s%s", c.Args, err, out.String(), said.String())
		}
		return answer{unixLines(out.String()), unixLines(said.String()), c.ProcessState.ExitCode(), time.Since(began)}
	}
}

func unixLines(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// shell runs a script of this machine's shell, with arguments from $0 on.
func shell(t *testing.T, script string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "sh", append([]string{"-euc", script}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
	return string(out)
}
