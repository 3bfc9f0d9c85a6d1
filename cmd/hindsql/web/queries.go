package web

import (
	"slices"
	"strings"

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

// subjects maps words in the names of queries to subjects. A query has the first
// subject that matches.
var subjects = []struct{ title, words string }{
	{"Refusals and permissions", "refus reject denial decision rule approval"},
	{"Tokens and cost", "token model price"},
	{"Compactions and clears", "compact clear"},
	{"Interruptions and waiting", "interrupt waiting"},
	{"Tools, commands and files", "command tool edit file"},
	{"Sessions and projects", ""},
}

// listQueries returns the page of all saved queries.
func listQueries(q *request) (*view, error) {
	all, err := q.server.Source.Queries()
	groups := []queryGroup{{Title: "Your own"}}
	for _, subject := range subjects {
		groups = append(groups, queryGroup{Title: subject.title})
	}
	for _, saved := range all {
		at := 0
		if saved.Path == "" {
			at = 1 + subjectOf(saved.Name)
		}
		link := queryLink{Query: saved}
		if saved.Path != "" {
			link.Origin = ask.Origin(q.server.Home, saved.Path, saved.Overrides)
		}
		groups[at].Queries = append(groups[at].Queries, link)
	}
	groups = slices.DeleteFunc(groups, func(g queryGroup) bool { return len(g.Queries) == 0 })
	data := struct {
		Groups  []queryGroup
		Trouble string
	}{Groups: groups}
	if err != nil {
		data.Trouble = err.Error()
	}
	return &view{Title: "Queries", Template: "queries", Nav: "/queries", Data: data}, nil
}

func subjectOf(name string) int {
	return slices.IndexFunc(subjects, func(s struct{ title, words string }) bool {
		if s.words == "" {
			return true
		}
		return slices.ContainsFunc(strings.Fields(s.words), func(w string) bool { return strings.Contains(name, w) })
	})
}
