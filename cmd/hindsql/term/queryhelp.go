package term

import (
	"fmt"
	"io"
	"strings"

	"hindsql/queries"
)

// QueryHelp writes a saved query's purpose, its parameters and defaults, and its use.
func QueryHelp(to *Output, q *queries.Query) error {
	fmt.Fprintf(to, "%s: %s\n\n", q.Name, q.Title)
	if q.Prose != "" {
		fmt.Fprintf(to, "%s\n\n", q.Prose)
	}
	if len(q.Params) > 0 {
		fmt.Fprintf(to, "Parameters, as param=value or as --param value:\n")
		if err := Listing(to, to.Width, params(q)); err != nil {
			return err
		}
		fmt.Fprintln(to)
	}
	if q.Example != "" {
		fmt.Fprintf(to, "Example:\n  %s\n\n", q.Example)
	}
	if takesMoment(q) {
		fmt.Fprintf(to, "%s\n\n", queries.Times)
	}
	_, err := io.WriteString(to, "hindsql queries "+q.Name+" shows its SQL, hindsql run --help the flags that all queries take.\n")
	return err
}

// params returns a row for each parameter: name, type, purpose.
func params(q *queries.Query) (rows [][]string) {
	for _, p := range q.Takes() {
		takes := strings.ToLower(p.Type)
		switch {
		case p.Values != nil:
			takes = strings.Join(p.Values, ", ")
		case p.IsMoment():
			takes = "moment"
		case p.Type == "VARCHAR":
			takes = "text"
		}
		doc := p.Doc
		switch p.Default {
		case "":
			doc = strings.TrimSpace(doc + " (must be given)")
		case "NULL":
		default:
			doc += " (default " + strings.Trim(p.Default, "'") + ")"
		}
		rows = append(rows, []string{"  " + p.Name, doc, takes})
	}
	return rows
}

func takesMoment(q *queries.Query) bool {
	for _, p := range q.Params {
		if p.IsMoment() {
			return true
		}
	}
	return false
}
