package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"hindsql/engine/result"
)

// valueText writes a value for people; NULL is empty.
func valueText(v any, c result.Column) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case int64:
		return grouped(strconv.FormatInt(v, 10))
	case float64:
		return floatText(v)
	case time.Time:
		if c.Type == "DATE" {
			return v.Format(time.DateOnly)
		}
		return v.Format("2006-01-02 15:04")
	}
	return fmt.Sprint(v)
}

// floatText has two digits after the point, three of a number below 1.
func floatText(f float64) string {
	digits := 100.0
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0) || math.Abs(f) >= 1e15:
		return strconv.FormatFloat(f, 'g', 6, 64)
	case math.Abs(f) < 1:
		digits = 1000
	}
	whole, fraction, ok := strings.Cut(strconv.FormatFloat(math.Round(f*digits)/digits, 'f', -1, 64), ".")
	if !ok {
		return grouped(whole)
	}
	return grouped(whole) + "." + fraction
}

// grouped divides the digits of a number of five or more by threes.
func grouped(s string) string {
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

// Figure is a number of a [Number] section.
type Figure struct {
	Label  string
	Value  string // "–" for NULL
	Change string // against the period before: "was 12"
	Tone   string // better or worse, by what the section declares; empty for neither
}

// Told is what is said beside the value.
func (f Figure) Told() string {
	if f.Tone == "" {
		return f.Change
	}
	return f.Change + ", " + f.Tone
}

// Figures are the numbers of the section's row.
func (p *Part) Figures() []Figure {
	var all []Figure
	for i, c := range p.Columns {
		if !c.IsNumber() {
			continue
		}
		f := Figure{Label: title(c), Value: "–"}
		now, isNow := cell(p.Rows, i)
		before, isBefore := cell(p.Before.Rows, i)
		if isNow {
			f.Value = valueText(p.Rows[0][i], c)
		}
		switch {
		case !isNow && !isBefore:
			continue
		case !isBefore:
			f.Change = "no number before"
		case !isNow:
			f.Change = "was " + valueText(p.Before.Rows[0][i], c)
		case now == before:
			f.Change = "as before"
		default:
			f.Change = "was " + valueText(p.Before.Rows[0][i], c)
			f.Tone = p.Better[c.Name].tone(now < before)
		}
		all = append(all, f)
	}
	return all
}

func cell(rows [][]any, column int) (float64, bool) {
	if len(rows) == 0 {
		return 0, false
	}
	return number(rows[0][column])
}

// tone says whether a change is for the better; nothing of a number that may go
// either way.
func (t Tendency) tone(fell bool) string {
	switch {
	case t == "":
		return ""
	case fell == (t == Less):
		return "better"
	}
	return "worse"
}
