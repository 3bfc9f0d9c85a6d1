package tables

import "embed"

// Link is a step of SQL that joins what stands in several files. Its table
// names are plain; pending_links names the files that it is run for.
type Link struct {
	Name string // what it joins
	SQL  string // one or more statements
}

//go:embed links/*.sql
var linkFiles embed.FS

// Links are the steps, in the order in which they run after a load, all in one
// transaction. Run again, they change nothing. Temporary tables carry what one
// step works out for the next.
func Links() []Link {
	var links []Link
	for _, f := range sqlFiles(linkFiles, "links") {
		links = append(links, Link{f.name, f.text})
	}
	return links
}

var pendingLinks = &Table{
	Name:     "pending_links",
	Doc:      "One row per file whose rows were loaded and not yet linked.",
	Internal: true,
	Derived:  true,
	Columns:  []Column{{"source_id", "BIGINT", "the log file, see sources"}},
}

var relatedSources = &Table{
	Name:     "related_sources",
	Doc:      "One row per pair of files that hold copies of the same messages, each pair both ways round.",
	Internal: true,
	Derived:  true,
	Columns: []Column{
		{"source_id", "BIGINT", "a log file, see sources"},
		{"other_source_id", "BIGINT", "another one"},
	},
}
