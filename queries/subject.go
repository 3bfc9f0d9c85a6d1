package queries

import (
	"slices"
	"strings"
)

// Group is a list of saved queries about one subject.
type Group struct {
	Title   string
	Queries []*Query
}

// ownTitle is the title of the group of the user's queries.
const ownTitle = "Your own"

// subjects maps words in the names of queries to subjects. A query has the first
// subject that matches.
var subjects = []struct{ title, words string }{
	{"Refusals and permissions", "refus reject denial decision rule approval"},
	{"Tokens and cost", "token model price"},
	{"Compactions and clears", "compact clear"},
	{"Interruptions, questions and waiting", "interrupt question waiting"},
	{"Tools, commands and files", "command tool edit file"},
	{"Sessions and projects", ""},
}

// Subject returns the title of the query's group.
func (q *Query) Subject() string {
	if q.Path != "" {
		return ownTitle
	}
	at := slices.IndexFunc(subjects, func(s struct{ title, words string }) bool {
		return s.words == "" || slices.ContainsFunc(strings.Fields(s.words), func(w string) bool { return strings.Contains(q.Name, w) })
	})
	return subjects[at].title
}

// Groups groups saved queries by subject, the user's own first. Empty groups are left
// out.
func Groups(all []*Query) (groups []Group) {
	titles := []string{ownTitle}
	for _, s := range subjects {
		titles = append(titles, s.title)
	}
	for _, title := range titles {
		g := Group{Title: title}
		for _, q := range all {
			if q.Subject() == title {
				g.Queries = append(g.Queries, q)
			}
		}
		if g.Queries != nil {
			groups = append(groups, g)
		}
	}
	return groups
}
