package engine_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/gofrs/flock"

	"hindsql/engine"
	"hindsql/internal/whole"
)

// TestSpillsOfKilledProcesses: a writing command removes only the folders and locks of
// dead processes, even if a new process has the same number. A command that only reads
// removes none.
func TestSpillsOfKilledProcesses(t *testing.T) {
	whole.Test(t, "starts processes, 0.8 s of processor time")
	t.Parallel()
	for name, test := range map[string]struct {
		run    func(h *home)
		writes bool
	}{
		"a sync": {func(h *home) { h.Append("a.jsonl", line(2, "")); h.Sync() }, true},
		"another writer": {func(h *home) {
			s := h.Open()
			defer s.Close()
			must(t, s.Store.Write(context.Background(), func(*engine.Writer) error { return nil }))
		}, true},
		"a reader": {func(h *home) { h.Rows("FROM messages") }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			h.Write("a.jsonl", line(1, ""))
			h.Sync()
			spill := func(pid, n int) string {
				folder := fmt.Sprintf("%s.session-%d-%d.tmp", h.Store, pid, n)
				must(t, os.Mkdir(folder, 0o700))
				must(t, os.WriteFile(filepath.Join(folder, "duckdb_temp_block-1.block"), []byte("x"), 0o600))
				return folder
			}
			const nobody = 1 << 30
			const counted = 1 << 30 // no run of the tests opens as many sessions
			killed, reused := spill(nobody, 1), spill(os.Getpid(), counted+1)
			must(t, os.WriteFile(reused+".lock", nil, 0o600))
			alone := fmt.Sprintf("%s.session-%d-3.tmp.lock", h.Store, nobody) // without a spill folder
			must(t, os.WriteFile(alone, nil, 0o600))
			unlocked, locked := spill(os.Getpid(), counted+2), spill(nobody, 2)
			lock := flock.New(locked + ".lock")
			if ok, err := lock.TryLock(); !ok || err != nil {
				t.Fatal(ok, err)
			}
			defer lock.Unlock()
			test.run(h)
			reads := !test.writes
			for path, stays := range map[string]bool{killed: reads, reused: reads, reused + ".lock": reads, alone: reads, unlocked: true, locked: true, locked + ".lock": true} {
				if _, err := os.Stat(path); (err == nil) != stays {
					t.Errorf("%s: %v, want it to stay: %t", filepath.Base(path), err, stays)
				}
			}
			left, err := filepath.Glob(h.Store + ".session-*")
			must(t, err)
			if test.writes && len(left) != 3 {
				t.Errorf("left: %v", left)
			}
		})
	}
}
