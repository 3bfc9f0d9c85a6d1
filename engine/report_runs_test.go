package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hindsql/cmd/hindsql/schedule"
	"hindsql/engine"
	"hindsql/internal/posix"
	"hindsql/tables"
)

// TestReportRuns: report_runs shows the journal as a table. The table is empty before
// the journal exists. If a run has several lines, the table shows the last. A line that
// a kill truncated does no harm. The table survives a full load and the loss of the
// store.
func TestReportRuns(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", line(1, ""))
	s := h.Open()
	wantRows(t, s, "FROM report_runs")

	path := engine.RunsPath(h.Store)
	j := schedule.Journal{Path: path}
	to := time.Date(2026, 11, 16, 8, 0, 0, 123456789, time.UTC)
	run := schedule.Run{Name: "weekly", PeriodStart: to.AddDate(0, 0, -7), PeriodEnd: to, StartedAt: to, FinishedAt: to, Status: schedule.OK, Attempt: 1}
	must(t, j.Add(run))
	wantRows(t, s, "SELECT name, strftime(period_end AT TIME ZONE 'UTC', '%c %f'), status, error, output, attempt FROM report_runs",
		"weekly|2026-11-16 08:00:00 123456|ok|NULL|NULL|1")
	must(t, appendFile(path, []byte(`{"name":"weekly","period_sta`)))
	run.Status, run.FinishedAt, run.Error, run.Output = schedule.Alert, to.Add(time.Minute), "notify: it's “broken”\nand 'so on'", "/tmp/weekly-1.html"
	must(t, j.Add(run))
	must(t, appendFile(path, []byte("\xff\n[1]\n17\n")))
	next := run
	next.PeriodStart, next.PeriodEnd, next.StartedAt = to, to.AddDate(0, 0, 7), to.AddDate(0, 0, 7)
	next.Status, next.Error, next.Output = schedule.OK, "", ""
	must(t, j.Add(next))
	want := []string{
		"weekly|alert|notify: it's “broken”\nand 'so on'|/tmp/weekly-1.html|1|60",
		"weekly|ok|NULL|NULL|1|-604740",
	}
	const all = "SELECT name, status, error, output, attempt, epoch(finished_at - started_at)::INTEGER FROM report_runs"
	wantRows(t, s, all, want...)

	_, err := s.Sync(t.Context(), engine.SyncOptions{Full: true})
	must(t, err)
	wantRows(t, s, all, want...)
	must(t, os.Remove(h.Store))
	wantRows(t, h.Open(), all, want...)
	posix.Mode(t, filepath.Dir(path), 0o700)
}

// TestReportRunsColumns: the table and the journal use the same names.
func TestReportRunsColumns(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "runs.ndjson")
	now := time.Now()
	must(t, schedule.Journal{Path: path}.Add(schedule.Run{Name: "a", PeriodStart: now, PeriodEnd: now, StartedAt: now, FinishedAt: now, Status: schedule.Failed, Error: "e", Output: "o", Attempt: 1}))
	text, err := os.ReadFile(path)
	must(t, err)
	for _, c := range tables.ReportRuns().Columns {
		if !strings.Contains(string(text), `"`+c.Name+`":`) {
			t.Errorf("no %s in the journal: %s", c.Name, text)
		}
	}
	if fields := strings.Count(string(text), `":`); fields != len(tables.ReportRuns().Columns) {
		t.Errorf("%d fields, %d columns: %s", fields, len(tables.ReportRuns().Columns), text)
	}
}
