package engine_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"hindsql/engine"
	"hindsql/internal/whole"
)

// TestTwoAskWhileOneLoads: no process gets an error, and each has answers. How
// long they took is told, not judged: the machine may be busy.
func TestTwoAskWhileOneLoads(t *testing.T) {
	whole.Test(t, "has three processes ask and load for three seconds")
	t.Parallel()
	tree := makeTree(t, 10)
	store := filepath.Join(t.TempDir(), "h.duckdb")
	_, err := open(t, realConfig(tree, store)).Sync(context.Background(), engine.SyncOptions{})
	must(t, err)
	c := child{Home: tree, Store: store, Logs: transcripts(t, tree), For: 3 * time.Second}
	c.Mode = "load"
	_, loads := c.Start(t)
	c.Mode = "ask"
	_, first := c.Start(t)
	_, second := c.Start(t)
	for name, a := range map[string]answer{"first": first(), "second": second(), "load": loads()} {
		t.Logf("%s: %+v", name, a)
		if a.Err != "" || a.Rounds == 0 {
			t.Errorf("%s: %d rounds, %s", name, a.Rounds, a.Err)
		}
	}
}
