package web

import (
	"context"
	"encoding/json"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf16"

	"hindsql/cmd/hindsql/ask"
	"hindsql/engine"
	"hindsql/internal/atomicfile"
	"hindsql/internal/result"
	"hindsql/internal/sqltext"
	"hindsql/internal/suggest"
	"hindsql/internal/words"
	"hindsql/queries"
	"hindsql/queries/html"
	"hindsql/tables"
)

// argument is the prefix of the URL fields with values for the parameters of typed SQL:
// p.since is the value of $since.
const argument = "p."

// sqlPage is the data of the page of typed SQL.
type sqlPage struct {
	formMethod
	SQL      string
	Lines    int     // height of the field
	Args     []field // fields of the statement's parameters
	Trouble  *statementError
	Result   *shown
	Save     *saving // nil if nothing ran
	Tables   []place
	Examples []place
}

// typed returns the statement from the URL.
func typed(q *request) *question {
	st := &question{Statement: ask.Statement{SQL: q.given.Get("sql"), Args: map[string]any{}}, file: "result", given: url.Values{}}
	st.given.Set("sql", st.SQL)
	for _, name := range sqltext.Parameters(st.SQL) {
		st.Args[name] = nil
		if value := q.given.Get(argument + name); value != "" {
			st.Args[name] = value
			st.given.Set(argument+name, value)
		}
	}
	return st
}

// showSQL returns the page of typed SQL, or sends a file of its result.
func showSQL(w http.ResponseWriter, q *request) (*view, error) {
	st := typed(q)
	p := &sqlPage{formMethod: q.formMethod(), SQL: st.SQL, Lines: linesOf(st.SQL)}
	v := &view{Title: "SQL", Template: "sql", Nav: "/sql", Data: p}
	for _, name := range sqltext.Parameters(st.SQL) {
		if name != "" {
			p.Args = append(p.Args, field{Name: argument + name, Label: "$" + name, Value: textOf(st.Args[name])})
		}
	}
	if strings.TrimSpace(st.SQL) == "" {
		for _, t := range tables.Shown() {
			p.Tables = append(p.Tables, place{URL: "/table/" + t.Name, Name: t.Name})
		}
		p.Examples = examples()
		return v, nil
	}
	if !q.mayRun() {
		return q.refuseRun("SQL", "/sql", "sql", p.Code()), nil
	}
	err := sqlResult(w, q, st, p)
	if err == nil && p.Result == nil {
		return nil, nil // the result went out as a file
	}
	if err != nil {
		if q.Context().Err() != nil {
			return nil, err
		}
		p.Trouble, v.Status = statementErrorOf(err), statusOfSQL(err)
		return v, nil
	}
	p.Save = q.saving(st.SQL)
	return v, nil
}

func sqlResult(w http.ResponseWriter, q *request, st *question, p *sqlPage) (err error) {
	format := q.get("format")
	file := downloadOf(format)
	if format != "" && file == nil {
		return wrong("A result is no " + format + ": it may be csv, json, ndjson or parquet.")
	}
	p.Result, err = q.result(w, st, q.look("/sql", st.given), file)
	if p.Result != nil {
		p.Result.Downloads = downloadLinks(func(format string) string { return addressOf("/sql", st.given, "format", format) })
	}
	return err
}

// sendCell sends the whole text of a cell.
func (st *question) sendCell(ctx context.Context, w http.ResponseWriter, session *ask.Session, row int64, column int) error {
	text, err := st.cell(ctx, session, row, column)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte(text))
	return nil
}

func (st *question) cell(ctx context.Context, session *ask.Session, row int64, column int) (text string, err error) {
	found := false
	st.Page = engine.Page{Offset: row, Rows: 1}
	err = session.Run(engine.Within(ctx, longest), st.Statement, func(a *ask.Answer) error {
		rows := a.Rows
		if column < len(rows.Columns) && rows.Next() {
			types := result.Types(rows.Columns)
			text, found = types[column].Text(rows.Values()[column]), true
		}
		return rows.Err()
	})
	if err == nil && !found {
		err = notFound("The result has no such cell.")
	}
	return text, err
}

// examples returns links to first statements.
func examples() (list []place) {
	for _, sql := range []string{
		"SELECT tool_name, reason, file_path FROM rejections ORDER BY timestamp DESC LIMIT 20",
		"SELECT timestamp::DATE AS day, count(*) AS prompts FROM messages WHERE kind = 'prompt' GROUP BY day ORDER BY day",
		"SELECT tool_name, count(*) AS calls, count(*) FILTER (status = 'error') AS failed FROM tool_calls GROUP BY tool_name ORDER BY calls DESC LIMIT 20",
		"FROM search('migration') LIMIT 20",
	} {
		list = append(list, place{URL: addressOf("/sql", nil, "sql", sql), Name: sql})
	}
	return list
}

