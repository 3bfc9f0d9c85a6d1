package web

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// asked holds the path and the values of a request. The values come from the URL or,
// for a POST, from the form.
type asked struct {
	path  string // in escaped form, as links have it
	given url.Values
}

// askedBy reads the path and values of a request. It drops the secret of this server's
// forms ([fieldSign]).
func askedBy(r *http.Request) asked {
	a := asked{path: r.URL.EscapedPath(), given: r.URL.Query()}
	if r.Method == http.MethodPost {
		a.given = r.PostForm
	}
	a.given.Del(fieldSign)
	return a
}

// get returns the value of a field without surrounding spaces; empty if the request
// lacks the field.
func (a *asked) get(name string) string { return strings.TrimSpace(a.given.Get(name)) }

// with returns the page's URL with the value of one field replaced, and with the fields
// in without removed.
func (a *asked) with(name, value string, without ...string) string {
	v := a.left(without)
	v.Set(name, value)
	return a.path + "?" + v.Encode()
}

// without returns the page's URL with the named fields removed.
func (a *asked) without(names ...string) string { return addressOf(a.path, a.left(names)) }

// left returns the values without the named fields.
func (a *asked) left(names []string) url.Values {
	v := url.Values{}
	maps.Copy(v, a.given)
	maps.DeleteFunc(v, func(n string, _ []string) bool { return slices.Contains(names, n) })
	return v
}

// look returns how the page at a path shall show a result, by the fields _show and
// _from of the request. values holds the page's other URL fields, such as the SQL.
func (a *asked) look(path string, values url.Values) look {
	l := look{path: path, values: values, chart: a.get(fieldShow) == "chart"}
	if n, err := strconv.ParseInt(a.get(fieldFrom), 10, 64); err == nil && n > 0 {
		l.from = n
	}
	return l
}

// cell returns the cell that the field _cell asks for: the index of its row in the
// whole result, and of its column. ok is false if the field is missing or malformed.
func (a *asked) cell() (row int64, column int, ok bool) {
	r, c, ok := strings.Cut(a.get(fieldCell), ".")
	if !ok {
		return 0, 0, false
	}
	row, err := strconv.ParseInt(r, 10, 64)
	column, err2 := strconv.Atoi(c)
	return row, column, err == nil && err2 == nil && row >= 0 && column >= 0
}
