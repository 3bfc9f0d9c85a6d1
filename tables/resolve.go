package tables

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"hindsql/internal/lists"
	"hindsql/internal/sqltext"
)

// Link is a step of SQL that runs after a load and joins rows of several files, for
// example a session and its continuation in another file. Table names in the SQL are
// unqualified. Table pending_links lists the files to join.
type Link struct {
	Name  string   // name of the SQL file, without .sql, such as 3-copies
	Needs []string // names of earlier steps required for the SQL to run and count correctly
	Parts []LinkPart
}

// LinkPart is a group of statements of a link. If its condition is false, no rows are
// left to join: the part and all later parts of the link are skipped.
type LinkPart struct {
	When string // SQL condition; empty means always
	SQL  string // one or more statements
}

const (
	// whenMark begins the line with the condition of the following lines.
	whenMark = "-- when: "
	// needsMark begins the second line of a step with Needs, separated by commas.
	needsMark = "-- needs: "
)

//go:embed resolve/*.sql
var linkFiles embed.FS

// Links returns the steps in the order of running, after a load and in one transaction.
// Running the steps again changes nothing. Each file's first line is a summary of its
// step: the tables it reads and writes, and when it has work. Steps pass results on in
// temporary tables; no later step needs a temporary table of a part that may be skipped.
// After all steps, the caller runs LinksDone.
func Links() []Link {
	return lists.Map(sqlFiles(linkFiles, "resolve"), parseLink)
}

// LookAheadStep is the name of the last step whose first part makes a table that
// conditions of other steps read. From then on, LinksNeeded lists the steps that have
// work.
const LookAheadStep = "3-copies"

// LinksNeeded returns the SQL for the indices of the steps in list with a true
// condition, in one column. The condition is that of a step's first conditional part.
// One statement over all conditions costs a fifth of a statement for each: with each
// term as a branch of one UNION ALL, no term is planned as a subquery.
func LinksNeeded(list []Link) string {
	var terms []string
	for i, link := range list {
		at := slices.IndexFunc(link.Parts, func(p LinkPart) bool { return p.When != "" })
		if at < 0 {
			continue
		}
		for _, term := range orTerms(link.Parts[at].When) {
			terms = append(terms, termQuery(i, term))
		}
	}
	return "SELECT DISTINCT step FROM (" + strings.Join(terms, " UNION ALL ") + ")"
}

// termQuery returns a query with rows of i where a condition is true.
func termQuery(i int, term string) string {
	inner, ok := strings.CutPrefix(term, "EXISTS (")
	switch {
	case ok && strings.HasPrefix(inner, "FROM "):
		return fmt.Sprintf("SELECT %d AS step %s", i, strings.TrimSuffix(inner, ")"))
	case ok:
		return fmt.Sprintf("SELECT %d AS step FROM (%s", i, inner)
	}
	return fmt.Sprintf("SELECT %d AS step WHERE %s", i, term)
}

// orTerms splits a condition at each OR outside of parentheses.
func orTerms(condition string) (terms []string) {
	depth, from := 0, 0
	for t := range sqltext.Tokens(condition) {
		switch {
		case t.Text == "(":
			depth++
		case t.Text == ")":
			depth--
		case depth == 0 && t.Text == "OR":
			terms = append(terms, strings.TrimSpace(condition[from:t.At]))
			from = t.End()
		}
	}
	return append(terms, strings.TrimSpace(condition[from:]))
}

// LinksDone is the SQL to run after all steps ran.
const LinksDone = "DELETE FROM pending_links; DELETE FROM former_sessions; DELETE FROM former_clear_marks"

// AnyGone is the SQL condition for [MovedSources] to have something to find.
const AnyGone = "EXISTS (FROM sources WHERE gone_at IS NOT NULL)"

// MovedSources is the SQL for the ids of this machine's vanished sources whose rows all
// stand in one existing source, too: their files were moved. One of the two must be in
// pending_links. It decides by rows where the sync couldn't decide by the file's content:
// the store of an older build has no hash of it, and a database or a document none at
// all. The parameter is the machine's id.
const MovedSources = `WITH here AS (SELECT source_id, gone_at IS NOT NULL AS gone, regexp_extract(path, '[^/\\]*$') AS name FROM sources WHERE coalesce(machine, '') = $1),
logs AS (
  SELECT agent, coalesce(native_id, session_id) AS id, source_id, gone
  FROM (SELECT agent, native_id, session_id, source_id FROM sessions UNION ALL SELECT agent, NULL, session_id, source_id FROM continuations)
  JOIN here USING (source_id)),
inputs AS (
  SELECT agent, source_id, session_id, timestamp, text, gone, name FROM prompts JOIN here USING (source_id)
  WHERE source_id IN (FROM pending_links) OR gone OR EXISTS (FROM here WHERE gone AND source_id IN (FROM pending_links))),
pairs AS (
  SELECT DISTINCT g.source_id, e.source_id AS other
  FROM logs g JOIN logs e ON e.agent = g.agent AND e.id = g.id
  WHERE g.gone AND NOT e.gone AND (g.source_id IN (FROM pending_links) OR e.source_id IN (FROM pending_links))
  UNION
  SELECT DISTINCT g.source_id, e.source_id
  FROM inputs g JOIN inputs e ON e.agent = g.agent AND e.name = g.name AND e.timestamp IS NOT DISTINCT FROM g.timestamp AND e.text IS NOT DISTINCT FROM g.text
  WHERE g.gone AND NOT e.gone AND (g.source_id IN (FROM pending_links) OR e.source_id IN (FROM pending_links)))
SELECT DISTINCT source_id FROM pairs p
WHERE NOT EXISTS (
  FROM messages m WHERE m.source_id = p.source_id AND NOT EXISTS (
    FROM messages o WHERE o.source_id = p.other AND o.line = m.line AND o.kind = m.kind AND o.uuid IS NOT DISTINCT FROM m.uuid
      AND o.timestamp IS NOT DISTINCT FROM m.timestamp AND o.text IS NOT DISTINCT FROM m.text))
  AND NOT EXISTS (
    FROM inputs m WHERE m.source_id = p.source_id AND NOT EXISTS (
      FROM inputs o WHERE o.source_id = p.other AND o.timestamp IS NOT DISTINCT FROM m.timestamp
        AND o.session_id IS NOT DISTINCT FROM m.session_id AND o.text IS NOT DISTINCT FROM m.text))`

