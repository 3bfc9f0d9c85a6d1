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

// Pulled is the table of the logs that were pulled. No log has rows of it.
func Pulled() *Table { return pulled }
