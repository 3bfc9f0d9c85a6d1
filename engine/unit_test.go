package engine_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"hindsql/engine"
	"hindsql/internal/whole"
	"hindsql/readers"
)

// TestANeighboursChangeIsTheLogs: if a file changes, comes or goes, a sync reloads
// exactly the logs whose reader read or looked for the file.
func TestANeighboursChangeIsTheLogs(t *testing.T) {
	whole.Test(t, "loads anew after each change of a neighbour")
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", `{"beside":"logs/near/a.txt"}`+"\n")
	h.Write("b.jsonl", `{"exists":"logs/near/a.txt"}`+"\n")
	h.Write("c.jsonl", line(1, ""))
	h.Sync()
	h.Want("SELECT session_id, text FROM with_copies.messages WHERE session_id <> 'c' ORDER BY 1", "a|none", "b|false")
	step := func(change func(), loaded int, a, b string) {
		t.Helper()
		change()
		wantReport(t, h.Sync(), engine.SyncReport{Found: 3, Loaded: loaded, Unchanged: 3 - loaded})
		h.Want("SELECT text FROM with_copies.messages WHERE session_id <> 'c' ORDER BY session_id", a, b)
		wantReport(t, h.Sync(), engine.SyncReport{Found: 3, Unchanged: 3})
		h.LikeClean()
	}
	step(func() { h.Write("near/a.txt", "one") }, 2, "one", "true")
	step(func() { h.Write("near/a.txt", "two") }, 1, "two", "true")
	step(func() { h.Remove("near/a.txt") }, 2, "none", "false")
	step(func() { must(t, os.Remove(filepath.Dir(h.Path("near/a.txt")))) }, 0, "none", "false")
}

// TestANeighbourThatChangesWhileItIsRead: the next sync sees the change, because the
// store records the neighbour's state from before the reading.
func TestANeighbourThatChangesWhileItIsRead(t *testing.T) {
	whole.Test(t, "loads several stores, 0.4 s of processor time")
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", `{"beside":"logs/near/a.txt"}`+"\n")
	h.Write("near/a.txt", "one")
	read := h.Reader.Read
	h.Reader.Read = func(in *readers.Input) error {
		err := read(in)
		h.Write("near/a.txt", "other")
		return err
	}
	h.Sync()
	h.Reader.Read = read
	wantReport(t, h.Sync(), engine.SyncReport{Found: 1, Loaded: 1})
	h.Want("SELECT text FROM messages", "other")
}

// TestNeighboursOfVanishedLogsStay: the neighbours of a vanished log survive a change
// of the tables. When the log comes back, a sync sees whether a neighbour changed.
func TestNeighboursOfVanishedLogsStay(t *testing.T) {
	whole.Test(t, "syncs six times")
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", `{"beside":"logs/near/a.txt"}`+"\n")
	h.Write("near/a.txt", "one")
	h.Sync()
	must(t, os.Rename(h.Path("a.jsonl"), h.Path("a.away")))
	h.Sync()
	h.Tamper("UPDATE store_info SET schema_hash = 'older'")
	h.Sync()
	h.Want("SELECT text FROM messages", "one")
	h.Write("near/a.txt", "other")
	wantReport(t, h.Sync(), engine.SyncReport{})
	must(t, os.Rename(h.Path("a.away"), h.Path("a.jsonl")))
	wantReport(t, h.Sync(), engine.SyncReport{Found: 1, Loaded: 1})
	h.LikeClean()
	h.Remove("a.jsonl")
	h.Sync()
	_, _, err := h.Open().Prune(context.Background(), "")
	must(t, err)
	h.Want("SELECT count(*) FROM store.hindsql_internal.neighbours", "0")
}
