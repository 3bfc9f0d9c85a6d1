package result

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"hindsql/internal/words"
)

// Words formats a value for people: an amount with commas, a duration in words, a time
// to the minute. The column's name tells amounts from places, such as a line, and from
// names, such as a year. Any other value is formatted by [Type.Text].
func (t *Type) Words(v any, column string) string {
	text := t.Text(v)
	switch {
	case v == nil:
	case t.Base == "INTERVAL":
		return words.Interval(text)
	case strings.HasPrefix(t.Base, "TIMESTAMP"):
		if at, ok := v.(time.Time); ok && at.Year() > 0 && at.Year() < 10000 {
			return words.Moment(at)
		}
	case !t.IsNumber():
	case secondsOf(column) > 0:
		if f, err := strconv.ParseFloat(text, 64); err == nil && !math.IsNaN(f) && !math.IsInf(f, 0) {
			return words.Seconds(f * secondsOf(column))
		}
	case t.isAmount(column) && strings.HasSuffix(column, "usd"):
		return cents(words.Amount(text))
	case t.isAmount(column):
		return words.Amount(text)
	}
	return text
}

// cents gives an amount of dollars two digits after the point, if it has fewer.
func cents(amount string) string {
	if at := strings.LastIndexByte(amount, '.'); at == len(amount)-2 && at > 0 {
		return amount + "0"
	}
	return amount
}

// isAmount reports whether a number counts or measures: not a place, such as a line or
// an index, and not a name, such as an id or a year.
func (t *Type) isAmount(column string) bool {
	switch t.Base {
	case "BIGINT", "UBIGINT", "HUGEINT", "UHUGEINT", "DOUBLE", "FLOAT", "DECIMAL":
	default:
		return false // positions and years are cast to INTEGER
	}
	switch column[strings.LastIndexByte(column, '_')+1:] {
	case "id", "line", "index", "year", "code", "pid", "port":
		return false
	}
	return true
}

// secondsOf returns the seconds in a column's unit of time, as in median_seconds; 0 if
// the name doesn't end in such a unit, or has no other part.
func secondsOf(column string) float64 {
	at := strings.LastIndexByte(column, '_')
	if at <= 0 {
		return 0
	}
	return words.UnitSeconds(strings.ToLower(column[at+1:]))
}

// Heads returns the names of columns for values in words. A duration has its unit in
// each value, so the unit is cut off the name, unless a different column has the short
// name.
func Heads(columns []Column) []string {
	heads := make([]string, len(columns))
	for i, c := range columns {
		heads[i] = c.Name
	}
	for i, c := range columns {
		if !c.IsNumber() || secondsOf(c.Name) == 0 {
			continue
		}
		short := c.Name[:strings.LastIndexByte(c.Name, '_')]
		if !slices.Contains(heads, short) {
			heads[i] = short
		}
	}
	return heads
}
