package web

import (
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strings"

	"hindsql/queries"
)

// keepSQL saves typed SQL as a query of the user's, in a new file, and leads to the
// query's page. Only a form on a page of this server may do so, in a browser that says
// which page sent the form.
func keepSQL(w http.ResponseWriter, q *request) (*view, error) {
	if !isFromHere(q.Request) {
		return nil, &problem{http.StatusForbidden, "This browser doesn’t say which page sent the form, so nothing was saved. hindsql queries new saves it."}
	}
	name, sql := strings.TrimSpace(q.PostForm.Get("name")), q.PostForm.Get("sql")
	path, err := q.server.Own.File(name)
	if err != nil {
		return nil, wrong(err.Error())
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return nil, wrong("There is a query " + name + "; choose another name, or change " + pathFrom(q.server.Home, path) + " itself.")
	}
	if strings.TrimSpace(sql) == "" {
		return nil, wrong("There is no statement to save.")
	}
	if _, err := q.server.Own.Save(name, queries.Text(queries.Draft(name, sql))); err != nil {
		return nil, wrong(err.Error())
	}
	http.Redirect(w, q.Request, "/query/"+url.PathEscape(name), http.StatusSeeOther)
	return nil, nil
}
