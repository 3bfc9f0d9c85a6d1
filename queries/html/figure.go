package html

import (
	"html/template"

	"hindsql/internal/result"
)

// Figure is a number that is worth a large letter.
type Figure struct {
	Label  string
	Value  string // "–" for NULL
	Change string // against the time before: "was 12"
	Tone   string // better or worse; empty for neither
	Link   string // URL of the rows behind it; empty for none
}

// Told is what is said beside the value.
func (f Figure) Told() string {
	if f.Tone == "" {
		return f.Change
	}
	return f.Change + ", " + f.Tone
}

// Tendency says which way a number is to go.
type Tendency string

// The ways in which a number gets better.
const (
	Less Tendency = "less"
	More Tendency = "more"
)

// Figures are the pieces of numbers, in a list.
func Figures(all []Figure) template.HTML { return execute("figures", all) }

// FiguresOf are the numbers of a row, each with the change against the same row of a
// time before.
func FiguresOf(now, before *result.Set, better map[string]Tendency) []Figure {
	var all []Figure
	titles := Titles(now.Columns)
	for i, c := range now.Columns {
		if !c.IsNumber() {
			continue
		}
		f := Figure{Label: titles[i], Value: "–"}
		value, isNow := cell(now.Rows, i)
		last, isBefore := cell(before.Rows, i)
		if isNow {
			f.Value = Value(now.Rows[0][i], c)
		}
		switch {
		case !isNow && !isBefore:
			continue
		case !isBefore:
			f.Change = "no number before"
		case !isNow:
			f.Change = "was " + Value(before.Rows[0][i], c)
		case value == last:
			f.Change = "as before"
		default:
			f.Change = "was " + Value(before.Rows[0][i], c)
			f.Tone = better[c.Name].tone(value < last)
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

// number reads a value as a number.
func number(v any) (n float64, ok bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, v == v
	}
	return 0, false
}