// LinksUnfinished is the SQL to run instead of LinksDone if some steps didn't run. The
// files stay in pending_links, each listed once. The rows in the former_ tables are
// kept.
const LinksUnfinished = `CREATE OR REPLACE TEMP TABLE still_pending AS SELECT DISTINCT source_id FROM pending_links;
	DELETE FROM pending_links; INSERT INTO pending_links FROM still_pending`

func parseLink(f sqlFile) Link {
	link := Link{Name: f.name}
	_, text, _ := strings.Cut(f.text, "\n") // without the summary for people, which must not change the schema's hash
	first, rest, _ := strings.Cut(text, "\n")
	if needs, ok := strings.CutPrefix(first, needsMark); ok {
		link.Needs, text = strings.Split(needs, ", "), rest
	}
	link.Parts = parseLinkParts(forEachTable(strings.ReplaceAll(text, "{is guess}", GuessSQL("evidence", "confidence"))))
	return link
}

// rowsMark stands for each table with the rows of sessions, and indexMark for each of them
// with a message_index: a line with a mark is repeated for each table.
const (
	rowsMark  = "{rows}"
	indexMark = "{rows with an index}"
)

// forEachTable repeats the lines with a mark.
func forEachTable(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		mark, list := rowsMark, []string{"messages", "tool_calls", "rejections", "interruptions", "compactions"}
		if strings.Contains(line, indexMark) {
			mark, list = indexMark, list[:4]
		}
		if !strings.Contains(line, mark) {
			list = list[:1]
		}
		for _, name := range list {
			out.WriteString(strings.ReplaceAll(line, mark, name))
		}
	}
	return out.String()
}

func parseLinkParts(text string) (parts []LinkPart) {
	part, begin, end := LinkPart{}, 0, 0
	for line := range strings.Lines(text) {
		end += len(line)
		condition, isMark := strings.CutPrefix(line, whenMark)
		if !isMark {
			part.SQL = text[begin:end]
			continue
		}
		if part.SQL != "" {
			parts = append(parts, part)
		}
		part, begin = LinkPart{When: strings.TrimSpace(condition)}, end
	}
	return append(parts, part)
}

var pendingLinks = &Table{
	Name:     "pending_links",
	Doc:      "One row per file with rows loaded and not yet linked.",
	Internal: true,
	Derived:  true,
	Columns:  []Column{{"source_id", "BIGINT", "the log file, see sources"}},
}

var relatedSources = &Table{
	Name:     "related_sources",
	Doc:      "One row per pair of files with copies of the same messages, each pair in both orders.",
	Internal: true,
	Derived:  true,
	Columns: []Column{
		{"source_id", "BIGINT", "a log file, see sources"},
		{"other_source_id", "BIGINT", "another log file"},
	},
}

var messageKeys = &Table{
	Name:     "message_keys",
	Doc:      "One row per uuid and per API id of a message, and file with the message, as numbers: see link 2-keys.",
	Internal: true,
	Derived:  true,
	Columns: []Column{
		{"id_hash", "INTEGER", "31 bits of the hash of agent and id"},
		{"source_tag", "INTEGER", "the last 20 bits of the source_id"},
		{"run", "INTEGER", "0 for sorted rows, 1 for rows appended later"}, // an INTEGER, because DuckDB skips row groups by numbers, not by BOOLEANs
	},
}

// These tables keep rows as they were when the links last ran, of files that were since
// reloaded or dropped. With the old rows the links find rows of other files that
// change, too.
var (
	formerSessions = &Table{
		Name:     "former_sessions",
		Doc:      "One row per session in a file not linked yet, as the session was at the last link; the table is empty after a link.",
		Internal: true,
		Derived:  true,
		Columns:  sessions.Columns,
	}
	formerClearMarks = &Table{
		Name:     "former_clear_marks",
		Doc:      "One row per trace of a clear in a file not linked yet, as at the last link; the table is empty after a link.",
		Internal: true,
		Derived:  true,
		Columns:  clearMarks.Columns,
	}
)

// Formerly maps the name of each former_ table to the name of the table whose rows it
// keeps. Before a file is reloaded or dropped, its rows are copied there. The copies
// stay until the links have run.
func Formerly() map[string]string {
	return map[string]string{formerSessions.Name: sessions.Name, formerClearMarks.Name: clearMarks.Name}
}
