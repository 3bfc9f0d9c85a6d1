package tables

import (
	"embed"
	"strings"
)

// Link is a step of SQL that joins what stands in several files. Its table
// names are plain; pending_links names the files that it is run for.
type Link struct {
	Name  string   // what it joins
	Needs []string // names of earlier steps, without which this one can't run, or would count wrongly
	Parts []LinkPart
}

// LinkPart is some statements of a link. Where a part's condition is false,
// there is nothing left to join: it is left out, and so are those behind it.
type LinkPart struct {
	When string // SQL; empty for none
	SQL  string // one or more statements
}

const (
	// whenMark begins the line that holds the condition of the lines below it.
	whenMark = "-- when: "
	// needsMark begins the first line of a step that has Needs, with commas between.
	needsMark = "-- needs: "
)

//go:embed resolve/*.sql
var linkFiles embed.FS

// Links are the steps, in the order in which they run after a load, all in one
// transaction. Run again, they change nothing. Temporary tables carry what one
// step works out for the next; a part that may be left out leaves none that a
// later step needs. When all have run, LinksDone does.
func Links() []Link {
	var links []Link
	for _, f := range sqlFiles(linkFiles, "resolve") {
		links = append(links, linkOf(f))
	}
	return links
}

// LinksDone is the SQL that ends a link of which no step was left out.
const LinksDone = "DELETE FROM pending_links; DELETE FROM former_sessions; DELETE FROM former_clear_marks"

// LinksLeft is the SQL that ends one of which steps were: the files stay pending,
// each once, and so do the former rows.
const LinksLeft = `CREATE OR REPLACE TEMP TABLE still_pending AS SELECT DISTINCT source_id FROM pending_links;
	DELETE FROM pending_links; INSERT INTO pending_links FROM still_pending`

func linkOf(f sqlFile) Link {
	link := Link{Name: f.name}
	first, rest, _ := strings.Cut(f.text, "\n")
	if needs, ok := strings.CutPrefix(first, needsMark); ok {
		link.Needs, f.text = strings.Split(needs, ", "), rest
	}
	link.Parts = linkParts(strings.ReplaceAll(f.text, "{is guess}", GuessSQL("evidence", "confidence")))
	return link
}

func linkParts(text string) (parts []LinkPart) {
	part := LinkPart{}
	for line := range strings.Lines(text) {
		condition, isMark := strings.CutPrefix(line, whenMark)
		if !isMark {
			part.SQL += line
			continue
		}
		if part.SQL != "" {
			parts = append(parts, part)
		}
		part = LinkPart{When: strings.TrimSpace(condition)}
	}
	return append(parts, part)
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

var messageKeys = &Table{
	Name:     "message_keys",
	Doc:      "One row per uuid and per API id of a message, and file that holds it, as numbers: see the link that fills it.",
	Internal: true,
	Derived:  true,
	Columns: []Column{
		{"id_hash", "INTEGER", "31 bits of the hash of agent and id"},
		{"source_tag", "INTEGER", "the last 20 bits of the source_id"},
		{"run", "INTEGER", "0 for those that stand in their order, 1 for what was added behind them"}, // DuckDB skips row groups by a number, not by a BOOLEAN
	},
}

// What a file held when it was last linked, for those loaded or dropped since:
// what hangs on it is found by these.
var (
	formerSessions = &Table{
		Name:     "former_sessions",
		Doc:      "One row per session that a file held which is not linked yet, as it was before; the table is empty after a link.",
		Internal: true,
		Derived:  true,
		Columns:  sessions.Columns,
	}
	formerClearMarks = &Table{
		Name:     "former_clear_marks",
		Doc:      "One row per trace of a clear, likewise.",
		Internal: true,
		Derived:  true,
		Columns:  clearMarks.Columns,
	}
)

// Formerly gives the tables of which a copy is kept when files are loaded anew or
// dropped, until the next link, by the names of the tables that keep it.
func Formerly() map[string]string {
	return map[string]string{formerSessions.Name: sessions.Name, formerClearMarks.Name: clearMarks.Name}
}
