package engine_test

import (
	"context"
	"os"
	"testing"

	"hindsql/internal/whole"
)

// TestNewerReaderMakesTheStoreAnew: if a sync loads most logs, it makes the store anew.
// Rows of a vanished log stay, and the other rows are those of a clean load.
func TestNewerReaderMakesTheStoreAnew(t *testing.T) {
	whole.Test(t, "loads 80 MB three times")
	t.Parallel()
	h := newHome(t)
	writeLarge(h, "large.jsonl")
	h.Write("small.jsonl", line(1, ""))
	h.Write("gone.jsonl", line(2, ""))
	h.Sync()
	h.Remove("gone.jsonl")
	h.Sync()
	before, err := os.Stat(h.Store)
	must(t, err)
	h.Reader.Version++
	h.Sync()
	after, err := os.Stat(h.Store)
	must(t, err)
	if os.SameFile(before, after) {
		t.Error("the store was changed file by file")
	}
	h.Want("SELECT text FROM messages WHERE text LIKE 'text%' ORDER BY 1", "text 1", "text 2")
	h.Want("SELECT count(*) FROM sources WHERE gone_at IS NOT NULL", "1")
	h.Want("SELECT count(*), sum(strlen(text)) FROM messages WHERE text NOT LIKE 'text%'", "20|83886080")
	_, _, err = h.Open().Prune(context.Background(), "")
	must(t, err)
	h.LikeClean()
}
