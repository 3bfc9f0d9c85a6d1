package tables

var pulled = &Table{
	Name:     "pulled",
	Doc:      "One row per log that was pulled from another machine: what its rows were known by there. They stay until another pull, or a prune.",
	Internal: true,
	Columns: []Column{
		{"machine", "VARCHAR", "id of the machine that pushed it"},
		{"fingerprint", "VARCHAR", "of its rows as they were pushed"},
		{"source_id", "BIGINT", "the log file, see sources"},
	},
}

// Pulled returns the table of pulled logs. No log has rows in it.
func Pulled() *Table { return pulled }
