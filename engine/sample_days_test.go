package engine_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hindsql/engine"
	"hindsql/engine/enginetest"
	"hindsql/internal/whole"
	"hindsql/readers/sample"
	"hindsql/tables"
)

// TestMovedSample loads the sample as written and moved by some days. The tables have
// the same rows. Every moment differs by the days; every other value is the same or, in
// texts with moments, moved.
func TestMovedSample(t *testing.T) {
	whole.Test(t, "loads the sample of another day, 1.7 s of processor time")
	t.Parallel()
	for i, test := range []struct{ last, zone, why string }{
		{"2028-03-01", "UTC", "over a leap day"},
		{"2027-01-02", "UTC", "over a new year"},
		{"2026-10-27", "Europe/Berlin", "over the end of summer time"},
		{"2027-03-15", "America/New_York", "over the begin of summer time"},
		{"2026-02-10", "Pacific/Kiritimati", "back, a day ahead of UTC"},
	} {
		t.Run(test.why, func(t *testing.T) {
			t.Parallel()
			whole.Most(t, i, 5, "a load for each day")
			day, err := time.Parse(time.DateOnly, test.last)
			enginetest.Must(t, err)
			days, err := sample.Until(day)
			enginetest.Must(t, err)
			want, got := sampleRows(t, 0, test.zone), sampleRows(t, days, test.zone)
			for table, rows := range want {
				for i, row := range rows {
					rows[i] = string(days.Move([]byte(row)))
				}
				slices.Sort(rows)
				if diff := cmp.Diff(rows, got[table]); diff != "" {
					t.Errorf("%s (-want +got)\n%.3000s", table, diff)
				}
			}
		})
	}
}

// sampleRows loads the sample, moved by days, and returns the rows of each table. A
// moment is written as a word without a date, and taken back by the days.
func sampleRows(t *testing.T, days sample.Days, zone string) map[string][]string {
	t.Helper()
	home, err := days.Write(filepath.Join(t.TempDir(), "sample"))
	enginetest.Must(t, err)
	c := enginetest.RealConfig(home, filepath.Join(t.TempDir(), "h.duckdb"))
	c.Timezone = zone
	s := enginetest.Open(t, c)
	_, err = s.Sync(context.Background(), engine.SyncOptions{})
	enginetest.Must(t, err)
	all := map[string][]string{}
	for _, table := range tables.Views() {
		var values []string
		for _, c := range table.Columns {
			switch {
			case slices.Contains([]string{"source_id", "stamp", "beginning", "loaded_at", "modified_at"}, c.Name): // of this copy's paths and files
			case c.Type == "TIMESTAMPTZ":
				values = append(values, fmt.Sprintf(`coalesce('at' || (epoch_us("%s") - %d)::VARCHAR, 'never')`, c.Name, int64(days)*24*time.Hour.Microseconds()))
			default:
				values = append(values, fmt.Sprintf(`coalesce("%s"::VARCHAR, 'null')`, c.Name))
			}
		}
		rows := enginetest.Rows(t, s, fmt.Sprintf("SELECT concat_ws(' | ', %s) FROM %s", strings.Join(values, ", "), table.Name))
		for i, row := range rows {
			rows[i] = strings.ReplaceAll(row, home, "~")
		}
		slices.Sort(rows)
		all[table.Name] = rows
	}
	if len(all["messages"]) < 600 {
		t.Fatalf("%d messages", len(all["messages"]))
	}
	return all
}
