package tables

import (
	"embed"
	"strings"
)

// Link is a step of SQL that joins what stands in several files. Its table
// names are plain; pending_links names the files that it is run for.
type Link struct {
	Name string // what it joins
	When string // a condition; where it is false there is nothing to join. Empty for none
	SQL  string // one or more statements
}

// whenMark begins the line of a step that holds its condition.
const whenMark = "-- when: "

//go:embed links/*.sql
var linkFiles embed.FS

// Links are the steps, in the order in which they run after a load, all in one
// transaction. Run again, they change nothing. Temporary tables carry what one
// step works out for the next; one that may be left out leaves none that a later
// step needs.
func Links() []Link {
	var links []Link
	for _, f := range sqlFiles(linkFiles, "links") {
		link := Link{Name: f.name, SQL: f.text}
		for line := range strings.Lines(f.text) {
			if condition, ok := strings.CutPrefix(line, whenMark); ok {
				link.When = strings.TrimSpace(condition)
			}
		}
		links = append(links, link)
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
