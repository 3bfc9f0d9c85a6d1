// Package doctor checks hindsql's state, and says how to repair faults.
//
// The input is a session, the folders and files of the command line, and the places of
// agents. The output is findings, as values and as text. The package repairs nothing.
package doctor

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"hindsql/cmd/hindsql/term"
	"hindsql/internal/result"
)

// State is the state of a checked thing.
type State string

// The states of a checked thing.
const (
	OK     State = "ok"
	Look   State = "look"   // works, but the user should know or do something
	Broken State = "broken" // doesn't work until the user repairs it
)

// Finding is the result of one check.
type Finding struct {
	State State
	About string
	What  string
	Do    string // what the user can do; empty: nothing
}

// IsBroken reports whether any finding is Broken.
func IsBroken(found []Finding) bool {
	return slices.ContainsFunc(found, func(f Finding) bool { return f.State == Broken })
}

// Tell writes a line for each finding, with advice below. In formats for machines it
// writes a row for each.
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
	return term.Through(to.Writer, "table", func(door io.Writer) error { // keeps colours
		for i, f := range found {
			if next := i + 1; next < len(found) && found[next].About == f.About && found[next].Do == f.Do {
				f.Do = "" // once, below the last of several
			}
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

// text returns a finding for people: its mark, its subject padded to the width wide,
// the result, and the advice on the next line.
func (f *Finding) text(o term.Options, wide int) string {
	mark := markOf(f.State, o)
	lead := len([]rune(mark.plain)) + 1
	text := fmt.Sprintf("%-*s  ", wide, f.About) + term.Wrap(f.What, o.Width-lead, wide+2)
	if f.Do != "" {
		text += "\n" + strings.Repeat(" ", wide+2) + "→ " + term.Wrap(f.Do, o.Width-lead, wide+4)
	}
	return mark.shown + " " + strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", lead))
}

// mark is the sign before a finding: plain without colour, to measure its width, and
// shown as printed.
type mark struct{ plain, shown string }

func markOf(s State, o term.Options) mark {
	if o.Width == 0 { // not a terminal
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
