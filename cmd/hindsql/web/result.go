package web

import (
	"context"
	"html/template"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"hindsql/cmd/hindsql/ask"
	"hindsql/engine"
	"hindsql/internal/chart"
	"hindsql/internal/lists"
	"hindsql/internal/result"
	"hindsql/internal/words"
	"hindsql/queries"
	"hindsql/queries/conversation"
	"hindsql/queries/html"
)

// The fields of a URL that say how a page shows a result. No parameter of a saved query
// begins with an underscore, so the names don't collide.
const (
	fieldShow = "_show" // table or chart
	fieldFrom = "_from" // number of rows before the page's first row
	fieldCell = "_cell" // ROW.COLUMN: the whole text of one cell
)

// shown is a result in the form of a page.
type shown struct {
	Body       template.HTML
	Tabs       []place
	Count      string // number of rows
	All        string // URL of all rows, if a limit left some out
	Took       string
	Synced     time.Time
	Prev, Next string // URLs of the previous and the next page; empty if none
	Downloads  []place
	Notes      []string
	SQL        string // URL of the statement's own page; empty on that page
}

// LongTexts reports whether the page shows a cell on one line that may not hold it.
func (s *shown) LongTexts() bool {
	return strings.Contains(string(s.Body), `class="long"`) || strings.Contains(string(s.Body), `class="mid"`)
}

// look says how a page shall show a result.
type look struct {
	path   string // path of the page
	chart  bool
	from   int64
	values url.Values // URL fields with the statement and its parameters
}

// url returns the page's URL with additional fields, given as pairs of a name and a
// value.
func (l *look) url(more ...string) string { return addressOf(l.path, l.values, more...) }

// addressOf returns a path with fields. more has pairs of a name and a value; pairs
// with an empty value are left out.
func addressOf(path string, values url.Values, more ...string) string {
	all := url.Values{}
	for name, list := range values {
		all[name] = list
	}
	for i := 0; i+1 < len(more); i += 2 {
		if more[i+1] != "" {
			all.Set(more[i], more[i+1])
		}
	}
	if len(all) == 0 {
		return path
	}
	return path + "?" + all.Encode()
}

// drawing renders the result of a question as a table or a chart.
type drawing struct {
	*question
	session *ask.Session // session that answers the question
	look    look
	run     queries.Run // runs hindsql's own SQL, over all rows
}

// show runs the statement, and returns its result in the form of a page.
func (d *drawing) show(ctx context.Context) (*shown, error) {
	if d.look.chart {
		return d.chart(ctx)
	}
	l := d.look
	a, err := d.rows(ctx, d.session, l.from, pageRows)
	if err != nil {
		return nil, err
	}
	to := &shown{Took: words.Duration(a.Took), Synced: a.Synced}
	d.count(ctx, a, to)
	if l.from > 0 {
		to.Prev = l.url(fieldFrom, countText(l.from-pageRows))
	}
	if a.More {
		to.Next = l.url(fieldFrom, countText(l.from+pageRows))
	}
	_, noChart := chart.Read(a.Read(), d.Chart())
	to.tabs(l, noChart == nil)
	hidden := d.costs(a, to)
	to.Body = d.table(ctx, a, hidden)
	return to, nil
}

