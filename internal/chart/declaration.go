// Package chart turns a query result into the points of a chart.
//
// In: columns and rows, and a [Declaration] of the columns to draw; without a
// declaration, a rule chooses. Out: a [Data] with ordered points, bounds and marks of
// axes, and notes on rows not drawn. A screen and a page draw the same points. The
// package draws nothing itself, and runs nothing.
//
// A saved query declares its chart in its header, a report section as a key:
//
//	-- chart bar label=tool value=refused:count
//	-- chart bar value=minutes ranges=1,10,60
package chart

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hindsql/internal/lists"
	"hindsql/internal/result"
)

// Kind is a way to draw points.
type Kind string

// The ways to draw points.
const (
	Bar  Kind = "bar"  // a bar a label, or a bar a range of numbers
	Line Kind = "line" // numbers over time; bars if the labels are not times
)

// Declaration selects the columns of a result to draw, and the way to draw them.
type Declaration struct {
	Kind  Kind
	Label []string // columns joined to a label; empty for ranges
	Value string   // column of the number
	// Ranges lists the ends of ranges, ascending. A bar counts the rows with numbers in a
	// range. Empty for bars of labels.
	Ranges []float64
	// Count allows summing the numbers of a label, and means that a day without a row
	// counts 0.
	Count bool
	// Weight is a column of numbers. Rows of a label or of a step of time are joined to
	// the mean of their numbers, weighted by this column. Empty if they can't be joined.
	Weight string
	Unit   Unit   // of the value; empty means by the column's name
	Except string // rows with this text in a label column are left out, such as a total; empty for none
	// Sums lists the indexes of the columns that a statement sums or counts. If the rule
	// chooses one of these, its numbers are a count.
	Sums []int
	// Wrong is the fault in a declaration that stands in typed SQL; nil if there is none.
	Wrong error
	// Place is the file and line of the declaration, for errors; empty if unknown.
	Place string
}

// Parse parses a declaration: a kind, then keys with values, divided by spaces.
func Parse(text string) (*Declaration, error) {
	kind, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	d := &Declaration{Kind: Kind(kind)}
	switch d.Kind {
	case Bar, Line:
	case "hist":
		return nil, fmt.Errorf("chart: there is no kind hist; write bar value=COLUMN ranges=1,10,100, with the ends of ranges of your own")
	default:
		return nil, fmt.Errorf("chart: unknown kind %q; the kinds are bar and line", kind)
	}
	seen := map[string]bool{}
	for _, word := range strings.Fields(text)[1:] {
		key, value, ok := strings.Cut(word, "=")
		switch {
		case !ok || value == "":
			return nil, fmt.Errorf("chart: %q is no key=value; a chart is written bar label=COLUMN value=COLUMN:count", word)
		case seen[key]:
			return nil, fmt.Errorf("chart: %s is given twice", key)
		}
		seen[key] = true
		if err := d.set(key, value); err != nil {
			return nil, err
		}
	}
	return d, d.complete()
}

func (d *Declaration) set(key, value string) error {
	switch key {
	case "label":
		d.Label = strings.Split(value, ",")
	case "value":
		d.Value, d.Count = strings.CutSuffix(value, ":count")
		if name, mark, ok := strings.Cut(d.Value, ":"); ok {
			return fmt.Errorf("chart: %q behind %s; a value's only mark is :count", ":"+mark, name)
		}
	case "unit":
		d.Unit = Unit(value)
		if !d.Unit.known() {
			return fmt.Errorf("chart: unknown unit %q; the units are %s", value, lists.Join(units(), ", ", func(u Unit) string { return string(u) }))
		}
	case "weight":
		d.Weight = value
	case "except":
		d.Except = value
	case "ranges":
		return d.setRanges(value)
	default:
		return fmt.Errorf("chart: unknown key %q; the keys are label, value, ranges, weight, unit and except", key)
	}
	return nil
}

