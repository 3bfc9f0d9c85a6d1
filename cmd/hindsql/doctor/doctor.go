// Package doctor looks whether all is well, and says what to do about what isn't.
//
// In: a session, what the command line knows of folders and files, and where agents
// are. Out: findings, as values and as text. It mends nothing.
package doctor

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"hindsql/cmd/hindsql/term"
	"hindsql/internal/result"
)

// State says how what was looked at is.
type State string

// The states of what was looked at.
const (
	OK     State = "ok"
	Look   State = "look"   // it works, and there is something to know or to do
	Broken State = "broken" // something doesn't work until somebody mends it
)

// Finding is what was found about one thing.
type Finding struct {
	State State
	About string
	What  string
	Do    string // empty: nothing is to be done
}

// IsBroken says that something is.
func IsBroken(found []Finding) bool {
	return slices.ContainsFunc(found, func(f Finding) bool { return f.State == Broken })
}

// Tell writes a line a finding, and below it what to do; in any other
// format than people's rows.
func Tell(to *term.Output, found []Finding) error {
	if !to.ForPeople() {
		set := result.Set{Columns: result.Columns("state VARCHAR", "about VARCHAR", "what VARCHAR", "do VARCHAR")}
		for _, f := range found {
			row := []any{string(f.State), f.About, f.What, nil}
			if f.Do != "" {
				row[3] = f.Do
			}
			set.Rows = append(set.Rows, row)
		}
		return to.Set(set)
	}
	return term.Through(to.Writer, "table", func(door io.Writer) error { // with its colours
		for _, f := range found {
			if _, err := fmt.Fprintln(door, f.text(to.Options, widest(found))); err != nil {
				return err
			}
		}
		return nil
	})
}

func widest(found []Finding) (wide int) {
	for _, f := range found {
		wide = max(wide, len(f.About))
	}
	return wide
}

// text is a finding for people: its mark, what it is about in so many columns,
// and below what is to be done.
func (f *Finding) text(o term.Options, wide int) string {
	mark := markOf(f.State, o)
	lead := len([]rune(mark.plain)) + 1
	text := fmt.Sprintf("%-*s  ", wide, f.About) + term.Wrap(f.What, o.Width-lead, wide+2)
	if f.Do != "" {
		text += "\n" + strings.Repeat(" ", wide+2) + "→ " + term.Wrap(f.Do, o.Width-lead, wide+4)
	}
	return mark.shown + " " + strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", lead))
}

// mark stands before a finding.
type mark struct{ plain, shown string }

func markOf(s State, o term.Options) mark {
	if o.Width == 0 { // no terminal
		return mark{"broken", fmt.Sprintf("%-6s", s)}
	}
	sign, color := "✓", "\x1b[32m"
	switch s {
	case Look:
		sign, color = "!", "\x1b[1m"
	case Broken:
		sign, color = "✗", "\x1b[31m"
	}
	if !o.Color {
		return mark{sign, sign}
	}
	return mark{sign, color + sign + "\x1b[0m"}
}