// Code returns the statement with coloured words, for pages without the field.
func (p *sqlPage) Code() template.HTML { return html.Code("sql", p.SQL) }

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
	return &saving{SQL: sql, Sign: q.formMethod().Sign, Folder: atomicfile.Short(q.server.Home, q.server.Own.Folder)}
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
		p := &sqlPage{formMethod: q.formMethod(), SQL: sql, Lines: linesOf(sql), Save: form}
		return &view{Title: "SQL", Template: "sql", Nav: "/sql", Data: p, Status: http.StatusBadRequest}, nil
	}
	http.Redirect(w, q.Request, "/query/"+name, http.StatusSeeOther)
	return nil, nil
}

// linesOf returns the height of the field for a statement.
func linesOf(sql string) int { return min(max(strings.Count(sql, "\n")+2, 5), 24) }

// mostWords is the most completions in an answer.
const mostWords = 40

// completion is a list of words, each of which may replace the text from Start to the
// cursor. Start counts UTF-16 units, as JavaScript does.
type completion struct {
	Start int      `json:"start"`
	Words []string `json:"words"`
}

// completeSQL answers with JSON: the words that may stand at a position in the SQL. It
// syncs no logs first, because unfinished SQL isn't a question yet.
func completeSQL(w http.ResponseWriter, q *request) (*view, error) {
	fails := func(status int, text string) (*view, error) { // a script reads the error, not a person
		http.Error(w, text, status)
		return nil, nil
	}
	if !q.mayRun() {
		return fails(http.StatusForbidden, "only pages of this server complete SQL")
	}
	text := q.given.Get("sql")
	at, err := strconv.Atoi(q.given.Get("at"))
	if err != nil || at < 0 {
		return fails(http.StatusBadRequest, "at: the place in the SQL, from 0 on")
	}
	found, err := q.server.completer.complete(q.Context(), text, bytesOf(text, at))
	if err != nil {
		return fails(http.StatusInternalServerError, err.Error())
	}
	to := completion{Start: unitsOf(text[:found.Start]), Words: found.Words[:min(len(found.Words), mostWords)]}
	if to.Words == nil {
		to.Words = []string{}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(to)
	return nil, nil
}

// completer completes SQL for all pages. Its session stays open and caches the names
// that earlier completions looked up.
type completer struct {
	source func(context.Context) (*ask.Source, error)

	mutex   sync.Mutex
	session *ask.Session // nil before the first request
}

func (c *completer) complete(ctx context.Context, text string, at int) (engine.Completions, error) {
	source, err := c.source(ctx)
	if err != nil {
		return engine.Completions{}, err
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.session == nil {
		if c.session, err = source.Session(context.WithoutCancel(ctx)); err != nil {
			return engine.Completions{}, err
		}
	}
	return c.session.Engine().Complete(ctx, text, at)
}

func (c *completer) close() {
	if c.session != nil {
		_ = c.session.Close()
	}
}

// unitsOf returns the length of a text in UTF-16 units.
func unitsOf(s string) (n int) {
	for _, r := range s {
		n += max(1, utf16.RuneLen(r))
	}
	return n
}

// bytesOf returns the number of bytes in the first UTF-16 units of a text.
func bytesOf(s string, units int) int {
	for i, r := range s {
		if units <= 0 {
			return i
		}
		units -= max(1, utf16.RuneLen(r))
	}
	return len(s)
}

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
	name, file := splitFormat(q.PathValue("name"))
	at := slices.IndexFunc(tables.Shown(), func(t *tables.Table) bool { return t.Name == name })
	if at < 0 {
		return nil, notFound("There is no table " + name + suggest.Ask(name, tables.ShownNames(), "the page Tables lists them") + ".")
	}
	t := tables.Shown()[at]
	st := &question{Statement: ask.Typed(newestFirst(t)), file: t.Name, ours: true, size: "SELECT count(*) FROM " + t.Name}
	path := "/table/" + url.PathEscape(t.Name)
	to, err := q.result(w, st, look{path: path, from: q.look(path, nil).from}, file)
	if to == nil || err != nil {
		return nil, err
	}
	to.Tabs, to.SQL = nil, addressOf("/sql", nil, "sql", st.SQL)
	to.Downloads = downloadLinks(func(format string) string { return path + "." + format })
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