// complete returns an error if the declaration lacks a part.
func (d *Declaration) complete() error {
	switch {
	case d.Value == "":
		return fmt.Errorf("chart: no value=COLUMN, the number that is drawn")
	case len(d.Ranges) > 0 && (d.Kind != Bar || len(d.Label) > 0 || d.Count || d.Weight != ""):
		return fmt.Errorf("chart: ranges count rows; they go with bar and value=COLUMN, without label, weight and :count")
	case d.Count && d.Weight != "":
		return fmt.Errorf("chart: value=%s:count is summed, and weight=%s makes a mean; leave one out", d.Value, d.Weight)
	case len(d.Ranges) == 0 && len(d.Label) == 0:
		return fmt.Errorf("chart: no label=COLUMN, what the numbers are of")
	case d.Kind == Line && len(d.Label) > 1:
		return fmt.Errorf("chart: a line has one label, its time")
	case slices.Contains(d.Label, ""):
		return fmt.Errorf("chart: label=%s has an empty name", strings.Join(d.Label, ","))
	}
	return nil
}

// String returns the declaration as users write it.
func (d *Declaration) String() string {
	words := []string{string(d.Kind)}
	if len(d.Label) > 0 {
		words = append(words, "label="+strings.Join(d.Label, ","))
	}
	value := "value=" + d.Value
	if d.Count {
		value += ":count"
	}
	words = append(words, value)
	if len(d.Ranges) > 0 {
		words = append(words, "ranges="+lists.Join(d.Ranges, ",", func(end float64) string { return strconv.FormatFloat(end, 'f', -1, 64) }))
	}
	if d.Weight != "" {
		words = append(words, "weight="+d.Weight)
	}
	if d.Unit != "" {
		words = append(words, "unit="+string(d.Unit))
	}
	if d.Except != "" {
		words = append(words, "except="+d.Except)
	}
	return strings.Join(words, " ")
}

// Check returns an error unless the columns of a result include the declared columns.
// The error begins with the declaration's place.
func (d *Declaration) Check(columns []result.Column) error {
	_, err := d.bind(columns)
	return err
}

// axes holds the indexes of the drawn columns in a result.
type axes struct {
	label  []int // empty for ranges
	value  int
	weight int // without meaning if the declaration has none
}

// joins reports whether the declaration says how to join the numbers of several rows.
func (d *Declaration) joins() bool { return d.Count || d.Weight != "" }

// valueWords returns the value's name in words, followed by a declared unit that the name
// lacks: "output tokens".
func (d *Declaration) valueWords(column string) string {
	named := strings.ReplaceAll(column, "_", " ")
	if d.Unit != "" && unitOf(column) != d.Unit {
		named += " " + string(d.Unit)
	}
	return named
}

func (d *Declaration) bind(columns []result.Column) (a axes, err error) {
	for _, name := range d.Label {
		at, err := d.find(columns, name)
		if err != nil {
			return a, err
		}
		a.label = append(a.label, at)
	}
	if a.value, err = d.number(columns, "value", d.Value); err != nil {
		return a, err
	}
	if d.Weight != "" {
		if a.weight, err = d.number(columns, "weight", d.Weight); err != nil {
			return a, err
		}
	}
	if d.Kind == Line {
		if c := columns[a.label[0]]; !c.IsTime() && c.Type != "VARCHAR" {
			return a, d.wrong("label=%s of a line is no time but %s", c.Name, c.Type)
		}
	}
	return a, nil
}

// number returns the index of a column of numbers, which the declaration names for key.
func (d *Declaration) number(columns []result.Column, key, name string) (int, error) {
	at, err := d.find(columns, name)
	if err != nil {
		return at, err
	}
	if c := columns[at]; !c.IsNumber() {
		return at, d.wrong("%s=%s is no number but %s", key, c.Name, c.Type)
	}
	return at, nil
}

// find returns a column's index by its name, in any case, as SQL does.
func (d *Declaration) find(columns []result.Column, name string) (int, error) {
	at := slices.IndexFunc(columns, func(c result.Column) bool { return strings.EqualFold(c.Name, name) })
	if at < 0 {
		return at, d.wrong("no column %q; the result has %s", name, names(columns))
	}
	return at, nil
}

func (d *Declaration) wrong(format string, args ...any) error {
	lead := ""
	if d.Place != "" {
		lead = d.Place + ": "
	}
	return fmt.Errorf("%schart: %s", lead, fmt.Sprintf(format, args...))
}

func names(columns []result.Column) string {
	return lists.Join(columns, ", ", func(c result.Column) string { return c.Name })
}
