package web

import (
	"net/http"
	"slices"
	"strings"
)

// route is an address pattern with its handler.
type route struct {
	pattern string // in the form of [http.ServeMux]
	handler http.Handler
}

// runners lists the addresses that may run the user's own SQL. They also accept a POST
// from a form of this server's pages.
var runners = []string{"/{$}", "/sql", "/complete", "/query/{name}", "/report/{name}", "/report/{name}/rows/{section}/{column}"}

// pages maps the addresses of pages to the pages' functions.
var pages = []struct {
	pattern string
	make    pageFunc
}{
	{"GET /session/{agent}/{id}", showSession},
	{"GET /{$}", showHome},
	{"GET /report/{name}", showReport},
	{"GET /queries", listQueries},
	{"GET /tables", listTables},
	{"GET /refusals", listRefusals},
	{"GET /refusal/{agent}/{session}/{call}", showRefusal},
	{"GET /interruptions", listInterruptions},
	{"GET /compactions", listCompactions},
	{"GET /clears", listClears},
	{"GET /approvals", listApprovals},
	{"GET /sessions", listSessions},
	{"GET /search", showSearch},
	{"GET /", noPage},
}

// routes returns all addresses of the server.
func (s *Server) routes() []route {
	list := []route{
		{"GET /sql", s.synced(showSQL)},
		{"GET /report/{name}/rows/{section}/{column}", s.synced(showRowsBehind)},
		{"GET /query/{name}", s.synced(showSaved)},
		{"GET /table/{name}", s.synced(showTable)},
		{"GET /complete", s.atOnce(completeSQL)},
		{"POST /sql/save", s.requireOwnForm(s.atOnce(saveSQL))},
		{"GET /running", s.atOnce(showRunning)},
		{"POST /running/{id}/cancel", s.atOnce(cancelRun)},
		{"GET /live", s.atOnce(sendChanges)},
		{"GET /id/{reference}", s.atOnce(redirectToSession)},
		{"GET /text/{agent}/{session}/{id}/{part}", s.atOnce(sendText)},
		{"GET /static/{hash}/{file}", http.HandlerFunc(static)},
	}
	for _, p := range pages {
		list = append(list, route{p.pattern, s.page(p.make)})
	}
	for _, r := range list {
		if address, ok := strings.CutPrefix(r.pattern, "GET "); ok && slices.Contains(runners, address) {
			list = append(list, route{"POST " + address, s.requireSignedSQL(r.handler)})
		}
	}
	return list
}

// noPage answers an address without a page.
func noPage(*request) (*view, error) { return nil, notFound("No page is at this address.") }
