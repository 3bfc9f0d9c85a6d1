package report

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"hindsql/internal/chart"
	"hindsql/internal/result"
	"hindsql/internal/sqltext"
	"hindsql/internal/words"
	"hindsql/queries"
	"hindsql/queries/conversation"
	"hindsql/queries/html"
)

// Document is a report with its results.
type Document struct {
	Name, Title, Text string
	Period            Period
	// Alert is the result of the report's alert; nil if the report has no alert. If the
	// result has rows, the report alerts.
	Alert    *result.Set
	Parts    []Part
	Envelope Envelope // of a mail
}

// Part is a section with its result.
type Part struct {
	Title, Text string
	Period      Period
	Note        string // sentences on the covered time and other limits; may be empty
	Show        Show
	result.Set
	Before result.Set                // for [Number]: result for the period before; no columns if not compared
	Chart  *chart.Declaration        // declaration of the chart; nil: a rule decides
	Better map[string]html.Tendency  // for [Number], by column
	Empty  string                    // text if the result has no rows; empty for the usual text
	Behind map[string]*queries.Query // as in [Section]
	Number int                       // number of the section, 1-based
	Cards  map[string]string         // for [Diff]: column by part of a card
	Hidden []string                  // columns in JSON and cards, but not in tables
	// Sessions holds the conversations of [Talk].
	Sessions []*conversation.Conversation
	drawn    *chart.Data
}

// Data returns the data of a part's chart.
func (p *Part) Data() (*chart.Data, error) {
	if p.drawn != nil {
		return p.drawn, nil
	}
	d := p.Chart
	if d == nil {
		d = &chart.Declaration{Kind: chart.Kind(p.Show)}
	}
	var err error
	p.drawn, err = chart.Read(p.Set.Read(), d)
	return p.drawn, err
}

// Figures returns the key numbers of a [Number] part.
func (p *Part) Figures() []html.Figure { return html.FiguresOf(&p.Set, &p.Before, p.Better) }

// EmptyText returns the text for a part without rows.
func (p *Part) EmptyText() string { return cmp.Or(p.Empty, "Nothing in this period.") }

// Alerts reports whether the alert's result has rows.
func (d *Document) Alerts() bool { return d.Alert != nil && len(d.Alert.Rows) > 0 }

// FileName returns a dated file name for the document in one of the [Formats]. The name
// includes the time if the period is shorter than a day.
func (d *Document) FileName(format string) string {
	form := time.DateOnly
	if d.Period.Until.Sub(d.Period.Since) < shortestDay {
		form += "-1504"
	}
	return d.Name + "-" + d.Period.Until.Format(form) + formatNamed(format).extensions[0]
}

// shortestDay is the length of a day when the clock is put forward.
const shortestDay = 23 * time.Hour

// Run makes the document of a report for a period.
func Run(ctx context.Context, r *Report, period Period, run queries.Run) (*Document, error) {
	d := &Document{Name: r.Name, Title: r.Title, Text: r.Text, Period: period}
	if r.Alert != "" {
		alert := &Section{Query: alertQuery(r.Alert)}
		rows, err := alert.rows(ctx, period, run)
		if err != nil {
			return nil, fmt.Errorf("report %s: alert: %w", r.Name, err)
		}
		d.Alert = &rows
	}
	for i := range r.Sections {
		if r.Sections[i].Query == nil {
			continue
		}
		p, err := r.Sections[i].run(ctx, period, run)
		if err != nil {
			return nil, fmt.Errorf("report %s: section %d, %s: %w", r.Name, i+1, r.Sections[i].Title, err)
		}
		p.Number = i + 1
		if !r.Sections[i].Optional || len(p.Rows) > 0 {
			d.Parts = append(d.Parts, p)
		}
	}
	return d, nil
}

// alertQuery makes a query from an alert's SQL. The only parameters are since and
// until.
func alertQuery(sql string) *queries.Query {
	q := &queries.Query{Name: "alert", SQL: sql}
	for _, name := range sqltext.Parameters(sql) {
		q.Params = append(q.Params, queries.Param{Name: name, Type: "TIMESTAMPTZ", Default: "NULL"})
	}
	return q
}

func (s *Section) run(ctx context.Context, period Period, run queries.Run) (p Part, err error) {
	if s.Period != "" {
		period.Since = s.Period.Before(period.Until)
	}
	p = Part{Title: s.Title, Text: s.Text, Show: s.Show, Period: period, Chart: s.Chart, Better: s.Better, Cards: s.Cards, Empty: s.Empty, Behind: s.Behind}
	if len(s.Columns) == 0 {
		p.Hidden = s.Query.Hidden
	}
	var args map[string]any
	if p.Set, args, err = s.runQuery(ctx, period, run); err != nil {
		return p, err
	}
	if p.Note, err = s.remarks(ctx, run, args, len(p.Rows)); err != nil {
		return p, err
	}
	if s.Show == Number {
		if err = p.compare(ctx, s, run); err != nil {
			return p, err
		}
	}
	if s.Show.isChart() {
		data, err := p.Data()
		if err != nil {
			return p, err
		}
		if len(p.Rows) > 0 {
			p.Show = Show(data.Kind)
		}
	}
	if s.Show == Talk {
		if err := p.readSessions(ctx, s.Around, run); err != nil {
			return p, err
		}
	}
	return p, p.check()
}

