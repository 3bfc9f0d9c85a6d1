package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"hindsql/internal/whole"
)

// TestStaleAtSixFaces: if the logs can't be loaded, each face answers from the rows
// loaded earlier, and says the same reason.
func TestStaleAtSixFaces(t *testing.T) {
	whole.Test(t, "starts processes, 1.5 s of processor time")
	t.Parallel()
	home := t.TempDir()
	log := func(session string) {
		put(t, filepath.Join(home, ".claude", "projects", "shop", session+".jsonl"), `{"type":"user","uuid":"u-`+session+`","sessionId":"`+session+
			`","cwd":"/w/shop","version":"2.1.23","userType":"external","timestamp":"2026-10-09T08:30:44.203Z","message":{"role":"user","content":"hello"}}`+"\n")
	}
	made := func(args ...string) (environment, *strings.Builder, *strings.Builder) {
		e, stdout, stderr := outside(t, append([]string{"--timezone", "UTC"}, args...)...)
		e.home = home
		return e, stdout, stderr
	}
	log("first")
	e, stdout, stderr := made("sync")
	succeed(t, e, stdout, stderr)
	keepOpen(t, home)
	f := newFaces(t, nil, made)
	store := filepath.Join(home, ".local", "share", "hindsql", "hindsql.duckdb")
	lock := flock.New(store + ".lock")
	if locked, err := lock.TryLock(); err != nil || !locked {
		t.Fatal(locked, err)
	}
	defer lock.Unlock()
	log("second")
	const reason = "another process is loading"
	q := asking{sql: "SELECT count(*) AS n FROM sessions"}
	for face, ask := range others {
		t.Run(face, func(t *testing.T) {
			if face == "mcp" {
				whole.Test(t, "an agent waits 20 s for the other process")
			}
			got := ask(f.of(t), q)
			for deadline := time.Now().Add(time.Minute); face == "page" && len(got.notices) == 0 && time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
				got = ask(f.of(t), q) // the page checks the logs every two seconds
			}
			if said := strings.Join(got.notices, "\n"); !strings.Contains(said, reason) || len(got.rows.values) != 1 || got.rows.values[0][0] != "1" {
				t.Errorf("%q, rows %q; want 1, and %q", said, got.rows.values, reason)
			}
		})
	}
}
