package web

import (
	"html/template"
	"net/http"
	"net/url"
	"slices"

	"hindsql/cmd/hindsql/ask"
	"hindsql/internal/suggest"
	"hindsql/queries/html"
	"hindsql/tables"
)

// tableLink is a table in the list.
type tableLink struct {
	Name, Doc string
	Rows      any // nil for a list
}

// listTables returns the page of all tables and functions.
func listTables(q *request) (*view, error) {
	set, err := q.run(q.Context(), "SELECT name, what, rows FROM tables WHERE kind = 'table'", nil)
	if err != nil {
		return nil, err
	}
	var data struct {
		Tables    []tableLink
		Functions []function
	}
	for _, row := range set.Rows {
		data.Tables = append(data.Tables, tableLink{textOf(row[0]), textOf(row[1]), row[2]})
	}
	for _, m := range tables.Macros() {
		data.Functions = append(data.Functions, function{m, addressOf("/sql", nil, "sql", m.Example), html.Code("sql", m.Example)})
	}
	return &view{Title: "Tables", Template: "tables", Nav: "/tables", Data: data}, nil
}

// function is a SQL function with its example.
type function struct {
	tables.Macro
	URL  string
	Code template.HTML
}

// tablePage is the data of a table's page.
type tablePage struct {
	*tables.Table
	Result *shown
}

// showTable returns the page of a table, or sends a file of its rows.
func showTable(w http.ResponseWriter, q *request) (*view, error) {
	name, file := parted(q.PathValue("name"))
	at := slices.IndexFunc(tables.Shown(), func(t *tables.Table) bool { return t.Name == name })
	if at < 0 {
		var names []string
		for _, t := range tables.Shown() {
			names = append(names, t.Name)
		}
		return nil, notFound("There is no table " + name + suggest.Ask(name, names, "the page Tables lists them") + ".")
	}
	t := tables.Shown()[at]
	st := &question{Statement: ask.Typed(newestFirst(t)), file: t.Name, ours: true, size: "SELECT count(*) FROM " + t.Name}
	path := "/table/" + url.PathEscape(t.Name)
	to, err := q.result(w, st, look{path: path, from: q.look(path, nil).from}, file)
	if to == nil || err != nil {
		return nil, err
	}
	to.Tabs, to.SQL = nil, addressOf("/sql", nil, "sql", st.SQL)
	to.Downloads = offered(func(format string) string { return path + "." + format })
	return &view{Title: t.Name, Template: "table", Nav: "/tables", Data: &tablePage{t, to}}, nil
}

// newestFirst returns SQL for all rows of a table, by the first column with a time if
// the table has one.
func newestFirst(t *tables.Table) string {
	sql := "FROM " + t.Name
	for _, c := range t.Columns {
		if c.Type == "TIMESTAMPTZ" {
			return sql + " ORDER BY " + c.Name + " DESC NULLS LAST"
		}
	}
	return sql
}
