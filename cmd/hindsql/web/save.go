package web

import (
	"net/http"
	"strings"

	"hindsql/internal/atomicfile"
	"hindsql/internal/words"
	"hindsql/queries"
)

// saving is the form that saves a statement as a query of the user's.
type saving struct {
	SQL    string
	Sign   string // empty if the browser says that the form is from here
	Folder string // of the user's queries
	Name   string // the typed name
	Wrong  string // why the name can't be
}

// saving returns the form for a statement; nil if queries have no folder.
func (q *request) saving(sql string) *saving {
	if q.server.Own.Folder == "" {
		return nil
	}
	return &saving{SQL: sql, Sign: q.sending().Sign, Folder: atomicfile.Short(q.server.Home, q.server.Own.Folder)}
}

// saveSQL saves a statement as a query, and redirects to the query's page.
func saveSQL(w http.ResponseWriter, q *request) (*view, error) {
	sql, name := q.get("sql"), q.get("name")
	form := q.saving(sql)
	if form == nil || sql == "" {
		return nil, wrong("There is no statement to save, or no folder to save it in.")
	}
	if _, err := q.server.Own.Create(name, queries.Text(queries.Draft(name, sql))); err != nil {
		form.Name, form.Wrong = name, words.Sentence(phrases.Explain(err))
		p := &sqlPage{sending: q.sending(), SQL: sql, Lines: linesOf(sql), Save: form}
		return &view{Title: "SQL", Template: "sql", Nav: "/sql", Data: p, Status: http.StatusBadRequest}, nil
	}
	http.Redirect(w, q.Request, "/query/"+name, http.StatusSeeOther)
	return nil, nil
}

// linesOf returns the height of the field for a statement.
func linesOf(sql string) int { return min(max(strings.Count(sql, "\n")+2, 5), 24) }
