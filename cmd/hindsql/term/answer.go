package term

import (
	"fmt"
	"slices"
	"strings"

	"hindsql/internal/printable"
	"hindsql/internal/result"
	"hindsql/internal/words"
)

// Answer says that a result is that of a saved query, which in a table is written
// for people: without types, with commas in amounts and durations in words.
type Answer struct {
	Noun  string // what a row is, in the singular; empty: a row
	Total bool   // one of the rows is the total of all
	Of    int    // rows that the query would have without its limit; 0: those that it has
	All   string // what to type for those
	// Card are the columns that a narrow table keeps longest, in that order, Hidden
	// those that a table never shows.
	Card, Hidden []string
}

// seen is the rows without the hidden columns.
func (a *Answer) seen(r *result.Rows) *result.Rows {
	if a == nil || len(a.Hidden) == 0 {
		return r
	}
	return r.Without(func(c result.Column) bool { return within(a.Hidden, c.Name) })
}

// order gives the places of columns in the order in which they are kept: those of
// the card, then the others from the left.
func (t *table) order() (places []int) {
	if t.Answer != nil {
		for _, name := range t.Answer.Card {
			if i := slices.IndexFunc(t.cols, func(c result.Column) bool { return strings.EqualFold(c.Name, name) }); i >= 0 {
				places = append(places, i)
			}
		}
	}
	for i := range t.cols {
		if !slices.Contains(places, i) {
			places = append(places, i)
		}
	}
	return places
}

// within says whether a name is among others, in any case.
func within(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
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
		return fmt.Sprintf("%s of %s; %s for all", words.Int(rows), words.Quantity(a.Of, noun), a.All)
	}
	return words.Quantity(rows, noun)
}

// heads are the names of the columns as a table's head shows them.
func (t *table) heads() []string {
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
