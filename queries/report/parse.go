package report

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"hindsql/internal/chart"
	"hindsql/internal/lists"
	"hindsql/internal/sqltext"
	"hindsql/queries"
	"hindsql/queries/html"
)

// file is the content of a report's file.
type file struct {
	Title    string        `toml:"title"`
	Text     string        `toml:"text"`
	Period   string        `toml:"period"`
	Schedule string        `toml:"schedule"`
	Keep     int           `toml:"keep"`
	Notify   string        `toml:"notify"`
	Alert    string        `toml:"alert"`
	Redact   bool          `toml:"redact"`
	Time     string        `toml:"time_limit"`
	Sections []sectionFile `toml:"section"`
}

// sectionFile is a section of a report's file.
type sectionFile struct {
	Title  string         `toml:"title"`
	Text   string         `toml:"text"`
	Query  string         `toml:"query"`
	SQL    string         `toml:"sql"`
	Params map[string]any `toml:"params"`
	Show   Show           `toml:"show"`
	Period string         `toml:"period"`

	Chart    string                   `toml:"chart"`
	Columns  []string                 `toml:"columns"`
	Better   map[string]html.Tendency `toml:"better"`
	Empty    string                   `toml:"empty"`
	Cards    map[string]string        `toml:"cards"`
	Around   *int                     `toml:"around"`
	Optional bool                     `toml:"optional"`
	Rows     map[string]string        `toml:"rows"`
}

// The keys of a file, for messages.
const (
	reportKeys  = "title, text, period, schedule, keep, notify, alert, redact, time_limit, section"
	sectionKeys = "title, text, query, sql, params, show, chart, columns, better, cards, around, period, empty, optional, rows"
)

// Parse reads a report's file. name is the file's name without .toml. saved lists the
// queries that sections may name. An error begins with a line number and a colon.
func Parse(name, text string, saved []*queries.Query) (*Report, error) {
	p := &parser{name: name, text: text, saved: saved}
	f := p.decode()
	if !queries.IsName(name) {
		p.fail(1, `the file is called %q; a report's name is small letters, digits and "-"`, name)
	}
	r := &Report{
		Name: name, Source: text, Title: f.Title, Text: strings.TrimSpace(f.Text), Schedule: f.Schedule,
		Keep: f.Keep, Notify: f.Notify, Alert: strings.TrimSpace(f.Alert), Redact: f.Redact,
	}
	r.TimeLimit = p.timeLimit(f.Time)
	r.Period = p.span(0, cmp.Or(f.Period, "7d"))
	switch {
	case f.Title == "":
		p.fail(1, "no title")
	case len(f.Sections) == 0:
		p.fail(1, "no [[section]]")
	case f.Keep < 0:
		p.fail(p.lineOf(0, "keep"), "keep is the number of files, 0 for all")
	}
	for _, name := range sqltext.Parameters(r.Alert) {
		if !isPeriod(name) {
			p.fail(p.lineOf(0, "alert"), "alert: $%s is unknown; it may name $since and $until", name)
		}
	}
	for i, w := range f.Sections {
		r.Sections = append(r.Sections, p.section(i+1, w))
	}
	if p.err != nil {
		return nil, p.err
	}
	return r, nil
}

// parser reads one file and keeps the first error.
type parser struct {
	name  string // name of the report
	text  string
	saved []*queries.Query
	err   error
}

func (p *parser) fail(line int, format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("%d: %s", line, fmt.Sprintf(format, args...))
	}
}

func (p *parser) decode() (f file) {
	meta, err := toml.Decode(p.text, &f)
	var wrong toml.ParseError
	switch {
	case errors.As(err, &wrong):
		p.fail(wrong.Position.Line, "%s", cmp.Or(wrong.Message, err.Error()))
		return f
	case err != nil:
		p.fail(1, "%s", strings.TrimPrefix(err.Error(), "toml: "))
		return f
	}
	for _, key := range meta.Undecoded() {
		switch {
		case key[0] == "section" && len(key) > 1:
			p.unknownInSection(key[1])
		default:
			p.fail(p.lineOf(0, key[0]), "unknown key %q; the keys are %s", key[0], reportKeys)
		}
	}
	return f
}

// unknownInSection finds the sections with an unknown key, because the library doesn't
// name the section.
func (p *parser) unknownInSection(key string) {
	var all struct {
		Sections []map[string]any `toml:"section"`
	}
	_, err := toml.Decode(p.text, &all)
	for i, keys := range all.Sections {
		if _, ok := keys[key]; ok || err != nil {
			p.fail(p.lineOf(i+1, key), "unknown key %q; the keys of a section are %s", key, sectionKeys)
		}
	}
}

