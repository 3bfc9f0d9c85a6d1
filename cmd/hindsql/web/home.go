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
	"hindsql/internal/atomicfile"
	"hindsql/internal/lists"
	"hindsql/internal/result"
	"hindsql/internal/suggest"
	"hindsql/queries"
	"hindsql/queries/html"
	"hindsql/queries/report"
)

// homeReport is the name of the report on the first page.
const homeReport = "weekly"

// showHome returns the first page: the weekly report with a year of days, for the range
// in the URL.
func showHome(q *request) (*view, error) {
	v, err := document(q, homeReport, "/")
	if err == nil && v.Template == "home" {
		v.Title = "At a glance" // the range needn't be a week
	}
	return v, err
}

// showReport returns the page of a report, for the range in the URL.
func showReport(q *request) (*view, error) { return document(q, q.PathValue("name"), "") }

// overview is the data of a report's page.
type overview struct {
	Span    span
	Text    string
	Period  string
	Newest  *place      // newest day with messages; nil unless the period has no messages
	Alert   *result.Set // nil if the report has nothing to alert about
	Parts   []part
	Reports []place // links to all reports
}

// part is a section of a report's page.
type part struct {
	*report.Part
	ID   int
	Body template.HTML // empty if the section has no rows
	Wide bool          // the section takes the page's whole width
}

func document(q *request, name, nav string) (*view, error) {
	all, r, err := reportNamed(q.server.Reports, name)
	if err != nil {
		return nil, err
	}
	o := &overview{Span: q.span(string(r.Period)), Text: r.Text, Reports: q.reports(all, name, nav)}
	v := &view{Title: r.Title, Template: "home", Nav: nav, Live: true, Data: o}
	if o.Span.IsWrong() {
		v.Status = 400
		return v, nil
	}
	if isOwn(r) && !q.mayRun() {
		return q.refuseRun(r.Title, nav, "", codes(r)...), nil
	}
	var g *glance // of the first page
	if nav == "/" {
		if g, err = q.glance(); err != nil {
			return nil, err
		}
		if g.isNew {
			return showNoLogs(q), nil
		}
	}
	run, err := q.runOf(r)
	if err != nil {
		return nil, err
	}
	ctx := engine.Within(q.Context(), r.TimeLimit)
	period, err := closePeriod(ctx, run, o.Span.Period)
	if err != nil {
		return nil, err
	}
	r = within(r, period)
	if g != nil && !isOwn(r) {
		r = g.briefReport(r, period)
	}
	d, err := report.Run(ctx, r, period, run)
	if err != nil && statusOf(err) == http.StatusInternalServerError && isOwn(r) {
		return nil, wrong(phrases.Explain(err)) // the user's file is at fault
	}
	if err != nil {
		return nil, err
	}
	if o.Period = period.String(); d.Alerts() {
		o.Alert = d.Alert
	}
	if o.Parts, err = o.Span.partsOf(d, r); err == nil && g != nil {
		err = g.join(ctx, q, o, r, period)
	}
	return v, err
}

// codes returns the SQL of a report as HTML: the alert's, then that of each section.
func codes(r *report.Report) (list []template.HTML) {
	if r.Alert != "" {
		list = append(list, html.Code("sql", r.Alert))
	}
	for i := range r.Sections {
		list = append(list, html.Code("sql", r.Sections[i].Query.Body()))
	}
	return list
}

// partsOf renders the sections of a report for its page. d has the results.
func (s *span) partsOf(d *report.Document, r *report.Report) (parts []part, err error) {
	for i := range d.Parts {
		p := part{Part: &d.Parts[i], ID: d.Parts[i].Number}
		p.Body, err = p.Part.Body(p.ID, func(row []any, column string) string {
			return linkOf(d.Name, p.Part, row, column, s.rangeOf(p.Part, r.Sections[p.ID-1].Period))
		})
		if err != nil {
			return nil, err
		}
		if p.Body == "" && d.Name == homeReport {
			continue // the first page has no room for what isn't there
		}
		p.Wide = isWide(&p)
		parts = append(parts, p)
	}
	return parts, nil
}

// isWide reports whether a section needs the page's whole width: all do but drawings and
// tables of a name, numbers and a session.
func isWide(p *part) bool {
	texts := 0
	for _, c := range p.Columns {
		if !c.IsNumber() {
			texts++
		}
	}
	return p.Show != report.Heat && p.Show != report.Line && (p.Show != report.Table || texts > 2)
}

