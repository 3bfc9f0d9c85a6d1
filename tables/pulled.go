package tables

var pulled = &Table{
	Name:     "pulled",
	Doc:      "One row per log pulled from another machine, with the fingerprint of the log's rows there. The log's rows stay until the next pull or a prune.",
	Internal: true,
	Columns: []Column{
		{"machine", "VARCHAR", "id of the pushing machine"},
		{"fingerprint", "VARCHAR", "fingerprint of the log's rows as pushed"},
		{"source_id", "BIGINT", "the log file, see sources"},
	},
}

// Pulled returns the table of pulled logs. No log has rows in it.
func Pulled() *Table { return pulled }
