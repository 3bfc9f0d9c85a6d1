package web

import (
	"bytes"
	"context"
	"fmt"
	"html/template"
	"slices"
	"time"

	"hindsql/internal/words"
	"hindsql/queries/conversation"
	"hindsql/queries/html"
	"hindsql/queries/report"
)

// strip is a bar on a session's page that stands for the whole session, with marks for
// its important events.
type strip struct {
	Marks        []stripMark
	Here, Length float64 // start and length of the part on the page, in thousandths of the session
	Told         []stripList
	Words        string        // number of messages
	Legend       []stripLegend // the kinds of marks on the strip
	Before       string        // URL of the last refusal before the page; empty if there is none
	After        string        // URL of the first refusal after the page; empty if there is none
}

// stripLegend explains the marks of a kind.
type stripLegend struct{ Kind, Words string }

// stripMark is the mark of an event. At is its place, in thousandths of the session.
type stripMark struct {
	Kind, URL, Words string
	At               float64
	Top, Height      int
}

// stripList lists the marks of one kind as links, for people who don't see the strip.
type stripList struct {
	Name  string
	Marks []stripMark
}

// stripKinds lists the kinds of marks on the strip, with singular and plural names. The
// marks of a kind cover the marks of kinds earlier in the list.
var stripKinds = []struct {
	kind        conversation.MarkKind
	name, names string
	top, height int
	listed      bool
}{
	{conversation.MarkPrompt, "prompt", "prompts", 0, 8, false},
	{conversation.MarkError, "error", "errors", 24, 6, false},
	{conversation.MarkSkipped, "skipped or lost call", "skipped or lost calls", 18, 12, false},
	{conversation.MarkDenied, "denied call", "denied calls", 10, 20, true},
	{conversation.MarkCompaction, "compaction", "compactions", 0, 30, true},
	{conversation.MarkClear, "clear", "clears", 0, 30, true},
	{conversation.MarkStop, "stop", "stops", 10, 20, true},
	{conversation.MarkRefused, "refusal", "refusals", 10, 20, true},
}

func stripOf(w *conversation.Window, marks []conversation.Mark) (s strip) {
	all := float64(w.Last-w.First) + 1
	if w.Last < 0 {
		return s
	}
	place := func(index int64) float64 { return min(max(float64(index-w.First)/all*1000, 0), 997) }
	s.Here, s.Length = place(w.From), max(4, min(float64(w.To-w.From)/all*1000, 1000-place(w.From)))
	for _, k := range stripKinds {
		list := stripList{Name: k.names}
		for _, m := range marks {
			if !slices.Contains(m.Kinds, k.kind) {
				continue
			}
			list.Marks = append(list.Marks, stripMark{
				Kind: string(k.kind), URL: sessionURL(w.Agent, w.ID, max(m.Index, 0)), Words: fmt.Sprintf("%s at :%d", k.name, m.Index),
				At: place(m.Index), Top: k.top, Height: k.height,
			})
		}
		s.Marks = append(s.Marks, list.Marks...)
		n := len(list.Marks)
		if n == 1 {
			list.Name = k.name
		}
		if n > 0 {
			s.Legend = append(s.Legend, stripLegend{string(k.kind), words.Int(int64(n)) + " " + list.Name})
		}
		if k.listed && len(list.Marks) > 0 {
			s.Told = append(s.Told, list)
		}
	}
	s.Words = words.Quantity(w.Last-w.First+1, "message")
	s.Before, s.After = refusalsBeside(w, marks)
	return s
}

// refusalsBeside returns the URLs of the last refusal before a page, and of the first
// after it.
func refusalsBeside(w *conversation.Window, marks []conversation.Mark) (before, after string) {
	for _, m := range marks {
		if !slices.Contains(m.Kinds, conversation.MarkRefused) {
			continue
		}
		if m.Index < w.From {
			before = sessionURL(w.Agent, w.ID, max(m.Index, 0))
		} else if m.Index >= w.To && after == "" {
			after = sessionURL(w.Agent, w.ID, m.Index)
		}
	}
	return before, after
}

// glance holds the parts of the first page besides the report's sections.
type glance struct {
	days  []html.Day // all days with messages, ascending
	today time.Time
	isNew bool // no log was ever loaded
	cards int  // number of the section drawn as cards; 0 if no section is
}

// daysSQL counts messages by day. It counts quarters of hours first: whole numbers group
// fast, and in every time zone a day begins with a quarter.
const daysSQL = `WITH quarters AS (
	SELECT epoch_us(timestamp) // 900_000_000 AS quarter, count(*) AS n FROM messages WHERE timestamp IS NOT NULL GROUP BY ALL
)
SELECT local_day(make_timestamptz(quarter * 900_000_000)) AS day, CAST(sum(n) AS BIGINT) AS messages, local_day(now()) AS today
FROM quarters GROUP BY ALL ORDER BY day`

