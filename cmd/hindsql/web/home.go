package web

import (
	"context"
	"slices"

	"hindsql/engine"
	"hindsql/engine/result"
	"hindsql/queries"
	"hindsql/queries/report"
)

// homeReport is the report that stands on the first page.
const homeReport = "weekly"

// home is the weekly report, of any range.
func (s *Server) home(q *request) (*view, error) { return s.document(q, homeReport, "/") }

// report is any report, of any range.
func (s *Server) report(q *request) (*view, error) { return s.document(q, q.PathValue("name"), "") }

// overview is what the page of a report shows.
type overview struct {
	*report.Document
	Span    span
	Reports []place
}

func (s *Server) document(q *request, name, nav string) (*view, error) {
	all, err := s.Reports()
	at := slices.IndexFunc(all, func(r *report.Report) bool { return r.Name == name })
	if at < 0 {
		if err != nil {
			return nil, wrong(err.Error())
		}
		return nil, notFound("There is no report " + name + ".")
	}
	r := all[at]
	span := q.span(string(r.Period))
	if span.IsWrong() {
		return &view{Title: r.Title, Template: "home", Nav: nav, Data: overview{&report.Document{}, span, places(all, name)}, Status: 400}, nil
	}
	run, err := q.runOf(r)
	if err != nil {
		return nil, err
	}
	d, err := report.Run(engine.Within(q.Context(), r.TimeLimit), r, span.Period, run)
	if err != nil {
		return nil, err
	}
	return &view{Title: r.Title, Template: "home", Nav: nav, Live: true, Data: overview{d, span, places(all, name)}}, nil
}

// runOf gives what runs the SQL of a report: a file of the user's may hold
// anything, so that it runs safely.
func (q *request) runOf(r *report.Report) (queries.Run, error) {
	if r.Path == "" {
		return q.collect, nil
	}
	session, err := q.safely(q.Context())
	if err != nil {
		return nil, err
	}
	return collecting(session), nil
}

// places are the reports, as links.
func places(all []*report.Report, here string) (list []place) {
	for _, r := range all {
		p := place{"/report/" + r.Name, r.Title, r.Name == here}
		if r.Name == homeReport {
			p.URL = "/"
		}
		list = append(list, p)
	}
	return list
}

// collecting runs SQL in a session, and gives the results.
func collecting(session *engine.Session) queries.Run {
	return func(ctx context.Context, sql string, args map[string]any) (set result.Set, err error) {
		err = session.Query(ctx, sql, args, func(rows *result.Rows) (err error) {
			set, err = result.Collect(rows)
			return err
		})
		return set, err
	}
}
