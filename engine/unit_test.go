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

// TestANeighboursChangeIsTheLogs: a file that was read, or looked for, beside
// a log has the log read again when it changes, comes or goes, and no other.
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

// TestANeighbourThatChangesWhileItIsRead is seen as changed by the next sync:
// what the store knows of it is older than what was read.
func TestANeighbourThatChangesWhileItIsRead(t *testing.T) {
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

// TestNeighboursOfVanishedLogsStay through a change of the tables, so that a
// log which comes back is known to be as it was, or not.
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