// linkOf returns the URL of the link on a report's value: a session's id and about line
// link to the session, a number to the page with the rows it counts. The URL is empty if
// the value has no link.
func linkOf(name string, p *report.Part, row []any, column string, v url.Values) string {
	at := slices.IndexFunc(p.Columns, func(c result.Column) bool { return c.Name == column || column == "about" && html.IsID(c) })
	if at >= 0 && html.IsID(p.Columns[at]) {
		if reference, _ := row[at].(string); reference != "" {
			return "/id/" + url.PathEscape(reference) // an id with or without the index of a message, for any agent
		}
		return ""
	}
	return behindURL(name, p, row, column, v)
}

// closePeriod closes a period's open ends. An open beginning becomes the time of the first
// message, an open end the present.
func closePeriod(ctx context.Context, run queries.Run, p report.Period) (report.Period, error) {
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

// within returns the report for a page's period p. A section whose own period is longer
// keeps it, because the section shows a trend. A section's shorter period is removed:
// otherwise the section would leave out rows of p.
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

// isOwn reports whether the user wrote SQL of a report: the report is a file of the
// user's, or uses a saved query of the user's.
func isOwn(r *report.Report) bool {
	return r.Path != "" || slices.ContainsFunc(r.Sections, func(s report.Section) bool {
		return s.Query.Path != "" || slices.ContainsFunc(slices.Collect(maps.Values(s.Behind)), func(q *queries.Query) bool { return q.Path != "" })
	})
}

// runOf returns the function that runs a report's SQL. A user's file may contain any
// SQL, so its SQL runs in the safe store.
func (q *request) runOf(r *report.Report) (queries.Run, error) {
	if !isOwn(r) {
		return q.run, nil
	}
	session, err := q.safeSession(q.Context())
	if err != nil {
		return nil, err
	}
	return session.Collect, nil
}

// reportNamed returns all reports, and the report with the given name. An unknown name
// is an error.
func reportNamed(list func() ([]*report.Report, error), name string) (all []*report.Report, r *report.Report, err error) {
	all, err = list()
	if at := slices.IndexFunc(all, func(r *report.Report) bool { return strings.EqualFold(r.Name, name) }); at >= 0 {
		return all, all[at], nil
	}
	if err != nil {
		return nil, nil, wrong(err.Error())
	}
	names := lists.Map(all, func(r *report.Report) string { return r.Name })
	return nil, nil, notFound("There is no report " + name + suggest.Ask(name, names, "") + ".")
}

// reportURL returns the URL of a report's page.
func reportURL(name string) string { return "/report/" + url.PathEscape(name) }

// reports returns links to all reports, with the page's range. here is the name of the
// shown report, nav is empty on a report's own page.
func (q *request) reports(all []*report.Report, here, nav string) (list []place) {
	given := url.Values{}
	for _, name := range []string{"during", "since", "until"} {
		if q.given.Has(name) {
			given[name] = q.given[name]
		}
	}
	for _, r := range all {
		list = append(list, place{addressOf(reportURL(r.Name), given), r.Title, nav == "" && strings.EqualFold(r.Name, here)})
	}
	return list
}

// noLogs is the data of the first page while the store is empty.
type noLogs struct {
	Agents  []searchedAgent
	Trouble string // why some folders could not be searched; empty if all were
}

// searchedAgent lists the searched folders of an agent.
type searchedAgent struct {
	Agent   string
	Folders []searchedFolder
}

type searchedFolder struct {
	Path  string
	State string // why the folder has no rows
}

// showNoLogs returns the first page of a store without logs: where logs were searched,
// and what to do.
func showNoLogs(q *request) *view {
	places, err := q.server.Source.Store().Places()
	var p noLogs
	if err != nil {
		p.Trouble = phrases.Explain(err)
	}
	for _, place := range places {
		in := searchedFolder{Path: atomicfile.Short(q.server.Home, place.Path), State: "no logs in it"}
		switch {
		case place.Silent != nil:
			in.State = "its disk gives no answer"
		case !place.Exists:
			in.State = "missing"
		case place.Files > 0:
			in.State = "its logs are not loaded yet"
		}
		at := slices.IndexFunc(p.Agents, func(l searchedAgent) bool { return l.Agent == place.Title })
		if at < 0 {
			at, p.Agents = len(p.Agents), append(p.Agents, searchedAgent{Agent: place.Title})
		}
		p.Agents[at].Folders = append(p.Agents[at].Folders, in)
	}
	return &view{Title: "No logs found", Template: "nologs", Nav: "/", Live: true, Data: p}
}
