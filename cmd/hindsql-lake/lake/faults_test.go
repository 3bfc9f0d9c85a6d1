package lake

import (
	"context"
	"testing"
	"time"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"hindsql/engine/fleet/landing"
)

// Faults of iceberg-go's, each with what is done about it. That its SQL catalog
// doesn't retry is TestConflicts. That Nessie keeps only the last snapshot is
// said in docs/lake.md.

// TestDays: iceberg-go's AddFiles works out a file's part from its statistics, and
// can't for buckets or where there are none. The parts are those of the
// manifests: a query of a day opens its file, and no other.
func TestDays(t *testing.T) {
	w := newWorld(t)
	d := one("2026-11-20", "wanted")
	d["messages"]["2026-11-21"] = one("2026-11-21", "another day")["messages"]["2026-11-21"]
	d["messages"][landing.Undated] = one(landing.Undated, "no day")["messages"][landing.Undated]
	w.land("m1", d)
	w.commit()
	messages, err := w.open().load(context.Background(), "messages")
	w.must(err)
	day, _ := time.Parse(time.DateOnly, "2026-11-20")
	at := iceberg.Reference("timestamp")
	for name, filter := range map[string]iceberg.BooleanExpression{
		"a day": iceberg.NewAnd(iceberg.GreaterThanEqual(at, iceberg.Timestamp(day.UnixMicro())), iceberg.LessThan(at, iceberg.Timestamp(day.AddDate(0, 0, 1).UnixMicro()))),
		"none":  iceberg.IsNull(at),
	} {
		tasks, err := messages.Scan(table.WithRowFilter(filter)).PlanFiles(context.Background())
		if err != nil || len(tasks) != 1 || tasks[0].File.Count() != 1 {
			t.Errorf("%s: %d files, %v", name, len(tasks), err)
		}
	}
}

// TestNotTwice: AddFiles adds files twice where it is told to ignore those that
// are there. What is there is read from the table itself: also where the note of
// what was committed is gone.
func TestNotTwice(t *testing.T) {
	w := newWorld(t)
	w.land("m1", one("2026-11-20", "one"))
	w.commit()
	ctx := context.Background()
	messages, err := w.open().load(ctx, "messages")
	w.must(err)
	tx := messages.NewTransaction()
	w.must(tx.RemoveProperties([]string{filesKey}))
	_, err = tx.Commit(ctx)
	w.must(err)
	if r := w.commit(); len(r.Changes) != 1 || r.Changes[0].Added != 0 {
		t.Errorf("%+v", r)
	}
	w.want("messages", text, "one")
}

// TestMachineIsInRows: AddFiles gives null for a column that stands only in the
// path. The machine stands in the rows, and its bounds have the files of others
// passed by.
func TestMachineIsInRows(t *testing.T) {
	w := newWorld(t)
	w.land("m1", one("2026-11-20", "mine"))
	w.land("m2", days{"messages": {"2026-11-20": {message("2026-11-20", "s", "u", "other", "m2")}}})
	w.commit()
	w.want("messages", []string{"machine"}, "m1", "m2")
	messages, err := w.open().load(context.Background(), "messages")
	w.must(err)
	tasks, err := messages.Scan(table.WithRowFilter(iceberg.EqualTo(iceberg.Reference("machine"), "m2"))).PlanFiles(context.Background())
	if err != nil || len(tasks) != 1 {
		t.Errorf("%d files, %v", len(tasks), err)
	}
}

// TestRolledBack: what somebody rolled back is put right by the next commit.
func TestRolledBack(t *testing.T) {
	w := newWorld(t)
	w.land("m1", one("2026-11-20", "before"))
	w.commit()
	w.land("m1", one("2026-11-20", "before", "after"))
	w.commit()
	ctx := context.Background()
	messages, err := w.open().load(ctx, "messages")
	w.must(err)
	tx := messages.NewTransaction()
	w.must(tx.RollbackToSnapshot(messages.Metadata().Snapshots()[0].SnapshotID))
	_, err = tx.Commit(ctx)
	w.must(err)
	w.want("messages", text, "before")
	w.commit()
	w.want("messages", text, "before", "after")
}
