package html

import (
	"html/template"
	"slices"
	"strings"

	"hindsql/internal/result"
	"hindsql/internal/words"
)

// Figure is a key number, shown in large letters.
type Figure struct {
	Label  string
	Column string // name of the number's column
	Value  string // "–" for NULL
	Change string // comparison with the period before: "was 12"; empty if not compared
	Tone   string // better or worse; empty if neither
	Link   string // URL of the rows behind the number; empty if none
}

// Comparison returns the words to print beside the value, such as "was 12, better".
func (f Figure) Comparison() string {
	if f.Tone == "" {
		return f.Change
	}
	return f.Change + ", " + f.Tone
}

// Tendency is the direction in which a number improves.
type Tendency string

// The directions in which a number improves.
const (
	Less Tendency = "less"
	More Tendency = "more"
)

// Figures returns key numbers as a list.
func Figures(all []Figure) template.HTML { return execute("figures", all) }

// FiguresOf returns the numbers of a row, each with the change since the same row of
// the period before. Without columns in before, no number has a change.
func FiguresOf(now, before *result.Set, better map[string]Tendency) []Figure {
	var all []Figure
	titles := figureTitles(now.Columns)
	for i, c := range now.Columns {
		if !c.IsNumber() {
			continue
		}
		f := Figure{Label: titles[i], Column: c.Name, Value: "–"}
		value, isNow := cell(now.Rows, i)
		last, isBefore := cell(before.Rows, i)
		if isNow {
			f.Value = figureValue(now.Rows[0][i], c)
		}
		switch {
		case !isNow && !isBefore:
			continue
		case len(before.Columns) == 0:
		case !isBefore:
			f.Change = "no number before"
		case !isNow:
			f.Change = "was " + figureValue(before.Rows[0][i], c)
		case value == last:
			f.Change = "as before"
		default:
			f.Change = "was " + figureValue(before.Rows[0][i], c)
			f.Tone = better[c.Name].tone(value < last)
		}
		all = append(all, f)
	}
	return all
}

// dollars is the end of the name of a column with an amount of money.
const dollars = "_usd"

// figureTitles returns the columns' names for people. The value has the dollar's sign.
func figureTitles(columns []result.Column) []string {
	short := slices.Clone(columns)
	for i := range short {
		short[i].Name = strings.TrimSuffix(short[i].Name, dollars)
	}
	return Titles(short)
}

func figureValue(v any, c result.Column) string {
	if amount, ok := number(v); ok && strings.HasSuffix(c.Name, dollars) {
		return words.Dollars(amount)
	}
	return Value(v, c)
}

func cell(rows [][]any, column int) (float64, bool) {
	if len(rows) == 0 {
		return 0, false
	}
	return number(rows[0][column])
}

// tone reports whether a change is better or worse; empty if the number has no
// Tendency.
func (t Tendency) tone(fell bool) string {
	switch {
	case t == "":
		return ""
	case fell == (t == Less):
		return "better"
	}
	return "worse"
}

// number returns a value as a number.
func number(v any) (n float64, ok bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, v == v
	}
	return 0, false
}

// Card shows one row of a report as a box: a call that is worth a look, with its diff
// or command and what was said about it, for example a reason.
type Card struct {
	Head    []string // known facts, such as the time and the project
	File    string
	Diff    string // unified
	Command string
	Said    string
}

// Cards returns the HTML of cards, one below the other.
func Cards(all []Card) template.HTML {
	var b strings.Builder
	for _, c := range all {
		b.WriteString(`<article class="card"><header>` + escape(strings.Join(c.Head, " · ")))
		if c.File != "" {
			b.WriteString(` <code>` + escape(c.File) + `</code>`)
		}
		b.WriteString("</header>\n")
		if c.Diff != "" {
			b.WriteString(string(Diff(c.Diff, c.File)))
		} else if c.Command != "" {
			b.WriteString(string(Code("bash", c.Command)))
		}
		if c.Said != "" {
			b.WriteString(`<div class="because">` + string(Text(c.Said)) + "</div>")
		}
		b.WriteString("</article>\n")
	}
	return template.HTML(b.String())
}
