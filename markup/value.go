package markup

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"hindsql/engine/result"
	"hindsql/visible"
)

// Title is a column's name for people.
func Title(c result.Column) string { return visible.Text(beginning(Spaced(c.Name), longestLabel)) }

// Spaced is a name of SQL as words.
func Spaced(name string) string { return strings.ReplaceAll(name, "_", " ") }

// Value writes a value for people; NULL is empty.
func Value(v any, c result.Column) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case int64:
		return Grouped(strconv.FormatInt(v, 10))
	case float64:
		return Number(v)
	case time.Time:
		if c.Type == "DATE" {
			return v.Format(time.DateOnly)
		}
		return v.Format("2006-01-02 15:04")
	}
	return fmt.Sprint(v)
}

// Number has two digits after the point, three of a number below 1.
func Number(f float64) string {
	digits := 100.0
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0) || math.Abs(f) >= 1e15:
		return strconv.FormatFloat(f, 'g', 6, 64)
	case math.Abs(f) < 1:
		digits = 1000
	}
	whole, fraction, ok := strings.Cut(strconv.FormatFloat(math.Round(f*digits)/digits, 'f', -1, 64), ".")
	if !ok {
		return Grouped(whole)
	}
	return Grouped(whole) + "." + fraction
}

// Grouped divides the digits of a number of five or more by threes.
func Grouped(s string) string {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "−", s[1:]
	}
	if len(s) > 4 {
		for i := len(s) - 3; i > 0; i -= 3 {
			s = s[:i] + "," + s[i:]
		}
	}
	return sign + s
}
