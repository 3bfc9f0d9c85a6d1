package readers_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hindsql/readers"
	"hindsql/tables"
)

func TestKinds(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC) }
	var kinds readers.Kinds
	for _, c := range []struct {
		kind, version string
		at            time.Time
	}{
		{"user", "", time.Time{}}, {"user", "2.1.9", day(3)}, {"new", "", day(9)}, {"user", "2.1.10-beta", day(1)},
		{"user", "2.1", day(2)}, {"user", "2.1.9", time.Time{}}, {"user", "x", day(4)},
	} {
		kinds.Count(c.kind, c.kind == "user", c.version, c.at)
	}
	var got []tables.Event
	kinds.Emit(func(e tables.Event) { got = append(got, e) })
	want := []tables.Event{
		&tables.RecordKind{Kind: "user", Known: true, Lines: 6, FirstVersion: "x", LastVersion: "2.1.10-beta", FirstSeen: day(1), LastSeen: day(4)},
		&tables.RecordKind{Kind: "new", Lines: 1, FirstSeen: day(9), LastSeen: day(9)},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
