package fleet_test

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"testing"

	"hindsql/internal/whole"
)

// TestPushOfMovedLogs: after a move a push sends the log's new path and no other row, and
// a machine that pulled before has no row twice.
func TestPushOfMovedLogs(t *testing.T) {
	whole.Test(t, "loads, pushes and pulls in several stores")
	t.Parallel()
	f := newFleet(t)
	a, b := f.machine("a"), f.machine("b")
	a.Reader.NamedBy = path.Base
	a.Write("x.jsonl", line(1, ""), line(2, ""))
	a.Write("y.jsonl", line(3, ""))
	first := a.push()
	b.pull()
	const counts = "SELECT (SELECT count(*) FROM sources), (SELECT count(*) FROM with_copies.messages), (SELECT count(*) FROM sessions)"
	before := b.rows(counts)
	must(t, os.MkdirAll(a.Path("deep"), 0o755))
	must(t, os.Rename(a.Path("x.jsonl"), a.Path("deep/x.jsonl")))
	moved := a.push()
	if moved.Sent != 1 || moved.SentRows != 2 || first.Sent < 2 {
		t.Errorf("after a move %+v was sent, and at first %+v", moved, first)
	}
	b.pull()
	if got := b.rows(counts); !slices.Equal(got, before) {
		t.Errorf("the other machine has %q, and had %q", got, before)
	}
	if got := b.rows("SELECT count(*) FROM sources WHERE contains(path, 'deep')"); !slices.Equal(got, []string{"1"}) {
		t.Errorf("%q logs have the new path", got)
	}
	must(t, os.Rename(a.Path("deep"), filepath.Join(a.Dir, "away")))
	a.push()
	must(t, os.Rename(filepath.Join(a.Dir, "away", "x.jsonl"), a.Path("x.jsonl")))
	a.push()
	b.pull()
	if got := b.rows(counts); !slices.Equal(got, before) {
		t.Errorf("after the move back the other machine has %q, and had %q", got, before)
	}
}
