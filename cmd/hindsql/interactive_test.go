package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hindsql/internal/posix"
	"hindsql/internal/whole"
)

// session types lines into the prompt, and returns the whole screen.
func session(t *testing.T, args []string, lines ...string) string {
	t.Helper()
	e, screen, _ := atPrompt(t, t.TempDir(), args, lines)
	if code := execute(context.Background(), e); code != exitOK {
		t.Errorf("exit code %d", code)
	}
	return screen.String()
}

// TestCtrlCCancelsTheStatement: Ctrl-C, pressed until the prompt is back, cancels a
// statement. The next statement runs, and the typed line is kept.
func TestCtrlCCancelsTheStatement(t *testing.T) {
	t.Parallel()
	const endless = "SELECT count(*) FROM range(1000000) a, range(1000000) b;"
	e, screen, typed := atPrompt(t, t.TempDir(), []string{"--no-sync"}, []string{endless, "SELECT 'alive' AS n;"})
	back := make(chan struct{})
	typed.before = func(line string) {
		switch line {
		case endless:
			go func() {
				for {
					select {
					case <-time.After(200 * time.Millisecond):
						e.interrupts.fire()
					case <-back:
						return
					}
				}
			}()
		case "SELECT 'alive' AS n;":
			back <- struct{}{}
		}
	}
	if code := execute(context.Background(), e); code != exitOK {
		t.Errorf("exit code %d", code)
	}
	if got := screen.String(); !strings.Contains(got, endless+"\ninterrupted\nhindsql> SELECT 'alive'") || !strings.Contains(got, "│ alive") {
		t.Error(got)
	}
	if got := strings.Join(typed.remember, "\n"); !strings.Contains(got, endless) {
		t.Errorf("not to be called back: %s", got)
	}
}

// TestCtrlCBetweenStatements: Ctrl-C between statements does nothing.
func TestCtrlCBetweenStatements(t *testing.T) {
	t.Parallel()
	e, screen, typed := atPrompt(t, t.TempDir(), []string{"--no-sync"}, []string{"SELECT 'alive' AS n;"})
	ctx, stop := context.WithCancel(context.Background())
	e.interrupts.handleWith(stop) // as in main
	typed.before = func(string) { e.interrupts.fire() }
	if code := execute(ctx, e); code != exitOK || !strings.Contains(screen.String(), "│ alive") {
		t.Errorf("exit code %d: %s", code, screen)
	}
}

// TestHistoryAcrossStarts: entries of several lines come back unchanged, and run again.
func TestHistoryAcrossStarts(t *testing.T) {
	t.Parallel()
	e, _, first := atPrompt(t, t.TempDir(), []string{"--no-sync"}, []string{"SELECT 1 -- one", "  AS n;", "SELECT 2 AS m;", ".mode csv", "SELECT nope;", "SELECT 2 AS m;", "SELECT 3^C"})
	execute(context.Background(), e)
	want := "SELECT 1 -- one\n  AS n;|.mode csv|SELECT nope;|SELECT 2 AS m;"
	if got := strings.Join(first.remember, "|"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	var screen strings.Builder
	second := &typist{screen: &screen, lines: []string{"SELECT 1 -- one\n  AS n;", "SELECT 1 -- one\n  AS other;"}}
	e.editor, e.stdout = second, &screen
	execute(context.Background(), e)
	if got := screen.String(); !strings.Contains(got, "│       n │") || !strings.Contains(got, "│   other │") {
		t.Error(got)
	}
	if got, want := strings.Join(second.remember, "|"), ".mode csv|SELECT nope;|SELECT 2 AS m;|SELECT 1 -- one\n  AS n;|SELECT 1 -- one\n  AS other;"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	path := filepath.Join(e.home, ".local", "state", "hindsql", "history")
	posix.Mode(t, path, 0o600)
}

// TestHistoryHoldsWholeStatements: a statement of several lines is one entry of the
// history, even with a command typed between its lines.
func TestHistoryHoldsWholeStatements(t *testing.T) {
	t.Parallel()
	e, _, typed := atPrompt(t, t.TempDir(), []string{"--no-sync"}, []string{"SELECT 1 AS", `\timing`, "  n; SELECT 2", "AS m;"})
	execute(context.Background(), e)
	if got, want := strings.Join(typed.remember, "|"), "\\timing|SELECT 1 AS\n  n; SELECT 2\nAS m;"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestFlagsHoldInThePrompt: flags work in the prompt as on the command line.
func TestFlagsHoldInThePrompt(t *testing.T) {
	t.Parallel()
	got := session(t, []string{"--no-sync", "--format", "csv", "--timezone", "Asia/Tokyo"}, "SELECT TIMESTAMPTZ '2026-01-01 00:00:00+00' AS t;")
	if !strings.Contains(got, "\nt\n2026-01-01T09:00:00+09:00\n") {
		t.Error(got)
	}
	file := filepath.Join(t.TempDir(), "out.csv")
	session(t, []string{"--no-sync", "-o", file}, "SELECT 1 AS n;")
	if text, err := os.ReadFile(file); err != nil || string(text) != "n\n1\n" {
		t.Errorf("%q, %v", text, err)
	}
	if got := session(t, []string{"--rows", "1", "--no-sync"}, "FROM range(3);"); !strings.Contains(got, "first 1 shown") {
		t.Error(got)
	}
}

// TestLogsAreLookedAtBeforeStatements: a statement at an open prompt sees what agents
// have logged since the start, unless --no-sync is set.
func TestLogsAreLookedAtBeforeStatements(t *testing.T) {
	whole.Test(t, "waits between statements")
	t.Parallel()
	const entry = `{"type":"user","uuid":"u1","parentUuid":null,"isSidechain":false,"sessionId":"x","cwd":"/p","version":"2.1.220","timestamp":"2026-10-01T10:00:00.000Z","message":{"role":"user","content":"hello"}}` + "\n"
	for _, test := range []struct{ flag, before, after string }{{"--sample=never", "0", "1"}, {"--no-sync", "0", "0"}} {
		e, screen, typed := atPrompt(t, t.TempDir(), []string{test.flag, "--format", "csv"}, []string{"SELECT count(*) AS n FROM sessions;", "SELECT count(*) AS n FROM sessions;"})
		calls := 0
		typed.before = func(string) {
			if calls++; calls != 2 {
				return
			}
			folder := filepath.Join(e.home, ".claude", "projects", "-p")
			if err := os.MkdirAll(folder, 0o755); err != nil {
				t.Error(err)
			}
			if err := os.WriteFile(filepath.Join(folder, "11111111-1111-4111-8111-111111111111.jsonl"), []byte(entry), 0o644); err != nil {
				t.Error(err)
			}
			time.Sleep(1100 * time.Millisecond) // logs are checked once a second
		}
		execute(context.Background(), e)
		if got := screen.String(); !strings.Contains(got, "\nn\n"+test.before+"\n") || !strings.Contains(got, "\nn\n"+test.after+"\nhindsql> ^D") {
			t.Errorf("%s: %s", test.flag, got)
		}
	}
}
