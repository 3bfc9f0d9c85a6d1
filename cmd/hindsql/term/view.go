package term

import (
	"context"
	"fmt"
	"io"
	"strings"

	"hindsql/cmd/hindsql/ask"
	"hindsql/internal/atomicfile"
	"hindsql/internal/words"
)

// View shows a session of package ask as text, on a terminal or in a script.
type View struct {
	Session  *ask.Session
	Store    string   // path of the store's file
	Home     string   // shown as ~; empty if unknown
	Agents   []string // their names, in display order
	Words    ask.Words
	Err      io.Writer // notices
	Progress *Progress // of syncs; nil: not shown

	told   string   // the last reason for old answers written by Tell
	warned []string // notices already written

	toldEmpty bool // a notice said that the tables, or those in scope, have no rows
}

// Notice writes a line for people.
func Notice(w io.Writer, format string, args ...any) {
	fmt.Fprintf(w, "hindsql: %s\n", strings.TrimRight(fmt.Sprintf(format, args...), "\n"))
}

// Explain returns an error's text for people, with possible next steps.
func (v *View) Explain(err error) string { return v.Words.Explain(err) }

// Loaded counts the loaded messages and logs, in words.
func (v *View) Loaded(ctx context.Context) (string, error) {
	set, err := v.Collect(ctx, "SELECT coalesce(sum(messages), 0)::BIGINT, count(*) FROM sources", nil)
	if err != nil {
		return "", err
	}
	messages, _ := set.Rows[0][0].(int64)
	logs, _ := set.Rows[0][1].(int64)
	return words.Quantity(messages, "message") + " from " + words.Quantity(logs, "log"), nil
}

// short formats a path for people, with ~ for the home folder.
func (v *View) short(path string) string { return atomicfile.Short(v.Home, path) }
