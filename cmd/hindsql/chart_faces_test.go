package main

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"hindsql/cmd/hindsql/term"
	"hindsql/internal/chart"
	"hindsql/internal/result"
	"hindsql/queries/html"
	"hindsql/queries/report"
)

// dot is a point as a face draws it: its time as a portion of the axis, and its number.
type dot struct{ at, number float64 }

// series is rows and what a chart of them shows.
type series struct {
	declared, title string
	rows            [][]any // day, n, weight
	want            map[string]float64
	order           []string // of want
}

// dayRows makes rows of consecutive days from 2025-06-02, a Monday. Days of which n is
// negative have no row.
func dayRows(days int, n func(i int) float64) (rows [][]any) {
	for i := range days {
		if f := n(i); f >= 0 {
			rows = append(rows, []any{time.Date(2025, 6, 2+i, 0, 0, 0, 0, time.UTC), f, int64(i%5 + 1)})
		}
	}
	return rows
}

// joined makes the points of rows by the beginning of their step.
func (s *series) joined(step string, weighted bool) *series {
	weights := map[string]float64{}
	s.want = map[string]float64{}
	for _, row := range s.rows {
		at, n, w := row[0].(time.Time), row[1].(float64), 1.0
		switch step {
		case "week":
			at = at.AddDate(0, 0, -(int(at.Weekday())+6)%7)
		case "month":
			at = at.AddDate(0, 0, 1-at.Day())
		}
		if weighted {
			w = float64(row[2].(int64))
		}
		key := at.Format(time.DateOnly)
		if _, ok := s.want[key]; !ok {
			s.order = append(s.order, key)
		}
		s.want[key] += n * w
		weights[key] += w
	}
	for key := range s.want {
		if weighted {
			s.want[key] /= weights[key]
		}
	}
	return s
}

// dots returns the wanted points, with times from 0 to 1.
func (s *series) dots(t *testing.T) (all []dot) {
	t.Helper()
	at := func(i int) float64 {
		day, err := time.Parse(time.DateOnly, s.order[i])
		if err != nil {
			t.Fatal(err)
		}
		return float64(day.Unix())
	}
	first, last := at(0), at(len(s.order)-1)
	for i, key := range s.order {
		all = append(all, dot{(at(i) - first) / (last - first), s.want[key]})
	}
	return all
}

func allSeries() map[string]*series {
	wave := func(i int) float64 { return float64(1000 + i*137%900 + i%7*400) }
	newest := &series{declared: "line label=day value=n", title: "n, newest 62 of 90 days", rows: dayRows(90, wave)[28:]}
	newest.joined("day", false).rows = dayRows(90, wave)
	holes := func(without float64) [][]any {
		return dayRows(40, func(i int) float64 {
			if i%6 == 2 {
				return without
			}
			return wave(i)
		})
	}
	zeros := &series{declared: "line label=day value=n:count", title: "n a day", rows: holes(0)}
	zeros.joined("day", false).rows = holes(-1)
	return map[string]*series{
		"90 days":   (&series{declared: "line label=day value=n:count unit=tokens", title: "n tokens a week", rows: dayRows(90, wave)}).joined("week", false),
		"17 months": (&series{declared: "line label=day value=n:count", title: "n a month", rows: dayRows(520, wave)}).joined("month", false),
		"40 days":   zeros,
		"a mean":    newest,
		"a rate":    (&series{declared: "line label=day value=n weight=weight", title: "n, mean of a week", rows: dayRows(90, wave)}).joined("week", true),
	}
}

// TestFacesDrawTheSamePoints reads the points back from the drawings of the terminal, the
// page and the report, and compares them with sums made here.
func TestFacesDrawTheSamePoints(t *testing.T) {
	columns := result.Columns("day DATE", "n DOUBLE", "weight BIGINT")
	for name, s := range allSeries() {
		declared, err := chart.Parse(s.declared)
		if err != nil {
			t.Fatal(err)
		}
		set, want := result.Set{Columns: columns, Rows: s.rows}, s.dots(t)
		for _, width := range []int{80, 120} {
			title, plot := plotted(t, &set, declared, width)
			if title != s.title {
				t.Errorf("%s: the terminal's title is %q, want %q", name, title, s.title)
			}
			plot.check(t, fmt.Sprintf("%s, %d columns", name, width), want)
		}
		data, err := chart.Read(set.Read(), declared)
		if err != nil {
			t.Fatal(err)
		}
		page, err := html.Chart(&set, data, html.ChartOptions{ID: "c1", Title: name})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(page), "<span>"+s.title+"</span>") {
			t.Errorf("%s: the page lacks the title %q: %.200s", name, s.title, page)
		}
		onPage(t, string(page), "wide").check(t, name+", page", want)
		onPage(t, string(page), "narrow").check(t, name+", phone", want)
		d := report.Document{Parts: []report.Part{{Title: name, Show: report.Line, Set: set, Chart: declared}}}
		checkReport(t, name, &d, s, want)
	}
}

