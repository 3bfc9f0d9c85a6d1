package web

import (
	"context"
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"hindsql/cmd/hindsql/ask"
	"hindsql/engine"
	"hindsql/internal/result"
	"hindsql/internal/sqltext"
	"hindsql/queries/html"
	"hindsql/tables"
)

// argument is the prefix of the URL fields with values for the parameters of typed SQL:
// p.since is the value of $since.
const argument = "p."

// sqlPage is the data of the page of typed SQL.
type sqlPage struct {
	sending
	SQL      string
	Lines    int     // height of the field
	Args     []field // fields of the statement's parameters
	Trouble  *trouble
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
	p := &sqlPage{sending: q.sending(), SQL: st.SQL, Lines: linesOf(st.SQL)}
	v := &view{Title: "SQL", Template: "sql", Nav: "/sql", Data: p}
	for _, name := range sqltext.Parameters(st.SQL) {
		if name != "" {
			p.Args = append(p.Args, field{Name: argument + name, Label: "$" + name, Value: textOf(st.Args[name])})
		}
	}
	if strings.TrimSpace(st.SQL) == "" {
		p.Tables, p.Examples = tablePlaces(), examples()
		return v, nil
	}
	if !q.mayRun() {
		return q.unrun("SQL", "/sql", "sql", p.Code()), nil
	}
	err := sqlResult(w, q, st, p)
	if err == nil && p.Result == nil {
		return nil, nil // the result went out as a file
	}
	if err != nil {
		if q.Context().Err() != nil {
			return nil, err
		}
		p.Trouble, v.Status = troubleOf(err), statusOfSQL(err)
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
		p.Result.Downloads = offered(func(format string) string { return addressOf("/sql", st.given, "format", format) })
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

// tablePlaces returns links to the tables.
func tablePlaces() (list []place) {
	for _, t := range tables.Shown() {
		list = append(list, place{URL: "/table/" + t.Name, Name: t.Name})
	}
	return list
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
