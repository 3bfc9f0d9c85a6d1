package render

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"hindsql/chart"
	"hindsql/engine/result"
	"hindsql/visible"
)

// Answer says that a result is that of a saved query, which in a table is written
// for people: without types, with commas in amounts and durations in words.
type Answer struct {
	Noun  string // what a row is, in the singular; empty: a row
	Total bool   // one of the rows is the total of all
	Of    int    // rows that the query would have without its limit; 0: those that it has
	All   string // what to type for those
}

// isCut says that rows were left out behind these; total or not.
func (a *Answer) isCut(rows int) bool { return a != nil && a.Of > rows }

// counted says how many rows of how many there are.
func (a *Answer) counted(rows int) string {
	noun := "row"
	if a.Noun != "" {
		noun = a.Noun
	}
	if a.Total && rows > 0 {
		rows--
	}
	if a.isCut(rows) {
		return fmt.Sprintf("%s of %s; %s for all", thousands(rows), quantity(a.Of, noun), a.All)
	}
	return quantity(rows, noun)
}

// heads are the names of the columns as a table's head shows them. A duration in
// words has its unit in each value, not in the name.
func (t *table) heads() []string {
	heads := make([]string, len(t.cols))
	for i, c := range t.cols {
		heads[i] = visible.Line(c.Name)
	}
	if t.Answer == nil {
		return heads
	}
	withoutUnits(heads, t.cols)
	return heads
}

// InWords is the result of a saved query as it is written for people, which is
// text where that says more than the value, and without the units of durations in
// its columns' names.
func InWords(set result.Set) result.Set {
	types, heads := result.Types(set.Columns), make([]string, len(set.Columns))
	words := result.Set{Columns: slices.Clone(set.Columns), Rows: make([][]any, len(set.Rows))}
	for i, c := range set.Columns {
		heads[i] = c.Name
	}
	withoutUnits(heads, set.Columns)
	for i := range heads {
		words.Columns[i].Name = heads[i]
	}
	for r, row := range set.Rows {
		words.Rows[r] = slices.Clone(row)
		for i, v := range row {
			if text, ok := answered(v, &types[i], set.Columns[i].Name); ok && v != nil {
				words.Rows[r][i] = text
			}
		}
	}
	return words
}

// withoutUnits takes the units of durations off the names of columns.
func withoutUnits(heads []string, cols []result.Column) {
	for i, c := range cols {
		at := strings.LastIndexByte(c.Name, '_')
		if at <= 0 || !c.IsNumber() || secondsOf(c.Name) == 0 {
			continue
		}
		short := visible.Line(c.Name[:at])
		taken := false
		for k := range heads {
			taken = taken || heads[k] == short
		}
		if !taken {
			heads[i] = short
		}
	}
}

// secondsOf is how many seconds the unit of a column has, such as that of
// median_seconds; 0 where the name tells no unit of time besides what it is of.
func secondsOf(column string) float64 {
	if !strings.Contains(column, "_") {
		return 0
	}
	return map[chart.Unit]float64{chart.Milliseconds: 1e-3, chart.Seconds: 1, chart.Minutes: 60, chart.Hours: 3600}[chart.UnitOf(column)]
}

// answered is a value for people; not ok where its text is as good.
func answered(v any, t *result.Type, column string) (s string, ok bool) {
	switch {
	case t.Base == "INTERVAL":
		return intervalWords(t.Text(v)), true
	case strings.HasPrefix(t.Base, "TIMESTAMP"):
		at, isTime := v.(time.Time)
		return at.Format("2006-01-02 15:04"), isTime && at.Year() > 0 && at.Year() < 10000
	case !t.IsNumber():
		return "", false
	}
	if f, err := strconv.ParseFloat(t.Text(v), 64); err == nil && secondsOf(column) > 0 && !math.IsNaN(f) && !math.IsInf(f, 0) {
		return durationWords(f * secondsOf(column)), true
	}
	if !isAmount(t, column) {
		return "", false
	}
	whole, fraction, isBroken := strings.Cut(t.Text(v), ".")
	if strings.Trim(whole, "-0123456789") != "" { // nan, or 1e+20
		return "", false
	}
	if isBroken {
		fraction = "." + fraction
	}
	return grouped(whole) + fraction, true
}

// isAmount says that a number counts or measures something: it is neither a place,
// such as a line or an index, nor a name, such as an id or a year.
func isAmount(t *result.Type, column string) bool {
	switch t.Base {
	case "BIGINT", "UBIGINT", "HUGEINT", "UHUGEINT", "DOUBLE", "FLOAT", "DECIMAL":
	default:
		return false // INTEGER is what positions and years are cast to
	}
	last := column[strings.LastIndexByte(column, '_')+1:]
	switch last {
	case "id", "line", "index", "year", "code", "pid", "port":
		return false
	}
	return true
}

// durationWords is a duration as people say it, to the two largest units: 340 ms,
// 12 s, 1.5 s, 3 min 20 s, 2 h 5 min, 4 d 3 h.
func durationWords(seconds float64) string {
	if seconds < 0 {
		return "-" + durationWords(-seconds)
	}
	switch {
	case seconds == 0:
		return "0 s"
	case seconds < 0.9995:
		return strconv.FormatFloat(max(1, math.Round(seconds*1000)), 'f', 0, 64) + " ms"
	case seconds < 9.95:
		return strings.TrimSuffix(strconv.FormatFloat(seconds, 'f', 1, 64), ".0") + " s"
	case seconds > 1e15:
		return strconv.FormatFloat(seconds, 'g', 3, 64) + " s"
	}
	for _, u := range []struct {
		size, less  float64 // seconds of the unit, and of the one below
		name, below string
	}{{86400, 3600, "d", "h"}, {3600, 60, "h", "min"}, {60, 1, "min", "s"}} {
		n, each := math.Round(seconds/u.less), u.size/u.less // of the unit below
		if seconds >= u.size-0.5 {
			s := grouped(strconv.FormatFloat(math.Floor(n/each), 'f', 0, 64)) + " " + u.name
			if rest := math.Mod(n, each); rest > 0 {
				s += " " + strconv.FormatFloat(rest, 'f', 0, 64) + " " + u.below
			}
			return s
		}
	}
	return strconv.FormatFloat(math.Round(seconds), 'f', 0, 64) + " s"
}

// intervalWords is DuckDB's text of an interval with its clock in words: "3 days
// 2 h 5 min" of "3 days 02:05:00".
func intervalWords(text string) string {
	at := strings.LastIndexByte(text, ' ') + 1
	sign, clock := 1.0, text[at:]
	if strings.HasPrefix(clock, "-") {
		sign, clock = -1, clock[1:]
	}
	parts := strings.Split(clock, ":")
	if len(parts) != 3 {
		return text
	}
	seconds := 0.0
	for _, part := range parts {
		f, err := strconv.ParseFloat(part, 64)
		if err != nil {
			return text
		}
		seconds = 60*seconds + f
	}
	return text[:at] + durationWords(sign*seconds)
}
