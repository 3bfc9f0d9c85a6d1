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
	"hindsql/internal/result"
	"hindsql/internal/words"
	"hindsql/queries"
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
		to.Prev = l.url(fieldFrom, positive(l.from-pageRows))
	}
	if a.More {
		to.Next = l.url(fieldFrom, positive(l.from+pageRows))
	}
	_, noChart := chart.Read(a.Read(), d.Chart())
	to.tabs(l, noChart == nil)
	hidden := d.costs(a, to)
	to.Body = d.table(ctx, a, hidden)
	return to, nil
}

func positive(n int64) string {
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
	names, filled := make([]string, len(a.Columns)), make([]int, len(a.Columns))
	for i, c := range a.Columns {
		names[i] = c.Name
		for _, row := range a.Rows {
			if row[i] != nil {
				filled[i]++
			}
		}
	}
	hidden, note := queries.Costs(names, filled, len(a.Rows), d.session.Source().Prices())
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
	kept := without(&set, hidden)
	return html.Table(&set, html.TableOptions{By: "result-title", Rows: pageRows, Exact: exact, Link: func(row, column int) string {
		column = kept[column]
		if cut[[2]int{row, column}] {
			return d.look.url(fieldCell, strconv.FormatInt(a.From+int64(row), 10)+"."+strconv.Itoa(column))
		}
		return links(row, column)
	}})
}

// without leaves columns out of a result, and returns the former places of the others.
func without(set *result.Set, hidden []string) (kept []int) {
	var columns []result.Column
	for i, c := range set.Columns {
		if !slices.Contains(hidden, c.Name) {
			kept, columns = append(kept, i), append(columns, c)
		}
	}
	set.Columns = columns
	for n, row := range set.Rows {
		cells := make([]any, len(kept))
		for to, from := range kept {
			cells[to] = row[from]
		}
		set.Rows[n] = cells
	}
	return kept
}

// A cell of a table shows the first lines of a text, up to longestCell characters.
const mostLines, longestCell = 6, 300

// fewLines returns the length in bytes of the part of a text that a table's cell shows:
// at most mostLines lines, and at most most characters.
func fewLines(text string, most int) (end int) {
	end = words.Letters(text, most)
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
				if short := words.CutTo(text, longestCell, fewLines); short != text {
					cells[c], cut[[2]int{r, c}] = short, true
				}
			}
		}
		shown.Rows[r] = cells
	}
	return shown, cut
}
