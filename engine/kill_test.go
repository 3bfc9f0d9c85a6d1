package engine_test

import (
	"context"
	"math/rand"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestKilledAtAnyInstant: the store opens after every kill, and the sync after
// the last one makes the store of a clean load.
func TestKilledAtAnyInstant(t *testing.T) {
	kills := 50
	if testing.Short() {
		kills = 10
	}
	tree := makeTree(t, 10)
	h := &home{t: t, store: filepath.Join(t.TempDir(), "h.duckdb")}
	logs := transcripts(t, tree)
	seen := map[string]int{}
	for range kills {
		cmd, wait := child{Mode: "load", Home: tree, Store: h.store, Logs: logs, For: time.Minute}.start(t)
		time.Sleep(time.Duration(20+rand.Intn(900)) * time.Millisecond)
		must(t, cmd.Process.Kill())
		wait()
		for name, path := range map[string]string{"store": h.store, "log": h.store + ".wal", "draft": h.store + ".new"} {
			if _, err := os.Stat(path); err == nil {
				seen[name]++
			}
		}
		if err := askAll(context.Background(), open(t, realConfig(tree, h.store))); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("of %d kills, left behind: %v", kills, seen)
	c := realConfig(tree, h.store)
	_, err := open(t, c).Sync(context.Background(), false)
	must(t, err)
	clean := realConfig(tree, filepath.Join(t.TempDir(), "clean.duckdb"))
	_, err = open(t, clean).Sync(context.Background(), false)
	must(t, err)
	wantSameStores(t, clean.Store, h.store)
}

// wantSameStores compares two stores that are up to date.
func wantSameStores(t *testing.T, want, got string) {
	t.Helper()
	a, b := &home{t: t, store: want}, &home{t: t, store: got}
	b.wantSame(a.dump())
}
