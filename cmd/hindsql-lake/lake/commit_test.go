package lake

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hindsql/engine/fleet/landing"
	"hindsql/tables"
)

// TestCommit reads back the rows that two machines landed. A second commit changes
// nothing, and a grown day replaces the older file.
func TestCommit(t *testing.T) {
	w := newWorld(t)
	w.land("m1", days{"messages": {"2026-11-20": {message("2026-11-20", "s", "u1", "one", "m1")}, landing.Undated: {message(landing.Undated, "s", "u2", "two", "m1")}},
		"record_kinds": {landing.Undated: {{"toy", "line", int64(3)}}}})
	w.land("m2", days{"messages": {"2026-11-20": {message("2026-11-20", "s2", "u3", "three", "m2")}}})
	r := w.commit()
	if r.Machines != 2 || len(r.Changes) != 2 || r.Changes[0].Added != 3 {
		t.Errorf("%+v", r)
	}
	w.want("messages", []string{"machine", "text"}, "m1 one", "m1 two", "m2 three")
	w.want("record_kinds", []string{"kind", "lines"}, "line 3")
	w.want("sessions", []string{"agent"})
	if r := w.commit(); len(r.Changes) != 0 || w.snapshots("messages") != 1 || len(r.Views) != 0 {
		t.Errorf("nothing changed, and %+v", r)
	}
	w.land("m1", one("2026-11-20", "one", "more"))
	if r := w.commit(); len(r.Changes) != 2 || r.Changes[0].Added != 1 || r.Changes[0].Dropped != 2 || r.Changes[0].Rows != 2 {
		t.Errorf("%+v", r)
	}
	w.want("messages", text, "one", "more", "three")
}

// TestSchemaGrows: a newer machine's column is null in older files, a wider type holds
// the narrower, a struct's fields come back, and an unfit type excludes only the machine
// that uses it.
func TestSchemaGrows(t *testing.T) {
	w := newWorld(t)
	narrow := append(slices.Clone(toy["messages"]), landing.Column{Name: "grown", Type: "INTEGER"})
	w.columns["messages"] = narrow
	w.land("m1", days{"messages": {"2026-11-20": {append(message("2026-11-20", "s", "u1", "old", "m1"), int32(7))}}})
	w.commit()
	wide := append(slices.Clone(toy["messages"]), landing.Column{Name: "grown", Type: "BIGINT"}, landing.Column{Name: "parts", Type: "INTEGER[]", Doc: "new here"},
		landing.Column{Name: "answers", Type: tables.AnswersType})
	w.columns["messages"] = wide
	answers := `[{"options":["A","B"],"picked":["B"],"question":"Which?","words":null},{"options":[],"picked":[],"question":"Why?","words":"so"}]`
	w.land("m2", days{"messages": {"2026-11-20": {append(message("2026-11-20", "s", "u2", "new", "m2"), int64(1)<<40, []int32{1, 2}, answers)}}})
	wrong := append(slices.Clone(toy["messages"]), landing.Column{Name: "grown", Type: "VARCHAR"})
	w.columns["messages"] = wrong
	w.land("m3", days{"messages": {"2026-11-20": {append(message("2026-11-20", "s", "u3", "wrong", "m3"), "text")}}})
	if r := w.commit(); r.Machines != 2 || r.Kept != 1 {
		t.Errorf("%+v", r)
	}
	w.want("messages", []string{"text", "grown", "parts", "answers"}, "old 7 (null) (null)", "new 1099511627776 [1,2] "+answers)
	if said := strings.Join(w.said, "\n"); !strings.Contains(said, "machine m3: table messages: column grown: is VARCHAR, and BIGINT in the lake") {
		t.Error(said)
	}
	table, err := w.open().load(context.Background(), "messages")
	w.must(err)
	if f, _ := table.Schema().FindFieldByName("parts"); f.Doc != "new here" {
		t.Errorf("column has the comment %q", f.Doc)
	}
	if r := w.commit(); len(r.Changes) != 0 {
		t.Errorf("nothing changed, and %+v", r)
	}
}

