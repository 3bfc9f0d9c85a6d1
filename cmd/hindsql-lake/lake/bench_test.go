package lake

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"hindsql/engine/fleet/landing"
)

// BenchmarkMachineDays commits 10,000 files of one table, each for another machine and
// day: first to an empty table, then without changes, then with one grown day. The lake
// opens no file, so the files only have the right length.
func BenchmarkMachineDays(b *testing.B) {
	for b.Loop() {
		w := newWorld(b)
		for m := range 1000 {
			w.landMany(fmt.Sprintf("m%04d", m), 10)
		}
		timed := func(what string, want int) {
			start := time.Now()
			r, err := w.open().Commit(context.Background())
			b.ReportMetric(time.Since(start).Seconds(), what+"-s")
			added := 0
			if err == nil && len(r.Changes) > 0 {
				added = r.Changes[0].Added
			}
			if err != nil || added != want {
				b.Fatalf("%s: %d files were added, want %d: %v", what, added, want, err)
			}
		}
		timed("first", 10_000)
		timed("unchanged", 0)
		w.landMany("m0007", 11)
		timed("grown", 1)
		_ = os.RemoveAll(w.dir)
	}
}

// landMany writes a manifest with the given number of days.
func (w *world) landMany(machine string, days int) {
	m := &landing.Manifest{Version: landing.Version, Machine: machine, Generation: 1, Texts: landing.Redacted, Users: "plain", Schema: "s",
		Tables: []landing.Table{{Name: "messages", Time: "timestamp", Columns: w.columns["messages"]}}}
	for d := range days {
		day := time.Date(2026, 1, 1+d, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
		m.Files = append(m.Files, landing.File{Path: landing.FileName("messages", false, day, fmt.Sprintf("%016x", d)), Table: "messages", Day: day, Rows: 100, Bytes: 10000,
			Sum: fmt.Sprintf("%064x", d), Schema: "s", Texts: landing.Redacted})
		w.must(os.Truncate(w.put(machine+"/"+m.Files[d].Path, nil), m.Files[d].Bytes))
	}
	text, err := m.Encode()
	w.must(err)
	w.put(machine+"/"+landing.ManifestName, text)
}
