package tables

var reportRuns = &Table{
	Name: "report_runs",
	Doc:  "One row per run of a report on a schedule: each attempt to make it for a period. They come from no log, but from the journal that `hindsql report due` keeps beside the store; exports leave them out.",
	Key:  []string{"name", "period_end", "attempt"},
	Columns: []Column{
		{"name", "VARCHAR", "the report"},
		{"period_start", "TIMESTAMPTZ", "the report covers what was at this time or later"},
		{"period_end", "TIMESTAMPTZ", "and before this one, at which it was due"},
		{"started_at", "TIMESTAMPTZ", "when the run began"},
		{"finished_at", "TIMESTAMPTZ", "when it ended; null while it runs"},
		{"status", "VARCHAR", "running, ok, alert (it has something to tell) or failed"},
		{"error", "VARCHAR", "why it failed; of one that is ok, what went wrong after it, such as notify; else null"},
		{"output", "VARCHAR", "path of the file that it wrote; null for none"},
		{"attempt", "INTEGER", "1 for the first run for its period, 2 for the next after a failure …"},
	},
}

// ReportRuns returns the table of report runs. The table lies beside the store, not
// inside: [All] leaves it out.
func ReportRuns() *Table { return reportRuns }
