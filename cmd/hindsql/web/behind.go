package web

import (
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"hindsql/cmd/hindsql/ask"
	"hindsql/engine"
	"hindsql/queries"
	"hindsql/queries/html"
	"hindsql/queries/report"
)

// pagesOf maps saved queries to the pages that show the same rows. A page takes the
// same fields for its time range as its query, and finds the same number of rows.
var pagesOf = map[string]string{
	"rejections": "/refusals", "interruptions": "/interruptions", "compactions": "/compactions", "clears": "/clears", "sessions": "/sessions",
}

// rowField is the prefix of the URL fields that identify a row in a report:
// row.tool=Bash is the row with Bash in the column tool.
const rowField = "row."

// behindURL returns the URL of the page that lists the rows counted by a number in a
// report. The number stands in the given row and column of section p; v has the time
// range. The URL is empty if the report declares no rows for the number.
func behindURL(name string, p *report.Part, row []any, column string, v url.Values) string {
	given, ok := p.Given(row, column)
	if !ok {
		return ""
	}
	if q := p.Behind[column]; q.Name != "" {
		return savedURL(q, v)
	}
	for name, text := range given {
		v.Set(rowField+name, text)
	}
	return fmt.Sprintf("/report/%s/rows/%d/%s?%s", url.PathEscape(name), p.Number, url.PathEscape(column), v.Encode())
}

// savedURL returns the URL of the page with a saved query's rows, with those values in
// v that the query takes.
func savedURL(q *queries.Query, v url.Values) string {
	path, ok := pagesOf[q.Name]
	if !ok {
		path = "/query/" + url.PathEscape(q.Name)
		takes := q.Takes()
		for name := range v {
			if v.Get(name) == "" || !slices.ContainsFunc(takes, func(p queries.Param) bool { return p.Name == name }) {
				v.Del(name)
			}
		}
	}
	return path + "?" + v.Encode()
}

// rangeOf returns the time range of report section p as URL fields. A range that ends
// now keeps the user's own words, such as during=7d. With exact times, its links would
// change at each load of the page. own is the section's own range; empty if none.
func (s *span) rangeOf(p *report.Part, own queries.Span) url.Values {
	const stamp = time.RFC3339Nano
	switch {
	case time.Since(p.Period.Until) > time.Minute:
		return url.Values{"since": {p.Period.Since.Format(stamp)}, "until": {p.Period.Until.Format(stamp)}}
	case own != "":
		return url.Values{"during": {string(own)}}
	case s.Since != "":
		return url.Values{"since": {s.Since}}
	}
	return url.Values{"during": {s.During}}
}

// behind is the data of the page that lists the rows counted by a number in a report.
type behind struct {
	Period     string
	Of         []string // common values of the rows, such as "tool Bash"
	Back, Name string   // URL and title of the report
	SQL        template.HTML
	Result     *shown
}

// showRowsBehind returns the page that lists the rows counted by a number in a report.
func showRowsBehind(w http.ResponseWriter, q *request) (*view, error) {
	_, r, err := reportNamed(q.server.Reports, q.PathValue("name"))
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(q.PathValue("section"))
	column := q.PathValue("column")
	if err != nil || n < 1 || n > len(r.Sections) || r.Sections[n-1].Behind[column] == nil {
		return nil, notFound("The report names no rows for that.")
	}
	span, section := q.span(""), &r.Sections[n-1]
	if span.IsWrong() {
		return nil, wrong("That range is none.")
	}
	if isOwn(r) && !q.mayRun() {
		return q.unrun(section.Title, "", "", html.Code("sql", section.Behind[column].Body())), nil
	}
	b := &behind{Back: reportURL(r.Name), Name: r.Title}
	st, err := statementBehind(q, b, r, section, column, span.Period)
	if err != nil {
		return nil, err
	}
	b.Result, err = q.result(w, st, q.look(q.path, st.given), nil)
	if b.Result == nil || err != nil {
		return nil, err
	}
	b.Result.SQL = st.address()
	return &view{Title: section.Title + ": " + strings.ReplaceAll(column, "_", " "), Template: "behind", Live: true, Data: b}, nil
}

// statementBehind returns the statement that a section declares for the rows behind a
// column's numbers. The URL's fields with the prefix row. are its parameters. The SQL
// of a report written by the user runs in the safe store. statementBehind also fills in
// the period, values and SQL of b.
func statementBehind(q *request, b *behind, r *report.Report, section *report.Section, column string, period report.Period) (*question, error) {
	run, err := q.runOf(r)
	if err != nil {
		return nil, err
	}
	given, values := map[string]string{}, url.Values{}
	for name := range q.given {
		if key, ok := strings.CutPrefix(name, rowField); ok {
			given[key] = q.given.Get(name)
			b.Of = append(b.Of, strings.ReplaceAll(key, "_", " ")+" "+given[key])
		}
		if !strings.HasPrefix(name, "_") {
			values[name] = q.given[name]
		}
	}
	slices.Sort(b.Of)
	ctx := engine.Within(q.Context(), r.TimeLimit)
	if period, err = whole(ctx, run, period); err != nil {
		return nil, err
	}
	b.Period = period.String()
	query, args, err := section.RowsBehind(ctx, run, column, period, given)
	if err != nil {
		return nil, wrong(err.Error())
	}
	b.SQL = html.Code("sql", query.SQL)
	return &question{Statement: ask.Statement{SQL: query.Typed(), Args: args, Wrapped: query.Wrapped()}, file: column, ours: !isOwn(r), given: values}, nil
}
