package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// openPTY opens a terminal: program is the program's end, person the user's.
func openPTY(t *testing.T) (program, person *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no terminals here: ", err)
	}
	t.Cleanup(func() { person.Close() })
	if err := unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Skip(err)
	}
	n, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Skip(err)
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	if err := unix.IoctlSetWinsize(int(program.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 500, Col: 160}); err != nil {
		t.Fatal(err)
	}
	return program, person
}

// onTerminal runs the program on a terminal of its own, and returns the screen's text.
func onTerminal(t *testing.T, home, typed string, args ...string) string {
	t.Helper()
	program, person := openPTY(t)
	path := filepath.Join(t.TempDir(), "hindsql")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, path); err != nil { // testscript runs the program under this name
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Env = []string{"HOME=" + home, "TERM=xterm", "PATH=/usr/bin:/bin", "PAGER=cat"}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = program, program, program
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	program.Close()
	timer := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	defer timer.Stop()
	var seen screenText
	done := make(chan struct{})
	go func() { io.Copy(&seen, person); close(done) }() // ends with EIO when the program ends
	for part := range strings.SplitAfterSeq(typed, "\t") {
		if part != typed { // a Tab completes unless text comes with it
			seen.waitQuiet()
		}
		io.WriteString(person, part)
	}
	_ = cmd.Wait()
	<-done
	return strings.ReplaceAll(seen.String(), "\r\n", "\n") // the terminal's own line ends
}

// screenText is what a program has written to its terminal.
type screenText struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *screenText) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *screenText) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// waitQuiet waits until the prompt reads keys and has drawn those before, half a minute at
// most.
func (s *screenText) waitQuiet() {
	before := ""
	for range 60 {
		time.Sleep(500 * time.Millisecond)
		now := s.String()
		if strings.Contains(now, "\x1b[?2004h") && now == before {
			return
		}
		before = now
	}
}

// TestOnARealTerminal: results in several formats, errors, and the prompt with its
// editor.
func TestOnARealTerminal(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	strangeHome(t, home)
	onTerminal(t, home, "", "sync") // with a progress bar
	for _, format := range []string{"table", "csv", "json", "line"} {
		got := onTerminal(t, home, "", "--no-sync", everyText, "--format", format)
		wantText(t, format, got, format == "table" || format == "line")
		if len(got) < 1000 {
			t.Errorf("%s: only %q", format, got)
		}
	}
	wantText(t, "an error", onTerminal(t, home, "", "--no-sync", "SELECT \""+astray+"\""), false)
	got := onTerminal(t, home, "SELECT error(chr(27) || '[31mX' || chr(8238));\rSELECT chr(155) || chr(27) AS x;\r.quit\r")
	if !bytes.Contains([]byte(got), []byte("␛[31mX<U+202E>")) || !bytes.Contains([]byte(got), []byte("<U+009B>␛")) {
		t.Errorf("the prompt shows %q", got)
	}
}

// TestKeysOnARealTerminal: an entry of several lines comes back as several lines, and
// can be changed in the middle. Tab completes tables and values.
func TestKeysOnARealTerminal(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	folder := filepath.Join(home, ".local", "state", "hindsql")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	const entry = `SELECT 'first' AS a,\n  'second' AS b\nFROM range(1);`
	if err := os.WriteFile(filepath.Join(folder, "history"), []byte(entry+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const up, down, home1, tab = "\x1b[A", "\x1b[B", "\x01", "\t"
	got := onTerminal(t, home, up+down+home1+"-- \r"+
		"CREATE TEMP TABLE unusual AS SELECT 'val' || 'ue' AS name;\r"+
		"SELECT count(*) + 40 AS found FROM unus"+tab+" WHERE name = 'va"+tab+";\r.quit\r", "--no-sync")
	for _, want := range []string{"│ first", "│     41 │"} {
		if !bytes.Contains([]byte(got), []byte(want)) {
			t.Errorf("no %q in %q", want, got[:min(len(got), 600)])
		}
	}
	if bytes.Contains([]byte(got), []byte("│ second")) {
		t.Errorf("the second line was not changed")
	}
	kept, err := os.ReadFile(filepath.Join(folder, "history"))
	if want := `SELECT 'first' AS a,\n--   'second' AS b\nFROM range(1);`; err != nil || !bytes.Contains(kept, []byte(want)) {
		t.Errorf("the history has no %s: %s, %v", want, kept, err)
	}
}