// lineOf returns the line of a key in the n-th section, counted from 1. Section 0 is the
// part before the sections. If the key isn't found, lineOf returns the section's
// first line.
func (p *parser) lineOf(section int, key string) int {
	current, line, found := 0, 0, 1
	for text := range strings.Lines(p.text) {
		line++
		text = strings.TrimSpace(text)
		if strings.HasPrefix(text, "[[") {
			if current++; current == section {
				found = line
			}
		}
		before, _, ok := strings.Cut(text, "=")
		if ok && current == section && strings.TrimSpace(before) == key {
			return line
		}
	}
	return found
}

func (p *parser) span(section int, text string) queries.Span {
	s, err := queries.ParseSpan(text)
	switch {
	case err != nil:
		p.fail(p.lineOf(section, "period"), "period: %v", err)
	case s.IsZero():
		p.fail(p.lineOf(section, "period"), "period: %q has no length", text)
	}
	return s
}

// timeLimit reads a length of time such as 90s, 10m or 1h30m.
func (p *parser) timeLimit(text string) time.Duration {
	if text == "" {
		return TimeLimit
	}
	limit, err := time.ParseDuration(text)
	if err != nil || limit <= 0 {
		p.fail(p.lineOf(0, "time_limit"), "time_limit: %q is no length of time; write it as 90s, 10m or 1h30m", text)
	}
	return limit
}

func (p *parser) section(n int, w sectionFile) Section {
	s := Section{
		Title: w.Title, Text: strings.TrimSpace(w.Text), Show: cmp.Or(w.Show, Table), Params: map[string]string{},
		Columns: w.Columns, Better: w.Better, Empty: w.Empty, Optional: w.Optional,
		Behind: p.parseDrilldowns(n, w),
	}
	if w.Title == "" {
		p.fail(p.lineOf(n, "title"), "the section has no title")
	}
	if w.Period != "" {
		s.Period = p.span(n, w.Period)
	}
	switch {
	case s.Show == "hist":
		p.fail(p.lineOf(n, "show"), `show = "hist"; write chart = "bar value=COLUMN ranges=1,10,100", with the ends of ranges of your own`)
	case !slices.Contains(shows(), s.Show):
		p.fail(p.lineOf(n, "show"), "show = %q; it is one of %s", s.Show, list(shows()))
	}
	switch {
	case (w.Query == "") == (w.SQL == ""):
		p.fail(p.lineOf(n, "query"), "the section %q needs either query, the name of a saved one, or sql", w.Title)
	case w.Query != "":
		s.Query = p.savedQuery(n, w)
	default:
		s.Query = p.ownQuery(n, w)
	}
	p.chart(n, w, &s)
	p.parseCards(n, w, &s)
	for name, v := range w.Params {
		text, _, err := valueOf(v)
		if err != nil {
			p.fail(p.lineOf(n, "params"), "params: %s: %v", name, err)
		}
		s.Params[name] = text
	}
	return s
}

// chart decides the content of a section's chart: the section's declaration, otherwise
// the query's if the kind fits, otherwise a rule decides.
func (p *parser) chart(n int, w sectionFile, s *Section) {
	for column, way := range w.Better {
		if way != html.Less && way != html.More || s.Show != Number {
			p.fail(p.lineOf(n, "better"), `better: %s = %q; write less or more, in a section with show = "number"`, column, way)
		}
	}
	if w.Chart != "" {
		own, err := chart.Parse(w.Chart)
		if err != nil {
			p.fail(p.lineOf(n, "chart"), "%v", err)
			return
		}
		own.Place = fmt.Sprintf("%s.toml:%d", p.name, p.lineOf(n, "chart"))
		if s.Chart = own; w.Show == "" || w.Show == Chart {
			s.Show = Chart
		} else if w.Show != Show(own.Kind) {
			p.fail(p.lineOf(n, "show"), "show = %q, and the chart is a %s; leave out show", w.Show, own.Kind)
		}
		return
	}
	if !s.Show.isChart() {
		return
	}
	if s.Query != nil && s.Query.Chart != nil && (s.Show == Chart || s.Show == Show(s.Query.Chart.Kind)) {
		s.Chart = s.Query.Chart
		return
	}
	s.Chart = &chart.Declaration{}
	if told := chart.OfSQL(w.SQL); told != nil && len(w.Columns) == 0 {
		s.Chart.Sums = told.Sums
	}
	if s.Show != Chart {
		s.Chart.Kind = chart.Kind(s.Show)
	}
}

func list(all []Show) string {
	return lists.Join(all, ", ", func(s Show) string { return string(s) })
}