func countText(n int64) string {
	if n <= 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// tabs sets the tabs for a table and a chart.
func (to *shown) tabs(l look, drawable bool) {
	if drawable || l.chart {
		to.Tabs = []place{{l.url(), "Table", !l.chart}, {l.url(fieldShow, "chart"), "Chart", l.chart}}
	}
}

// chart draws a result.
func (d *drawing) chart(ctx context.Context) (*shown, error) {
	a, err := d.rows(ctx, d.session, 0, drawnRows)
	if err != nil {
		return nil, err
	}
	to := &shown{Took: words.Duration(a.Took), Synced: a.Synced, Count: rowsText(int64(len(a.Rows)), "")}
	to.tabs(d.look, true)
	if a.More {
		to.Notes = append(to.Notes, "The chart is of the first "+words.Int(drawnRows)+" rows.")
	}
	if len(a.Rows) == 0 {
		return to, nil
	}
	data, err := chart.Read(a.Read(), d.Chart())
	if err != nil {
		return nil, wrong(err.Error())
	}
	to.Body, err = html.Chart(&a.Set, data, html.ChartOptions{ID: "chart", Title: d.file, Whole: true, TableOptions: html.TableOptions{By: "result-title"}})
	return to, err
}

// count sets the number of rows, or the range of rows on the page.
func (d *drawing) count(ctx context.Context, a *answer, to *shown) {
	n, noun := int64(len(a.Rows)), ""
	if d.Saved != nil {
		noun = d.Saved.Row
	}
	if a.From == 0 && !a.More {
		to.Count = rowsText(n, noun)
		d.countUncut(ctx, n, to)
		return
	}
	which := "no rows from " + words.Int(a.From+1) + " on"
	if n > 0 {
		which = "rows " + words.Int(a.From+1) + " to " + words.Int(a.From+n)
	}
	switch total := d.total(ctx, d.session); {
	case total >= 0:
		to.Count = which + " of " + words.Int(total)
	case a.More:
		to.Count = which + ", and more"
	default:
		to.Count = which
	}
}

// countUncut adds the number of rows that a saved query would have without its limit.
func (d *drawing) countUncut(ctx context.Context, n int64, to *shown) {
	if d.Saved == nil {
		return
	}
	if d.Saved.Total && n > 0 {
		n--
	}
	to.Count = rowsText(n, d.Saved.Row)
	if total := d.session.Uncut(engine.Within(ctx, patience), d.Statement, n); total > n {
		to.Count = words.Int(n) + " of " + rowsText(total, d.Saved.Row)
		to.All = addressOf("/query/"+d.Saved.Name, d.given, "top", "0")
	}
}

// costs returns the names of the columns of costs without a value in a saved query's
// result, and adds the note about costs.
func (d *drawing) costs(a *answer, to *shown) []string {
	if d.Saved == nil {
		return nil
	}
	filled := make([]int, len(a.Columns))
	for i := range a.Columns {
		for _, row := range a.Rows {
			if row[i] != nil {
				filled[i]++
			}
		}
	}
	hidden, note := queries.Costs(result.Names(a.Columns), filled, len(a.Rows), d.session.Source().Prices())
	if note != "" {
		to.Notes = append(to.Notes, note)
	}
	return hidden
}

// table renders a page of a result, without the hidden columns.
func (d *drawing) table(ctx context.Context, a *answer, hidden []string) template.HTML {
	if len(a.Columns) == 0 || len(a.Rows) == 0 {
		return ""
	}
	exact := d.Saved == nil // whoever typed the SQL knows the columns' names and wants exact values
	links := d.links(ctx, a)
	set, cut := cutCells(a.Set)
	var kept []int // places of the columns that aren't hidden
	for i, c := range set.Columns {
		if !slices.Contains(hidden, c.Name) {
			kept = append(kept, i)
		}
	}
	set = set.Pick(kept)
	return html.Table(&set, html.TableOptions{By: "result-title", Rows: pageRows, Exact: exact, Link: func(row, column int) string {
		column = kept[column]
		if cut[[2]int{row, column}] {
			return d.look.url(fieldCell, strconv.FormatInt(a.From+int64(row), 10)+"."+strconv.Itoa(column))
		}
		return links(row, column)
	}})
}

// links returns a function that returns the URL of a cell's link, or "". A session id,
// with or without the index of a message, links to the session's page. In the query
// rejections, the id of a refused call links to the call's page.
func (d *drawing) links(ctx context.Context, a *answer) func(row, column int) string {
	at := func(name string) int {
		return slices.IndexFunc(a.Columns, func(c result.Column) bool { return c.Name == name })
	}
	agent, session, call := at("agent"), at("session_id"), at("tool_use_id")
	isID := lists.Map(a.Columns, html.IsID)
	var agents map[string]string
	if agent < 0 && slices.Contains(isID, true) {
		agents = d.agentsOf(ctx, a, isID)
	}
	agentOf := func(row []any, id string) string {
		if agent >= 0 {
			return textOf(row[agent])
		}
		return agents[id]
	}
	refusals := d.file == "rejections" && agent >= 0 && session >= 0
	return func(row, column int) string {
		values := a.Rows[row]
		text := textOf(values[column])
		if refusals && column == call && text != "" {
			return refusalURL(textOf(values[agent]), textOf(values[session]), text)
		}
		if !isID[column] || text == "" {
			return ""
		}
		id, message := conversation.Split(text)
		if of := agentOf(values, id); of != "" {
			return sessionURL(of, id, message)
		}
		return ""
	}
}

func textOf(v any) string {
	s, _ := v.(string)
	return s
}

// agentsOf returns the agent of each session id in a result. It leaves out ids that
// sessions of two agents share.
func (d *drawing) agentsOf(ctx context.Context, a *answer, isID []bool) map[string]string {
	var ids []string
	for _, row := range a.Rows {
		for i, v := range row {
			if isID[i] {
				if id, _ := conversation.Split(textOf(v)); id != "" {
					ids = append(ids, id)
				}
			}
		}
	}
	slices.Sort(ids)
	agents := map[string]string{}
	set, err := d.run(ctx, `SELECT session_id, any_value(agent) FROM sessions WHERE session_id IN (SELECT unnest(string_split($ids, chr(10))))
		GROUP BY session_id HAVING count(DISTINCT agent) = 1`, map[string]any{"ids": strings.Join(slices.Compact(ids), "\n")})
	if err != nil {
		return agents // links are optional; the rows are the answer
	}
	for _, row := range set.Rows {
		agents[textOf(row[0])] = textOf(row[1])
	}
	return agents
}

// A cell of a table shows the first lines of a text, up to longestCell characters.
const mostLines, longestCell = 6, 300

// linesEnd returns the length in bytes of the part of a text that a table's cell shows:
// at most mostLines lines, and at most limit characters.
func linesEnd(text string, limit int) (end int) {
	end = words.Letters(text, limit)
	at := -1
	for range mostLines {
		next := strings.IndexByte(text[at+1:end], '\n')
		if next < 0 {
			return end
		}
		at += 1 + next
	}
	return at
}

// cutCells returns a copy of a result with long texts shortened, and the row and column
// of each shortened cell.
func cutCells(set result.Set) (result.Set, map[[2]int]bool) {
	cut := map[[2]int]bool{}
	shown := result.Set{Columns: set.Columns, Rows: make([][]any, len(set.Rows))}
	for r, row := range set.Rows {
		cells := slices.Clone(row)
		for c, v := range row {
			if text, ok := v.(string); ok {
				if short := words.CutTo(text, longestCell, linesEnd); short != text {
					cells[c], cut[[2]int{r, c}] = short, true
				}
			}
		}
		shown.Rows[r] = cells
	}
	return shown, cut
}
