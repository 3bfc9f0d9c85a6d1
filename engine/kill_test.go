package engine_test

import (
	"context"
	"hindsql/engine"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestKilledAtAnyInstant: the store opens after every kill, and the sync after
// the last one makes the store of a clean load.
func TestKilledAtAnyInstant(t *testing.T) {
	t.Parallel()
	kills := 16
	if testing.Short() {
		kills = 6
	}
	tree := makeTree(t, 4)
	h := &home{t: t, store: filepath.Join(t.TempDir(), "h.duckdb")}
	logs := transcripts(t, tree)
	seen := map[string]int{}
	k := newKiller(t, child{Mode: "load", Home: tree, Store: h.store, Logs: logs}, kills)
	must(t, os.Remove(h.store)) // the first ones interrupt a first load
	for i := range kills {
		k.kill(i)
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
	_, err := open(t, c).Sync(context.Background(), engine.SyncOptions{})
	must(t, err)
	clean := realConfig(tree, filepath.Join(t.TempDir(), "clean.duckdb"))
	_, err = open(t, clean).Sync(context.Background(), engine.SyncOptions{})
	must(t, err)
	wantSameStores(t, clean.Store, h.store)
}

// killer kills a child again and again, at instants that are spread over twice
// the time that its first round took: a busy machine moves none of them to
// before the child's first deed.
type killer struct {
	t     *testing.T
	child child
	step  time.Duration
}

func newKiller(t *testing.T, c child, kills int) *killer {
	t.Helper()
	begin := time.Now()
	_, wait := c.start(t) // for one round
	if a := wait(); a.Err != "" {
		t.Fatal(a.Err)
	}
	round := time.Since(begin)
	c.For = time.Hour
	return &killer{t, c, 2 * round / time.Duration(kills)}
}

// kill ends a child somewhere in the i-th part of the time.
func (k *killer) kill(i int) {
	k.t.Helper()
	cmd, wait := k.child.start(k.t)
	time.Sleep(time.Duration(i)*k.step + rand.N(k.step))
	must(k.t, cmd.Process.Kill())
	wait()
}

// wantSameStores compares two stores that are up to date.
func wantSameStores(t *testing.T, want, got string) {
	t.Helper()
	a, b := &home{t: t, store: want}, &home{t: t, store: got}
	b.wantSame(a.dump())
}
