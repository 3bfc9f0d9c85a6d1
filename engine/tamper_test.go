package engine_test

import (
	"context"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/engine"
	"hindsql/internal/whole"
)

// TestRowsTakenOut: a user's statement attaches the store for writing and empties a
// table. The next sync reports the change, reloads the rows of existing logs, and
// counts the lost rows.
func TestRowsTakenOut(t *testing.T) {
	whole.Test(t, "loads several stores, 0.9 s of processor time")
	t.Parallel()
	h := damagedHome(t)
	s := h.Open()
	_, err := tryRows(s, "BEGIN; DETACH store; ATTACH '"+h.Store+"' AS store; DELETE FROM store.hindsql_internal.messages; COMMIT; DETACH store", nil)
	must(t, err)
	must(t, s.Close())
	report := h.Sync()
	want := &engine.Healed{Missing: []engine.TableRows{{Table: "messages", Rows: 4}}, Lost: []engine.TableRows{{Table: "messages", Rows: 2}}}
	if diff := cmp.Diff(want, report.Healed); diff != "" {
		t.Error(diff)
	}
	h.Want("SELECT text FROM messages ORDER BY 1", "text 1", "text 2")
	if report := h.Sync(); report.Healed != nil || report.Loaded > 0 {
		t.Errorf("the sync after that: %+v", report)
	}
}

// TestTableDropped: a store without one of its tables is made anew.
func TestTableDropped(t *testing.T) {
	whole.Test(t, "loads several stores, 1.0 s of processor time")
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", line(1, `,"call":"c"`))
	h.Sync()
	tamper(t, h.Store, "DROP TABLE tool_calls")
	if report := h.Sync(); report.Healed == nil {
		t.Errorf("report %+v", report)
	}
	h.LikeClean()
}

// TestWrittenToAndTheSame: if another program wrote to the store, and the numbers of
// rows are unchanged, the store stays. A store without its lock file also stays.
func TestWrittenToAndTheSame(t *testing.T) {
	whole.Test(t, "loads several stores, 0.4 s of processor time")
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", line(1, ""))
	h.Sync()
	tamper(t, h.Store, "CREATE TABLE mine AS SELECT 1 AS x")
	wantReport(t, h.Sync(), engine.SyncReport{Found: 1, Unchanged: 1})
	h.Want("FROM store.hindsql_internal.mine", "1")
	must(t, os.Remove(h.Store+".lock"))
	wantReport(t, h.Sync(), engine.SyncReport{Found: 1, Unchanged: 1})
	_, _, err := h.Open().Prune(context.Background(), "")
	must(t, err)
}
