package engine_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"hindsql/engine"
	"hindsql/internal/whole"
)

// TestKilledAtAnyInstant: the store opens after every kill, and a final sync makes it
// equal to a clean load.
func TestKilledAtAnyInstant(t *testing.T) {
	whole.Test(t, "kills processes")
	t.Parallel()
	const kills = 16
	tree := makeTree(t, 4)
	h := &home{T: t, Store: filepath.Join(t.TempDir(), "h.duckdb")}
	logs := transcripts(t, tree)
	seen := map[string]int{}
	k := newKiller(t, child{Mode: "load", Home: tree, Store: h.Store, Logs: logs}, kills)
	must(t, os.Remove(h.Store)) // the first ones interrupt a first load
	for i := range kills {
		k.Kill(i)
		for name, path := range map[string]string{"store": h.Store, "log": h.Store + ".wal", "draft": h.Store + ".new"} {
			if _, err := os.Stat(path); err == nil {
				seen[name]++
			}
		}
		if err := askAll(context.Background(), open(t, realConfig(tree, h.Store))); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("of %d kills, left behind: %v", kills, seen)
	c := realConfig(tree, h.Store)
	_, err := open(t, c).Sync(context.Background(), engine.SyncOptions{})
	must(t, err)
	clean := realConfig(tree, filepath.Join(t.TempDir(), "clean.duckdb"))
	_, err = open(t, clean).Sync(context.Background(), engine.SyncOptions{})
	must(t, err)
	wantSameStores(t, clean.Store, h.Store)
}

// wantSameStores compares two up-to-date stores.
func wantSameStores(t *testing.T, want, got string) {
	t.Helper()
	a, b := &home{T: t, Store: want}, &home{T: t, Store: got}
	b.WantSame(a.Dump())
}
