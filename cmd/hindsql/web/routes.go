package web

import (
	"net/http"
	"slices"
	"strings"
)

// route is an address and what answers there.
type route struct {
	pattern string // as [http.ServeMux] takes it
	handler http.Handler
}

// runners are the addresses that may run SQL of the user's own: forms of ours may be
// sent there.
var runners = []string{"/{$}", "/sql", "/complete", "/query/{name}", "/report/{name}", "/report/{name}/rows/{section}/{column}"}

// routes are all addresses of the server.
func (s *Server) routes() []route {
	pages := []struct {
		pattern string
		make    pageFunc
	}{
		{"GET /session/{agent}/{id}", s.session},
		{"GET /{$}", s.home},
		{"GET /report/{name}", s.report},
		{"GET /queries", s.queryList},
		{"GET /tables", s.tableList},
		{"GET /refusals", s.refusals},
		{"GET /refusal/{agent}/{session}/{call}", s.refusal},
		{"GET /interruptions", s.interruptions},
		{"GET /compactions", s.compactions},
		{"GET /clears", s.clears},
		{"GET /approvals", s.approvals},
		{"GET /sessions", s.sessions},
		{"GET /search", s.search},
		{"GET /", nowhere},
	}
	list := []route{
		{"GET /sql", s.answering(s.sql)},
		{"GET /report/{name}/rows/{section}/{column}", s.answering(s.rowsBehind)},
		{"GET /query/{name}", s.answering(s.saved)},
		{"GET /table/{name}", s.answering(s.table)},
		{"GET /complete", http.HandlerFunc(s.complete)},
		{"GET /running", s.quick(s.runningPage)},
		{"POST /running/{id}/cancel", http.HandlerFunc(s.cancelRun)},
		{"GET /live", http.HandlerFunc(s.live)},
		{"GET /id/{reference}", http.HandlerFunc(s.reference)},
		{"GET /text/{agent}/{session}/{id}/{part}", http.HandlerFunc(s.text)},
		{"GET /static/{hash}/{file}", http.HandlerFunc(static)},
	}
	for _, p := range pages {
		list = append(list, route{p.pattern, s.page(p.make)})
	}
	for _, r := range list {
		if address, ok := strings.CutPrefix(r.pattern, "GET "); ok && slices.Contains(runners, address) {
			list = append(list, route{"POST " + address, s.signed(r.handler)})
		}
	}
	return list
}

// nowhere answers an address without a page.
func nowhere(*request) (*view, error) { return nil, notFound("No page is at this address.") }
