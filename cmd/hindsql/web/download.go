package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"html/template"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/term"
	"hindsql/engine"
	"hindsql/internal/lists"
	"hindsql/internal/words"
	"hindsql/queries"
	"hindsql/queries/html"
	"hindsql/queries/report"
)

// download is a file format in which users can get a result.
type download struct {
	format, title, kind string
	inline              bool // browsers show the file
}

// downloads lists all file formats. The URLs of files end in the format's name.
var downloads = []download{
	{"csv", "CSV", "text/csv; charset=utf-8", false},
	{"json", "JSON", "application/json", true},
	{"ndjson", "NDJSON", "application/x-ndjson", false},
	{"parquet", "Parquet", "application/vnd.apache.parquet", false},
}

// downloadOf returns the download with a format's name, or nil.
func downloadOf(format string) *download {
	for i := range downloads {
		if downloads[i].format == format {
			return &downloads[i]
		}
	}
	return nil
}

// splitFormat splits a name with a format at its end: weekly.csv becomes weekly and the
// download for CSV. Without a format at the end, it returns the whole name and nil.
func splitFormat(name string) (string, *download) {
	at := strings.LastIndexByte(name, '.')
	if at < 0 {
		return name, nil
	}
	if d := downloadOf(name[at+1:]); d != nil {
		return name[:at], d
	}
	return name, nil
}

// downloadLinks returns links to a result's files. urlOf makes the URL of each format.
func downloadLinks(urlOf func(format string) string) []place {
	return lists.Map(downloads, func(d download) place { return place{URL: urlOf(d.format), Name: d.title} })
}

// send sends the whole result as a file. An error means that nothing was sent. If the
// statement fails after a part was sent, send aborts the connection. Otherwise the
// client would take the part for the whole file.
func (st *question) send(ctx context.Context, w http.ResponseWriter, session *ask.Session, d *download) error {
	to := &delayedWriter{to: w, begin: func() {
		w.Header().Set("Content-Type", d.kind)
		if !d.inline {
			w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": st.file + "." + d.format}))
		}
	}}
	err := st.write(ctx, to, session, d)
	switch {
	case err == nil:
		_ = to.flush() // an error means that the client is gone
		return nil
	case to.begun:
		panic(http.ErrAbortHandler)
	}
	return err
}

func (st *question) write(ctx context.Context, to *delayedWriter, session *ask.Session, d *download) error {
	if d.format == term.Parquet {
		return session.Parquet(ctx, st.Statement, to)
	}
	format, err := term.ByName(d.format)
	if err != nil {
		return err
	}
	one := st.Statement
	one.One = true // a file holds one result
	return session.Run(ctx, one, func(a *ask.Answer) error {
		if len(a.Rows.Columns) == 0 {
			return errors.New("the statement gives no rows")
		}
		return format.Write(to, a.Rows, term.Options{})
	})
}

// heldBack is the number of bytes at a file's start that are held back in case the
// statement fails. A shorter file is sent whole or not at all.
const heldBack = 256 << 10

// delayedWriter is a writer that holds back the first heldBack bytes. It sends them
// when more bytes come, or at flush.
type delayedWriter struct {
	to    http.ResponseWriter
	begin func() // sets headers
	begun bool
	first bytes.Buffer
}

// Write keeps the first bytes, and sends all later ones.
func (l *delayedWriter) Write(b []byte) (int, error) {
	if l.begun {
		return l.to.Write(b)
	}
	l.first.Write(b)
	if l.first.Len() < heldBack {
		return len(b), nil
	}
	return len(b), l.flush()
}

func (l *delayedWriter) flush() error {
	if l.begun {
		return nil
	}
	l.begun = true
	l.begin()
	if _, err := l.first.WriteTo(l.to); err != nil {
		return fmt.Errorf("nobody waits for the file: %w", err)
	}
	return nil
}

// fullTextURL returns the URL of a whole text that pages show in part.
func fullTextURL(agent, session, id, part string) string {
	return "/text/" + url.PathEscape(agent) + "/" + url.PathEscape(session) + "/" + url.PathEscape(id) + "/" + part
}

// texts maps the parts of a call or a message to the queries that return the whole
// text. $id is the id of a call, or the index of a message.
var texts = map[string]string{
	"input":    "SELECT CAST(input AS VARCHAR) FROM tool_calls WHERE agent = $agent AND session_id = $session AND tool_use_id = $id",
	"output":   "SELECT output FROM tool_calls WHERE agent = $agent AND session_id = $session AND tool_use_id = $id",
	"diff":     "SELECT proposed_diff FROM rejections WHERE agent = $agent AND session_id = $session AND tool_use_id = $id",
	"message":  "SELECT text FROM messages WHERE agent = $agent AND session_id = $session AND message_index = $id",
	"thinking": "SELECT thinking FROM messages WHERE agent = $agent AND session_id = $session AND message_index = $id",
}

