package web

import (
	"context"
	"html/template"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"hindsql/engine"
	"hindsql/internal/result"
	"hindsql/internal/suggest"
	"hindsql/queries"
	"hindsql/queries/html"
	"hindsql/queries/report"
)

// homeReport is the report that stands on the first page.
const homeReport = "weekly"

// showHome is the weekly report, of any range.
func showHome(q *request) (*view, error) {
	v, err := document(q, homeReport, "/")
	if err == nil {
		v.Title = "At a glance" // of any range, not of a week
	}
	return v, err
}

// showReport is any report, of any range.
func showReport(q *request) (*view, error) { return document(q, q.PathValue("name"), "") }

// overview is what the page of a report shows.
type overview struct {
	Span    span
	Text    string
	Period  string
	Alert   *result.Set // nil: there is nothing to tell
	Parts   []part
	Reports []place // all that there are
}

// part is a section of a report's page.
type part struct {
	*report.Part
	ID   int
	Body template.HTML // empty: there are no rows
	Wide bool          // it takes the page's whole width
}

func document(q *request, name, nav string) (*view, error) {
	all, r, err := reportNamed(q.server.Reports, name)
	if err != nil {
		return nil, err
	}
	o := &overview{Span: q.span(string(r.Period)), Text: r.Text, Reports: places(all, name)}
	v := &view{Title: r.Title, Template: "home", Nav: nav, Live: true, Data: o}
	if o.Span.IsWrong() {
		v.Status = 400
		return v, nil
	}
	if isOwn(r) && !q.mayRun() {
		return q.unrun(r.Title, nav, "", codes(r)...), nil
	}
	run, err := q.runOf(r)
	if err != nil {
		return nil, err
	}
	ctx := engine.Within(q.Context(), r.TimeLimit)
	period, err := whole(ctx, run, o.Span.Period)
	if err != nil {
		return nil, err
	}
	r = within(r, period)
	d, err := report.Run(ctx, r, period, run)
	if err != nil && statusOf(err) == http.StatusInternalServerError && isOwn(r) {
		return nil, wrong(phrases.Explain(err)) // the file's
	}
	if err != nil {
		return nil, err
	}
	if o.Span.Period != period { // before all there is, there is nothing to compare with
		forgetBefore(d)
	}
	if o.Period = period.String(); d.Alerts() {
		o.Alert = d.Alert
	}
	o.Parts, err = o.Span.partsOf(d, r)
	return v, err
}

// codes are the statements of a report.
func codes(r *report.Report) (list []template.HTML) {
	if r.Alert != "" {
		list = append(list, html.Code("sql", r.Alert))
	}
	for i := range r.Sections {
		list = append(list, html.Code("sql", r.Sections[i].Query.Body()))
	}
	return list
}

// partsOf are the sections of a document as the page shows them.
func (s *span) partsOf(d *report.Document, r *report.Report) (parts []part, err error) {
	for i := range d.Parts {
		p := part{Part: &d.Parts[i], ID: d.Parts[i].Number}
		p.Body, err = p.Part.Body(p.ID, func(row []any, column string) string {
			return linkOf(d.Name, p.Part, row, column, s.rangeOf(p.Part, r.Sections[p.ID-1].Period))
		})
		if err != nil {
			return nil, err
		}
		p.Wide = p.Show != report.Heat && p.Show != report.Line
		parts = append(parts, p)
	}
	return parts, nil
}

// forgetBefore leaves out what the numbers were before.
func forgetBefore(d *report.Document) {
	for i := range d.Parts {
		d.Parts[i].Before = result.Set{}
	}
}

// linkOf is what a value of a report leads to: a session, or the rows behind a
// number.
func linkOf(name string, p *report.Part, row []any, column string, v url.Values) string {
	at := slices.IndexFunc(p.Columns, func(c result.Column) bool { return c.Name == column })
	if at >= 0 && html.IsID(p.Columns[at]) {
		reference, _ := row[at].(string)
		return idURL(reference)
	}
	return behindURL(name, p, row, column, v)
}

// whole is a period with ends: those of all there is where it has none.
func whole(ctx context.Context, run queries.Run, p report.Period) (report.Period, error) {
	if !p.Since.IsZero() && !p.Until.IsZero() {
		return p, nil
	}
	set, err := run(ctx, "SELECT coalesce(min(timestamp), now()), now() FROM messages", nil)
	if err != nil {
		return p, err
	}
	first, _ := set.Rows[0][0].(time.Time)
	now, _ := set.Rows[0][1].(time.Time)
	if p.Until.IsZero() {
		p.Until = now
	}
	if p.Since.IsZero() {
		p.Since = first
	}
	if !p.Since.Before(p.Until) {
		p.Since = p.Until.AddDate(0, 0, -1)
	}
	return p, nil
}

// within is the report for a page of a period: a section that covers a longer time
// of its own keeps it, for a trend; a shorter one would hide what was asked for.
func within(r *report.Report, p report.Period) *report.Report {
	own := *r
	own.Sections = slices.Clone(r.Sections)
	for i := range own.Sections {
		if s := &own.Sections[i]; s.Period != "" && !s.Period.Before(p.Until).Before(p.Since) {
			s.Period = ""
		}
	}
	return &own
}

// isOwn tells a report with SQL of the user's own: it is a file of theirs, or names a
// saved query that is.
func isOwn(r *report.Report) bool {
	return r.Path != "" || slices.ContainsFunc(r.Sections, func(s report.Section) bool {
		return s.Query.Path != "" || slices.ContainsFunc(slices.Collect(maps.Values(s.Behind)), func(q *queries.Query) bool { return q.Path != "" })
	})
}

// runOf gives what runs the SQL of a report: a file of the user's may hold
// anything, so that it runs safely.
func (q *request) runOf(r *report.Report) (queries.Run, error) {
	if !isOwn(r) {
		return q.run, nil
	}
	session, err := q.safely(q.Context())
	if err != nil {
		return nil, err
	}
	return session.Collect, nil
}

// reportNamed gives all reports, and the one of a name.
func reportNamed(list func() ([]*report.Report, error), name string) (all []*report.Report, r *report.Report, err error) {
	all, err = list()
	if at := slices.IndexFunc(all, func(r *report.Report) bool { return strings.EqualFold(r.Name, name) }); at >= 0 {
		return all, all[at], nil
	}
	if err != nil {
		return nil, nil, wrong(err.Error())
	}
	var names []string
	for _, r := range all {
		names = append(names, r.Name)
	}
	return nil, nil, notFound("There is no report " + name + suggest.Ask(name, names, "") + ".")
}

// reportURL leads to a report's page.
func reportURL(name string) string {
	if name == homeReport {
		return "/"
	}
	return "/report/" + name
}

// places are the reports, as links.
func places(all []*report.Report, here string) (list []place) {
	for _, r := range all {
		list = append(list, place{reportURL(r.Name), r.Title, r.Name == here})
	}
	return list
}
