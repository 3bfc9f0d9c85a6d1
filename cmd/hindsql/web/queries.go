package web

import (
	"hindsql/cmd/hindsql/ask"
	"hindsql/queries"
)

// queryGroup is a group of saved queries about one subject.
type queryGroup struct {
	Title   string
	Queries []queryLink
}

// queryLink is a saved query in the list.
type queryLink struct {
	*queries.Query
	Origin string // empty for a built-in query
}

// listQueries returns the page of all saved queries.
func listQueries(q *request) (*view, error) {
	all, err := q.server.Source.Queries()
	var groups []queryGroup
	for _, of := range queries.Groups(all) {
		g := queryGroup{Title: of.Title}
		for _, saved := range of.Queries {
			link := queryLink{Query: saved}
			if saved.Path != "" {
				link.Origin = ask.Origin(q.server.Home, saved.Path, saved.Overrides)
			}
			g.Queries = append(g.Queries, link)
		}
		groups = append(groups, g)
	}
	data := struct {
		Groups  []queryGroup
		Trouble string
	}{Groups: groups}
	if err != nil {
		data.Trouble = err.Error()
	}
	return &view{Title: "Queries", Template: "queries", Nav: "/queries", Data: data}, nil
}