// rows runs the section's query.
func (s *Section) rows(ctx context.Context, period Period, run queries.Run) (result.Set, error) {
	set, _, err := s.runQuery(ctx, period, run)
	return set, err
}

// runQuery runs the section's query, and also returns the parameters' values. Values come
// from the period, the section, or the query's defaults.
func (s *Section) runQuery(ctx context.Context, period Period, run queries.Run) (set result.Set, args map[string]any, err error) {
	given := period.args()
	for name, text := range s.Params {
		given[name] = text
	}
	if s.Show.isChart() {
		given = s.Query.ForChart(given)
	}
	if args, err = s.Query.Bind(ctx, run, given); err != nil {
		return set, nil, err
	}
	if set, err = run(ctx, s.Query.TypedSQL(), args); err == nil && len(s.Columns) > 0 {
		set, err = selectColumns(set, s.Columns)
	}
	return set, args, err
}

// selectColumns returns a result with the named columns, in the order of names.
func selectColumns(set result.Set, names []string) (result.Set, error) {
	var places []int
	for _, name := range names {
		at := slices.IndexFunc(set.Columns, func(c result.Column) bool { return strings.EqualFold(c.Name, name) })
		if at < 0 {
			return result.Set{}, fmt.Errorf("columns: no column %q in the result", name)
		}
		places = append(places, at)
	}
	return set.Pick(places), nil
}

// compare fills in the numbers of the period before, and adds a note that names it. If
// that period begins before the oldest message, part of its logs may be gone, and a
// change would mislead: then compare only adds a note.
func (p *Part) compare(ctx context.Context, s *Section, run queries.Run) error {
	before := p.Period.Previous()
	oldest, err := oldest(ctx, run)
	if err != nil {
		return err
	}
	switch {
	case oldest.IsZero() || !oldest.Before(p.Period.Since): // there is nothing to compare with
		return nil
	case before.Since.Before(oldest):
		p.addNote("Not compared with the time before: the oldest message is of " + words.Moment(oldest) + ".")
		return nil
	}
	p.addNote("Compared with " + before.String() + ".")
	p.Before, err = s.rows(ctx, before, run)
	return err
}

// addNote adds a sentence to the note.
func (p *Part) addNote(sentence string) { p.Note = strings.TrimSpace(p.Note + " " + sentence) }

// oldest returns the time of the oldest message; zero if there is none.
func oldest(ctx context.Context, run queries.Run) (at time.Time, err error) {
	set, err := run(ctx, "SELECT min(timestamp) FROM messages", nil)
	if err == nil && len(set.Rows) == 1 {
		at, _ = set.Rows[0][0].(time.Time)
	}
	return at, err
}

// remarks returns notes to print beside a section's rows, in sentences: which time they
// cover, which given values match nothing, and how many rows there are if the query's
// limit cut some off.
func (s *Section) remarks(ctx context.Context, run queries.Run, args map[string]any, rows int) (string, error) {
	list := []string{s.periodNote()}
	given := map[string]any{}
	for name, text := range s.Params {
		given[name] = text
	}
	doubts, err := s.Query.Doubts(ctx, run, given, args)
	if err != nil {
		return "", err
	}
	for _, d := range doubts {
		list = append(list, words.Sentence(d.Text))
	}
	of, err := s.cutNote(ctx, run, args, rows)
	return strings.TrimSpace(strings.Join(append(list, of), " ")), err
}

// cutNote returns a note such as "20 of 63 projects." if the query's limit cut rows off;
// otherwise empty.
func (s *Section) cutNote(ctx context.Context, run queries.Run, args map[string]any, rows int) (string, error) {
	if s.Query.Total && rows > 0 {
		rows--
	}
	of := s.Query.Uncut(ctx, run, args, int64(rows))
	if of <= int64(rows) {
		return "", ctx.Err()
	}
	return words.Int(rows) + " of " + words.Quantity(of, cmp.Or(s.Query.Row, "row")) + ".", nil
}

// periodNote returns which time the rows cover, if it isn't the report's period: the
// query may have no start or end, or the section a period of its own. Otherwise it is
// empty.
func (s *Section) periodNote() string {
	switch since, until := s.Query.Param("since"), s.Query.Param("until"); {
	case since == nil && until == nil:
		return "Not of this period only: all that is known."
	case until == nil:
		return "Up to now: the query knows no end of the period."
	case since == nil:
		return "From the beginning: the query knows no start of the period."
	case s.Period != "":
		return "The last " + s.Period.Words() + "."
	}
	return ""
}