// TestKept: if a machine pushes plain texts or a torn manifest, the lake keeps the
// machine's old files and adds other machines' files. A machine without a manifest is
// removed.
func TestKept(t *testing.T) {
	w := newWorld(t)
	w.land("m1", one("2026-11-20", "before"))
	w.land("m2", one("2026-11-20", "torn"))
	w.land("m4", one("2026-11-20", "gone"))
	w.commit()
	w.land("m1", one("2026-11-20", "a secret"), func(m *landing.Manifest) { m.Files[0].Texts = landing.Plain })
	w.put("m2/"+landing.ManifestName, []byte("{"))
	w.land("m3", one("2026-11-20", "other"))
	w.must(os.Remove(filepath.Join(w.dir, landing.Root, "m4", landing.ManifestName)))
	if r := w.commit(); r.Kept != 2 || r.Machines != 1 {
		t.Errorf("%+v", r)
	}
	w.want("messages", text, "before", "torn", "other")
	if said := strings.Join(w.said, "\n"); !strings.Contains(said, "machine m1: 1 of its files have texts that aren't redacted") || !strings.Contains(said, "machine m2: ") {
		t.Error(said)
	}
	w.config.Plain = true
	w.commit()
	w.want("messages", text, "a secret", "torn", "other")
}

// TestConflicts: the lake repeats a refused commit on top of the current snapshot, and
// adds no file twice. The lake doesn't rely on iceberg-go's retry, because iceberg-go's
// SQL catalog doesn't retry.
func TestConflicts(t *testing.T) {
	w := newWorld(t)
	w.land("m1", one("2026-11-20", "one"))
	refusals := 3
	w.rest.Commit = func(name string) error {
		if name == "messages" && refusals > 0 {
			refusals--
			return errors.New("somebody was quicker")
		}
		return nil
	}
	w.commit()
	w.want("messages", text, "one")
	if refusals != 0 || w.snapshots("messages") != 1 {
		t.Errorf("%d refusals are left, %d snapshots", refusals, w.snapshots("messages"))
	}
}

// TestCommitters: several committers with the same lease run at once. Each row must be
// in the tables once.
func TestCommitters(t *testing.T) {
	w := newWorld(t)
	for i := range 4 {
		w.land(fmt.Sprint("m", i), one("2026-11-20", fmt.Sprint("row ", i)))
	}
	var group sync.WaitGroup
	for range 3 {
		l := w.open() // the same owner, so the lease admits all
		l.Print = func(string) {}
		group.Go(func() {
			if _, err := l.Commit(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	w.want("messages", text, "row 0", "row 1", "row 2", "row 3")
}

// TestLease: a committer is refused while another committer's lease lasts.
func TestLease(t *testing.T) {
	w := newWorld(t)
	first := w.open()
	w.must(first.acquireLease(context.Background()))
	w.config.Owner = "another"
	if _, err := w.open().Commit(context.Background()); err == nil || !strings.Contains(err.Error(), "test is at work until") {
		t.Error(err)
	}
	w.now = w.now.Add(leaseTime + time.Second)
	second := w.open()
	w.must(second.acquireLease(context.Background()))
	w.must(first.release(context.Background())) // the slow first committer
	if c, err := first.committer(context.Background()); err != nil || c.Owner != "another" {
		t.Errorf("another's lease ended: %+v %v", c, err)
	}
	w.must(second.release(context.Background()))
	w.commit()
	c, err := first.committer(context.Background())
	if w.must(err); c.Owner != "" || c.WrittenAt.IsZero() {
		t.Errorf("%+v", c)
	}
}

// TestKilled: the next commit finishes a commit killed between two tables or before its
// snapshot.
func TestKilled(t *testing.T) {
	w := newWorld(t)
	w.land("m1", days{"messages": one("2026-11-20", "one")["messages"], "record_kinds": {landing.Undated: {{"toy", "line", int64(3)}}}})
	ctx, cancel := context.WithCancel(t.Context())
	w.rest.Commit = func(name string) error {
		if name == "record_kinds" {
			cancel() // otherwise Commit tries again
			return errors.New("killed")
		}
		return nil
	}
	if _, err := w.open().Commit(ctx); err == nil {
		t.Error("no error")
	}
	w.want("messages", text, "one")
	w.want("record_kinds", []string{"kind"})
	w.rest.Commit = nil
	w.commit()
	w.want("messages", text, "one")
	w.want("record_kinds", []string{"kind"}, "line")
}