// sendText sends a whole text as the log has it, never as HTML.
func sendText(w http.ResponseWriter, q *request) (*view, error) {
	text, err := fullText(q, q.PathValue("agent"), q.PathValue("session"), q.PathValue("id"), q.PathValue("part"))
	if err != nil {
		return nil, err
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = strings.NewReader(text).WriteTo(w)
	return nil, nil
}

func fullText(q *request, agent, session, id, part string) (string, error) {
	nothing := notFound(fmt.Sprintf("There is no %s of %s in session %s.", part, id, session))
	sql, ok := texts[part]
	if !ok {
		return "", notFound("The parts of a call are input, output and diff; those of a message are message and thinking.")
	}
	args := map[string]any{"agent": agent, "session": session, "id": id}
	if part == "message" || part == "thinking" {
		index, err := strconv.ParseInt(strings.TrimPrefix(id, "m"), 10, 64)
		if err != nil {
			return "", nothing
		}
		args["id"] = index
	}
	set, err := q.run(q.Context(), sql, args)
	if err != nil {
		return "", err
	}
	for _, row := range set.Rows {
		if text, ok := row[0].(string); ok {
			return text, nil
		}
	}
	return "", nothing
}

// pagesOf maps saved queries to the pages that show the same rows. A page takes the
// same fields for its time range as its query, and finds the same number of rows.
var pagesOf = map[string]string{
	"rejections": "/refusals", "interruptions": "/interruptions", "compactions": "/compactions", "clears": "/clears", "sessions": "/sessions",
}

// rowField is the prefix of the URL fields that identify a row in a report:
// row.tool=Bash is the row with Bash in the column tool.
const rowField = "row."

// behindURL returns the URL of the page that lists the rows counted by a number in a
// report. The number stands in the given row and column of section p; v has the time
// range. The URL is empty if the report declares no rows for the number.
func behindURL(name string, p *report.Part, row []any, column string, v url.Values) string {
	given, ok := p.ValuesBehind(row, column)
	if !ok {
		return ""
	}
	if q := p.Behind[column]; q.Name != "" {
		return savedURL(q, v)
	}
	for name, text := range given {
		v.Set(rowField+name, text)
	}
	return fmt.Sprintf("/report/%s/rows/%d/%s?%s", url.PathEscape(name), p.Number, url.PathEscape(column), v.Encode())
}

// savedURL returns the URL of the page with a saved query's rows, with those values in
// v that the query takes.
func savedURL(q *queries.Query, v url.Values) string {
	path, ok := pagesOf[q.Name]
	if !ok {
		path = "/query/" + url.PathEscape(q.Name)
		takes := q.AllParams()
		for name := range v {
			if v.Get(name) == "" || !slices.ContainsFunc(takes, func(p queries.Param) bool { return p.Name == name }) {
				v.Del(name)
			}
		}
	}
	return path + "?" + v.Encode()
}

// rangeOf returns the time range of report section p as URL fields. A range that ends
// now keeps the user's own words, such as during=7d. With exact times, its links would
// change at each load of the page. own is the section's own range; empty if none.
func (s *span) rangeOf(p *report.Part, own queries.Span) url.Values {
	const stamp = time.RFC3339Nano
	switch {
	case time.Since(p.Period.Until) > time.Minute:
		return url.Values{"since": {p.Period.Since.Format(stamp)}, "until": {p.Period.Until.Format(stamp)}}
	case own != "":
		return url.Values{"during": {string(own)}}
	case s.Since != "":
		return url.Values{"since": {s.Since}}
	}
	return url.Values{"during": {s.During}}
}

// behind is the data of the page that lists the rows counted by a number in a report.
type behind struct {
	Period     string
	Of         []string // common values of the rows, such as "tool Bash"
	Back, Name string   // URL and title of the report
	SQL        template.HTML
	Result     *shown
}

// showRowsBehind returns the page that lists the rows counted by a number in a report.
func showRowsBehind(w http.ResponseWriter, q *request) (*view, error) {
	_, r, err := reportNamed(q.server.Reports, q.PathValue("name"))
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(q.PathValue("section"))
	column := q.PathValue("column")
	if err != nil || n < 1 || n > len(r.Sections) || r.Sections[n-1].Behind[column] == nil {
		return nil, notFound("The report names no rows for that.")
	}
	span, section := q.span(""), &r.Sections[n-1]
	if span.IsWrong() {
		return nil, wrong("That range is none.")
	}
	if isOwn(r) && !q.mayRun() {
		return q.refuseRun(section.Title, "", "", html.Code("sql", section.Behind[column].Body())), nil
	}
	b := &behind{Back: reportURL(r.Name), Name: r.Title}
	st, err := statementBehind(q, b, r, section, column, span.Period)
	if err != nil {
		return nil, err
	}
	b.Result, err = q.result(w, st, q.look(q.path, st.given), nil)
	if b.Result == nil || err != nil {
		return nil, err
	}
	b.Result.SQL = st.address()
	return &view{Title: section.Title + ": " + words.Spaced(column), Template: "behind", Live: true, Data: b}, nil
}

// statementBehind returns the statement that a section declares for the rows behind a
// column's numbers. The URL's fields with the prefix row. are its parameters. The SQL
// of a report written by the user runs in the safe store. statementBehind also fills in
// the period, values and SQL of b.
func statementBehind(q *request, b *behind, r *report.Report, section *report.Section, column string, period report.Period) (*question, error) {
	run, err := q.runOf(r)
	if err != nil {
		return nil, err
	}
	given, values := map[string]string{}, url.Values{}
	for name := range q.given {
		if key, ok := strings.CutPrefix(name, rowField); ok {
			given[key] = q.given.Get(name)
			b.Of = append(b.Of, words.Spaced(key)+" "+given[key])
		}
		if !strings.HasPrefix(name, "_") {
			values[name] = q.given[name]
		}
	}
	slices.Sort(b.Of)
	ctx := engine.Within(q.Context(), r.TimeLimit)
	if period, err = closePeriod(ctx, run, period); err != nil {
		return nil, err
	}
	b.Period = period.String()
	query, args, err := section.RowsBehind(ctx, run, column, period, given)
	if err != nil {
		return nil, wrong(err.Error())
	}
	b.SQL = html.Code("sql", query.SQL)
	return &question{Statement: ask.Statement{SQL: query.TypedSQL(), Args: args, Wrapped: query.CastTexts()}, file: column, ours: !isOwn(r), given: values}, nil
}
