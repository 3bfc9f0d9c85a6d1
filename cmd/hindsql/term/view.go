package term

import (
	"fmt"
	"io"
	"strings"

	"hindsql/cmd/hindsql/ask"
	"hindsql/engine"
	"hindsql/internal/atomicfile"
)

// View is a session as a text face shows it.
type View struct {
	Session  *ask.Session
	Store    string   // path of the store's file
	Home     string   // shown as ~; empty when there is none
	Agents   []string // their names, in the order that people see
	Words    ask.Words
	Err      io.Writer             // notices
	Progress *Progress             // of syncs; nil: none is shown
	Report   func(engine.Progress) // hears how far a sync is, where Progress doesn't show it; nil: nobody does

	told   string   // the last notice about old answers
	warned []string // notices that are written once
}

// Notice writes a line for people.
func Notice(w io.Writer, format string, args ...any) {
	fmt.Fprintf(w, "hindsql: %s\n", strings.TrimRight(fmt.Sprintf(format, args...), "\n"))
}

// Explain is an error for people, with what they may do next.
func (v *View) Explain(err error) string { return v.Words.Explain(err) }

// short is a path for people, with ~ for the home folder.
func (v *View) short(path string) string { return atomicfile.Short(v.Home, path) }
