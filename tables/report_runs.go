package tables

var reportRuns = &Table{
	Name: "report_runs",
	Doc:  "One row per run of a scheduled report or push: each attempt for a period. The rows come from the journal of `hindsql report run --scheduled` beside the store, not from a log; exports leave the rows out.",
	Key:  []string{"name", "period_end", "attempt"},
	Columns: []Column{
		{"name", "VARCHAR", "name of the report; of a push, push- and a hash of the target"},
		{"period_start", "TIMESTAMPTZ", "start of the period covered by the report, inclusive"},
		{"period_end", "TIMESTAMPTZ", "end of the period, exclusive: the time at which the scheduler began the run"},
		{"started_at", "TIMESTAMPTZ", "start of the attempt"},
		{"finished_at", "TIMESTAMPTZ", "end of the attempt"},
		{"status", "VARCHAR", "ok, alert (ok, with something to tell) or failed"},
		{"error", "VARCHAR", "why the run failed, or an error after the run, such as in notify; otherwise null"},
		{"output", "VARCHAR", "path of the written file; null without a file"},
		{"attempt", "INTEGER", "1 for the first run for a period, 2 for the next run after a failure …"},
	},
}

// ReportRuns returns the table of report runs. The table lies beside the store, not
// inside: [All] leaves it out.
func ReportRuns() *Table { return reportRuns }
