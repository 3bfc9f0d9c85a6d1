package lake

import (
	"context"
	"testing"
	"time"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"hindsql/engine/fleet/landing"
)

// The tests below show faults of iceberg-go with hindsql's workarounds. TestConflicts
// covers the missing retry of the SQL catalog. docs/lake.md mentions that Nessie keeps
// only the last snapshot.

// TestDays checks that files have the partitions of their manifests, so a query for a
// day opens only the day's file. iceberg-go's AddFiles derives partitions from
// statistics, which fails for buckets and for files without statistics.
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

// TestNotTwice checks that existing files are read from the table itself, even if the
// property filesKey is missing. iceberg-go's AddFiles adds existing files twice if told
// to ignore duplicates.
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

// TestMachineIsInRows: rows contain the machine, and the bounds of column machine let
// engines skip other machines' files. iceberg-go's AddFiles reads a column as null if
// only the path has its value.
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

// TestRolledBack: the next commit repairs a table rolled back by another program.
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
