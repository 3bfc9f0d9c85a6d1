package term

import (
	"fmt"
	"slices"
	"strings"

	"hindsql/internal/printable"
	"hindsql/internal/result"
	"hindsql/internal/words"
)

// Answer says how to show a saved query's result. Its table is written for people:
// without types, with commas in amounts, and with durations in words.
type Answer struct {
	Noun  string // what a row is, in the singular; empty: a row
	Total bool   // one row is the total of the others, and not counted
	Of    int    // number of rows without the query's limit; 0: the limit leaves out no rows
	All   string // what the user can type to get all rows
	// Card lists the columns of the query's `-- card` line, by line of a row's block. A
	// table keeps them longest; a narrow terminal shows blocks. Nil without such a line.
	Card   [][]string
	Hidden []string // columns that tables never show
	Prices string   // name of the list by which costs are estimated; empty if unknown
}

// seen returns the rows without the hidden columns.
func (a *Answer) seen(r *result.Rows) *result.Rows {
	if a == nil || len(a.Hidden) == 0 {
		return r
	}
	return r.Without(func(c result.Column) bool { return within(a.Hidden, c.Name) })
}

// order returns the indexes of the columns in the order in which a narrow table keeps
// them: first the columns in [Answer.Card], then the others from the left.
func (t *table) order() (places []int) {
	if t.Answer != nil {
		places = t.places(slices.Concat(t.Answer.Card...))
	}
	for i := range t.cols {
		if !slices.Contains(places, i) {
			places = append(places, i)
		}
	}
	return places
}

// places returns the indexes of named columns, without names that the result lacks.
func (t *table) places(names []string) (places []int) {
	for _, name := range names {
		if i := slices.IndexFunc(t.cols, func(c result.Column) bool { return strings.EqualFold(c.Name, name) }); i >= 0 {
			places = append(places, i)
		}
	}
	return places
}

// within reports whether names contains a name, ignoring case.
func within(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
}

// isCut reports whether the query's limit left out rows. rows is the number of rows in
// the result.
func (a *Answer) isCut(rows int) bool { return a != nil && a.Of > rows }

// counted returns the number of rows in words. If the query's limit left out rows, it
// adds the total, and how to get all rows.
func (a *Answer) counted(rows int) string {
	noun := "row"
	if a.Noun != "" {
		noun = a.Noun
	}
	if a.Total && rows > 0 {
		rows--
	}
	if a.isCut(rows) {
		return fmt.Sprintf("%s of %s; %s for all", words.Int(rows), words.Quantity(a.Of, noun), a.All)
	}
	return words.Quantity(rows, noun)
}

// headsOf returns the columns' names for a table's head.
func headsOf(t *table) []string {
	heads := make([]string, len(t.cols))
	for i, c := range t.cols {
		heads[i] = c.Name
	}
	if t.Answer != nil {
		heads = result.Heads(t.cols)
	}
	for i := range heads {
		heads[i] = printable.Line(heads[i])
	}
	return heads
}
