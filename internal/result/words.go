package result

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"hindsql/internal/words"
)

// Words writes a value as a person reads it: an amount with commas, a duration
// in words, a time to the minute. What a column of that name holds tells an
// amount from a place, such as a line, and from a name, such as a year. Any other
// value is as [Type.Text] has it.
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
	case t.isAmount(column):
		return words.Amount(text)
	}
	return text
}

// isAmount says that a number counts or measures something: it is neither a place,
// such as a line or an index, nor a name, such as an id or a year.
func (t *Type) isAmount(column string) bool {
	switch t.Base {
	case "BIGINT", "UBIGINT", "HUGEINT", "UHUGEINT", "DOUBLE", "FLOAT", "DECIMAL":
	default:
		return false // INTEGER is what positions and years are cast to
	}
	switch column[strings.LastIndexByte(column, '_')+1:] {
	case "id", "line", "index", "year", "code", "pid", "port":
		return false
	}
	return true
}

// secondsOf is how many seconds the unit of a column has, such as that of
// median_seconds; 0 where the name tells no unit of time besides what it is of.
func secondsOf(column string) float64 {
	at := strings.LastIndexByte(column, '_')
	if at <= 0 {
		return 0
	}
	return words.UnitSeconds(strings.ToLower(column[at+1:]))
}

// Heads are the names of columns whose values are in words. A duration has its
// unit in each value, and not in the name, unless another column has that name.
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
