package engine_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"hindsql/engine"
	"hindsql/readers"
)

// TestANeighboursChangeIsTheLogs: a file that was read, or looked for, beside
// a log has the log read again when it changes, comes or goes, and no other.
func TestANeighboursChangeIsTheLogs(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("a.jsonl", `{"beside":"logs/near/a.txt"}`+"\n")
	h.write("b.jsonl", `{"exists":"logs/near/a.txt"}`+"\n")
	h.write("c.jsonl", line(1, ""))
	h.sync()
	h.want("SELECT session_id, text FROM with_copies.messages WHERE session_id <> 'c' ORDER BY 1", "a|none", "b|false")
	step := func(change func(), loaded int, a, b string) {
		t.Helper()
		change()
		wantReport(t, h.sync(), engine.SyncReport{Found: 3, Loaded: loaded, Unchanged: 3 - loaded})
		h.want("SELECT text FROM with_copies.messages WHERE session_id <> 'c' ORDER BY session_id", a, b)
		wantReport(t, h.sync(), engine.SyncReport{Found: 3, Unchanged: 3})
		h.wantLikeClean()
	}
	step(func() { h.write("near/a.txt", "one") }, 2, "one", "true")
	step(func() { h.write("near/a.txt", "two") }, 1, "two", "true")
	step(func() { h.remove("near/a.txt") }, 2, "none", "false")
	step(func() { must(t, os.Remove(filepath.Dir(h.path("near/a.txt")))) }, 0, "none", "false")
}

// TestANeighbourThatChangesWhileItIsRead is seen as changed by the next sync:
// what the store knows of it is older than what was read.
func TestANeighbourThatChangesWhileItIsRead(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("a.jsonl", `{"beside":"logs/near/a.txt"}`+"\n")
	h.write("near/a.txt", "one")
	read := h.reader.Read
	h.reader.Read = func(in *readers.Input) error {
		err := read(in)
		h.write("near/a.txt", "other")
		return err
	}
	h.sync()
	h.reader.Read = read
	wantReport(t, h.sync(), engine.SyncReport{Found: 1, Loaded: 1})
	h.want("SELECT text FROM messages", "other")
}

// TestNeighboursOfVanishedLogsStay through a change of the tables, so that a
// log which comes back is known to be as it was, or not.
func TestNeighboursOfVanishedLogsStay(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("a.jsonl", `{"beside":"logs/near/a.txt"}`+"\n")
	h.write("near/a.txt", "one")
	h.sync()
	must(t, os.Rename(h.path("a.jsonl"), h.path("a.away")))
	h.sync()
	h.tamper("UPDATE store_info SET schema_hash = 'older'")
	h.sync()
	h.want("SELECT text FROM messages", "one")
	h.write("near/a.txt", "other")
	wantReport(t, h.sync(), engine.SyncReport{})
	must(t, os.Rename(h.path("a.away"), h.path("a.jsonl")))
	wantReport(t, h.sync(), engine.SyncReport{Found: 1, Loaded: 1})
	h.wantLikeClean()
	h.remove("a.jsonl")
	h.sync()
	_, _, err := h.open().Prune(context.Background(), "")
	must(t, err)
	h.want("SELECT count(*) FROM store.hindsql_internal.neighbours", "0")
}
