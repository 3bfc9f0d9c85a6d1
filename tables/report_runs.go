package tables

var reportRuns = &Table{
	Name: "report_runs",
	Doc:  "One row per run of a scheduled report: each attempt to make the report for a period. The rows come from the journal of `hindsql report due` beside the store, not from a log; exports leave the rows out.",
	Key:  []string{"name", "period_end", "attempt"},
	Columns: []Column{
		{"name", "VARCHAR", "name of the report"},
		{"period_start", "TIMESTAMPTZ", "start of the period covered by the report, inclusive"},
		{"period_end", "TIMESTAMPTZ", "end of the period, exclusive; the report was due at this time"},
		{"started_at", "TIMESTAMPTZ", "start of the run"},
		{"finished_at", "TIMESTAMPTZ", "end of the run; null while running"},
		{"status", "VARCHAR", "running, ok, alert (ok, with something to tell) or failed"},
		{"error", "VARCHAR", "why the run failed, or an error after the run, such as in notify; otherwise null"},
		{"output", "VARCHAR", "path of the written file; null without a file"},
		{"attempt", "INTEGER", "1 for the first run for a period, 2 for the next run after a failure …"},
	},
}

// ReportRuns returns the table of report runs. The table lies beside the store, not
// inside: [All] leaves it out.
func ReportRuns() *Table { return reportRuns }