// checkReport checks a report in text, Markdown and HTML.
func checkReport(t *testing.T, name string, d *report.Document, s *series, want []dot) {
	t.Helper()
	most := 0.0
	for _, p := range want {
		most = max(most, p.number)
	}
	var bars strings.Builder
	for _, p := range want {
		bars.WriteRune([]rune("▁▂▃▄▅▆▇█")[int(math.Ceil(p.number/most*7-1e-9))])
	}
	for _, format := range []string{"text", "markdown", "html"} {
		var b bytes.Buffer
		if err := d.Write(&b, format, report.Screen{Width: 120}); err != nil {
			t.Fatal(err)
		}
		switch text := b.String(); {
		case format == "html":
			onPage(t, text, "wide").check(t, name+", report", want)
		case !strings.Contains(text, s.title+", 2025-") || !strings.Contains(text, bars.String()):
			t.Errorf("%s, %s: want %s\n%s, got\n%s", name, format, s.title, bars.String(), text)
		}
	}
}

// plot is a drawing that was read back.
type plot struct {
	dots       []dot
	near, tall float64 // how far times and numbers may be off
	exact      bool    // the drawing has a corner for each point, and no others
}

// check compares a plot with the wanted points: each is in the plot, and, if the plot
// tells its points, no other.
func (p *plot) check(t *testing.T, name string, want []dot) {
	t.Helper()
	for _, w := range want {
		if !slices.ContainsFunc(p.dots, func(d dot) bool { return math.Abs(d.at-w.at) <= p.near && math.Abs(d.number-w.number) <= p.tall }) {
			t.Errorf("%s: %+v isn't drawn", name, w)
		}
	}
	if p.exact && len(p.dots) != len(want) {
		t.Errorf("%s: %d points, want %d", name, len(p.dots), len(want))
	}
}

// plotted reads the title and, for each column, the number from a chart of
// characters.
func plotted(t *testing.T, set *result.Set, declared *chart.Declaration, width int) (title string, p *plot) {
	t.Helper()
	f, err := term.ByName("chart")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := f.Write(&b, set.Read(), term.Options{Width: width, Chart: declared}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	const rows = 12
	label, _, _ := strings.Cut(lines[1], "┤")
	top, p := amount(t, label), &plot{}
	margin := len([]rune(label)) + 1
	room := float64(width - margin - 3)
	p.near, p.tall = 0.6/room, top/rows*0.51
	for i, line := range lines[1 : rows+2] {
		for x, sign := range []rune(line) {
			if x >= margin && strings.ContainsRune("╭╰─•", sign) {
				p.dots = append(p.dots, dot{float64(x-margin) / (room - 1), float64(rows-i) / rows * top})
			}
		}
	}
	return lines[0], p
}

var (
	svgPart = `(?s)<svg class="%s".*?</svg>`
	svgTick = regexp.MustCompile(`<text x="\d+" y="(\d+)" class="axis text">([\d.,kM]+)</text>`)
	svgLine = regexp.MustCompile(`d="([^"]+)" class="line`)
	svgSpot = regexp.MustCompile(`[ML] (\d+) (\d+)`)
)

// onPage reads the points from a drawing of a page.
func onPage(t *testing.T, page, class string) *plot {
	t.Helper()
	svg := regexp.MustCompile(fmt.Sprintf(svgPart, class)).FindString(page)
	ticks := svgTick.FindAllStringSubmatch(svg, -1)
	for len(ticks) > 0 && ticks[0][2] != "0" { // a year, below the plot
		ticks = ticks[1:]
	}
	var spots [][]string
	for _, line := range svgLine.FindAllStringSubmatch(svg, -1) {
		spots = append(spots, svgSpot.FindAllStringSubmatch(line[1], -1)...)
	}
	if len(ticks) < 2 || len(spots) < 2 {
		t.Fatalf("%d marks and %d points in %s", len(ticks), len(spots), svg)
	}
	zero, top := amount(t, ticks[0][1])-5, amount(t, ticks[len(ticks)-1][1])-5
	unit := amount(t, ticks[len(ticks)-1][2]) / (zero - top)
	left, right := amount(t, spots[0][1]), amount(t, spots[len(spots)-1][1])
	p := &plot{near: 1 / (right - left), tall: 1.5 * unit, exact: true}
	for _, c := range spots {
		p.dots = append(p.dots, dot{(amount(t, c[1]) - left) / (right - left), (zero - amount(t, c[2])) * unit})
	}
	return p
}

// amount reads a number such as 1,500, 20k or 1.5M.
func amount(t *testing.T, text string) float64 {
	t.Helper()
	text = strings.ReplaceAll(strings.TrimSpace(text), ",", "")
	unit := 1.0
	for letter, size := range map[string]float64{"k": 1e3, "M": 1e6} {
		if short, ok := strings.CutSuffix(text, letter); ok {
			text, unit = short, size
		}
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return f * unit
}
