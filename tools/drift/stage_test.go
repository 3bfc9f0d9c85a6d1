package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// program is an agent for tests: it writes the typed line into a log, and leaves a
// daemon.
const program = `#!/bin/sh
cat "$HOME/greeting"
read line
echo "{\"typed\": \"$line\"}" > "$HOME/log.jsonl"
(setsid sleep 600 > /dev/null 2>&1 &)
echo "Noted."
read line
`

// testWatch returns a watch and an agent whose program is a shell script. Tests skip
// without tmux.
func testWatch(t *testing.T, script string) (*watch, stage) {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux isn't installed")
	}
	pack := t.TempDir()
	if err := os.WriteFile(filepath.Join(pack, "program"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	a := &agent{
		name: strings.ReplaceAll(t.Name(), "/", "-"), program: "program", native: true, ready: "Hello",
		files: map[string]string{"greeting": "Hello from $HOME, ask $MOCK\n"},
		keys:  map[string][]step{"once": {maybe("Trust", 0.1, press("Enter")), enter("Make one file"), see("Noted"), until("EXITED", "Enter")}},
	}
	w := &watch{limit: time.Minute, patience: 20 * time.Second, log: t.Logf}
	return w, stage{agent: a, pack: pack, node: "/bin", folder: t.TempDir(), patience: w.patience}
}

// TestRecord checks a whole run: files and keys arrive, what people look at is kept, and
// no process is left.
func TestRecord(t *testing.T) {
	t.Parallel()
	w, s := testWatch(t, program)
	if err := w.record(context.Background(), s, "once"); err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile(filepath.Join(s.home(), "log.jsonl"))
	if err != nil || string(log) != `{"typed": "Make one file"}`+"\n" {
		t.Errorf("%v: %s", err, log)
	}
	screens, err := os.ReadFile(filepath.Join(s.folder, "screens.txt"))
	if err != nil || !strings.Contains(string(screens), "Hello from "+s.home()[:10]) || !strings.Contains(string(screens), exited) {
		t.Errorf("%v: %s", err, screens)
	}
	if sockets, _ := filepath.Glob(filepath.Join(os.TempDir(), "tmux-*", fmt.Sprintf("hindsql-drift-%d-%s-*", os.Getpid(), s.agent.name))); sockets != nil {
		t.Errorf("%v are left", sockets)
	}
	time.Sleep(200 * time.Millisecond)
	if left := strays(s.home()); runtime.GOOS == "linux" && left != nil {
		t.Errorf("processes %v are left", left)
	}
}

// TestStuck checks the messages about programs that end early, show another screen, or
// never end.
func TestStuck(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		script          string
		limit, patience time.Duration
		want            string
	}{
		"an end with a message":  {"#!/bin/sh\necho 'a licence is missing'", time.Minute, 20 * time.Second, "can't: no /Hello/ on the screen; it shows\n      a licence is missing"},
		"another screen":         {"#!/bin/sh\necho Welcome; sleep 600", time.Minute, time.Second, "can't: no /Hello/ on the screen; it shows\n      Welcome"},
		"a program without end":  {"#!/bin/sh\necho Welcome; sleep 600", time.Second, time.Minute, "did not end in 1s, and was killed"},
		"a program that is none": {"#!/no/such/shell\n", time.Minute, 20 * time.Second, "can't: no /Hello/ on the screen; it shows\n      env:"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, s := testWatch(t, test.script)
			w.limit, s.patience = test.limit, test.patience
			err := w.record(context.Background(), s, "once")
			if got := why(err, w.limit); !strings.HasPrefix(got, test.want) {
				t.Errorf("%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// TestServe checks that a server that ends before it answers is started again, some times.
func TestServe(t *testing.T) {
	t.Parallel()
	const script = "#!/bin/sh\ncase $1 in\nserve) echo x >> $HOME/starts; [ $(wc -l < $HOME/starts) -gt $2 ] || { echo too busy; exit 1; }; echo answers; exec sleep 600;;\nesac\n"
	for fails, want := range map[string]string{"2": "", "9": "no /answers/ of the server"} {
		_, s := testWatch(t, script+program)
		s.agent.server = &server{args: []string{"serve", fails}, ready: "answers"}
		var err error
		if s.mock, err = startMock(nil, s.agent.shell); err != nil {
			t.Fatal(err)
		}
		if err := s.furnish(); err != nil {
			t.Fatal(err)
		}
		if got := errorText(s.serve(context.Background())); got != want {
			t.Errorf("%s failed starts: %q, want %q", fails, got, want)
		}
		if starts, _ := os.ReadFile(filepath.Join(s.home(), "starts")); len(starts) != 6 {
			t.Errorf("%s failed starts: %d starts, want 3", fails, len(starts)/2)
		}
		s.cleanUp()
	}
}

func TestWhy(t *testing.T) {
	t.Parallel()
	if got := why(errors.New("tmux: no server"), time.Minute); got != "can't: tmux: no server" {
		t.Error(got)
	}
}

func TestNpmSays(t *testing.T) {
	t.Parallel()
	text := "npm error code E404\nnpm error 404 Not Found - GET https://registry.npmjs.org/none\nnpm error A complete log of this run can be found in: x\n"
	if got := npmMessage(text); got != "404 Not Found - GET https://registry.npmjs.org/none" {
		t.Error(got)
	}
}

func TestMoved(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC)
	for want, r := range map[string]release{
		"":                             {name: "a", version: "1.0", released: now.AddDate(0, 0, -40)},
		"a is deprecated: use b":       {name: "a", version: "1.0", deprecated: "use b", released: now},
		"a 1.0 is of 2026-05-07: look": {name: "a", version: "1.0", released: time.Date(2026, 5, 7, 9, 0, 0, 0, time.UTC)},
	} {
		if got := r.moved(now); !strings.HasPrefix(got, want) || got != "" && want == "" {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestRename plants a drift: a field of a recording is renamed, and compare finds that.
// It needs bin/hindsql, which make build makes.
func TestRename(t *testing.T) {
	t.Parallel()
	binary, err := filepath.Abs("../../bin/hindsql")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(binary); err != nil {
		t.Skip("bin/hindsql isn't built")
	}
	wanted := []fact{{"sessions", "1"}, {"prompts", "1"}, {"calls", "1"}, {"pending", "0"}, {"output_tokens", "50"}}
	for _, test := range []struct {
		old, new      string
		missing, news int
	}{
		{"", "", 0, 0},
		{"tool_use_id", "call_id", 1, 0}, // the call has no result then
		{"version", "release", 0, 1},
	} {
		home := t.TempDir()
		if err := renamed("testdata/recording", home, test.old, test.new); err != nil {
			t.Fatal(err)
		}
		got, err := loaded(context.Background(), binary, home)
		if err != nil {
			t.Fatal(err)
		}
		o := compare(wanted, got)
		if len(o.missing) != test.missing || len(o.unknown) < test.news || len(o.extra) > 0 {
			t.Errorf("%s for %s: missing %v, more %v, unknown %v", test.new, test.old, o.missing, o.extra, o.unknown)
		}
	}
}

// renamed copies logs of JSON with a field renamed. Databases are copied as they are.
func renamed(from, to, old, name string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, inside)
		if d.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		if !d.Type().IsRegular() {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if strings.HasPrefix(filepath.Ext(path), ".json") {
			text = []byte(strings.ReplaceAll(string(text), `"`+old+`":`, `"`+name+`":`))
		}
		return os.WriteFile(target, text, 0o644)
	})
}