// glance reads the days with messages.
func (q *request) glance() (*glance, error) {
	set, err := q.run(q.Context(), daysSQL, nil)
	g := &glance{}
	for _, row := range set.Rows {
		day, _ := row[0].(time.Time)
		n, _ := row[1].(int64)
		g.today, _ = row[2].(time.Time)
		g.days = append(g.days, html.Day{Time: day, Rows: n})
	}
	if err == nil && len(g.days) == 0 {
		g.isNew, err = q.session.IsEmpty(q.Context())
	}
	return g, err
}

// dayOf returns a moment's day, as midnight in UTC.
func dayOf(at time.Time) time.Time {
	return time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, time.UTC)
}

// isEmpty reports whether a period has no messages.
func (g *glance) isEmpty(p report.Period) bool {
	first, last := dayOf(p.Since), dayOf(p.Until.Add(-1))
	return !slices.ContainsFunc(g.days, func(d html.Day) bool { return !d.Before(first) && !d.After(last) })
}

// year returns the year for a period. It ends today: a year that followed the period
// would move away below the pointer that chose a day. For an older period, the year ends
// with the period.
func (g *glance) year(p report.Period) *html.Year {
	y := &html.Year{ID: "year", Noun: "message", Days: g.days, Last: g.today, Known: g.days[0].Time, Link: dayURL}
	if last := dayOf(p.Until.Add(-1)); last.Before(y.First()) {
		y.Last = last
	}
	if day := dayOf(p.Since); report.IsMidnight(p.Since) && !p.Until.After(p.Since.AddDate(0, 0, 1)) {
		y.Here = day
	}
	return y
}

func dayURL(day time.Time) string { return addressOf("/", nil, "during", day.Format(time.DateOnly)) }

// part returns the year as a part of the page.
func (g *glance) part(p report.Period) part {
	y := g.year(p)
	shown := y.Shown()
	text := words.Quantity(int64(len(shown)), "day") + " with messages, " + y.First().Format(time.DateOnly) + " to " + y.Last.Format(time.DateOnly) + ". Each leads to its own figures."
	return part{Part: &report.Part{Title: "A year of days", Text: text}, Body: y.HTML(), Wide: true}
}

// join puts the year below the figures, and the newest refusals on cards in the place
// of the section that briefReport left out. If the period has no messages, join names
// the newest day with messages.
func (g *glance) join(ctx context.Context, q *request, o *overview, r *report.Report, period report.Period) error {
	if len(g.days) == 0 {
		return nil
	}
	at := 0
	if len(o.Parts) > 0 && o.Parts[0].Show == report.Number {
		at = 1
	}
	o.Parts = slices.Insert(o.Parts, at, g.part(period))
	if g.isEmpty(period) {
		day := g.days[len(g.days)-1].Time
		o.Newest = &place{URL: dayURL(day), Name: day.Format(time.DateOnly)}
		return nil
	}
	if g.cards == 0 {
		return nil
	}
	p, err := q.newestRefused(ctx, o, &r.Sections[g.cards-1], period)
	if err == nil && p != nil {
		at := slices.IndexFunc(o.Parts, func(p part) bool { return p.ID > g.cards })
		if at < 0 {
			at = len(o.Parts)
		}
		p.ID = g.cards
		o.Parts = slices.Insert(o.Parts, at, *p)
	}
	return err
}

// firstSections lists the sections of the built-in report that the first page shows, by
// title. The others are on the report's own page: each costs time, and pushes the next
// one off the screen.
var firstSections = []string{"In short", "What you refused", "When you worked", "Projects", "Sessions", "Prompts over time", "What to do"}

// briefReport returns a built-in report for the first page. Besides sections that aren't for
// this page, it leaves out that of refusals, which become cards, and in a period without
// messages all sections without a period of their own.
func (g *glance) briefReport(r *report.Report, p report.Period) *report.Report {
	own, isEmpty := *r, g.isEmpty(p)
	own.Sections = slices.Clone(r.Sections)
	for i := range own.Sections {
		s := &own.Sections[i]
		switch q := s.Query; {
		case !slices.Contains(firstSections, s.Title), isEmpty && s.Period == "" && s.Show != report.Number:
			s.Query = nil
		case q.Name == "rejections":
			g.cards, s.Query = i+1, nil
		}
	}
	return &own
}

// cardsShown is the number of refusals on the first page.
const cardsShown = 5

// cards is the data of the newest refusals on the first page.
type cards struct {
	Refused []refusal
	All     string // URL of all refusals of the period
}

// newestRefused returns the newest refusals of a period as on the page of refusals, but
// brief. It returns nil if nothing was refused.
func (q *request) newestRefused(ctx context.Context, o *overview, s *report.Section, period report.Period) (*part, error) {
	list, err := q.events().refusals(ctx, map[string]any{"since": period.Since, "until": period.Until}, 0, cardsShown)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	for i := range list {
		list[i].cutTexts()
	}
	p := &part{Part: &report.Part{Title: s.Title, Period: period}, Wide: true}
	if len(list) == cardsShown {
		p.Text = "The newest five."
	}
	var b bytes.Buffer
	err = parsed().ExecuteTemplate(&b, "newest", cards{list, addressOf("/refusals", o.Span.rangeOf(p.Part, ""))})
	p.Body = template.HTML(b.String()) //nolint:gosec // from hindsql's own template
	return p, err
}
