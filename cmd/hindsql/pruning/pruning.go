// Package pruning shows the rows that a prune would drop, drops them, and lists the
// forgotten sessions.
//
// In: the options of hindsql prune. Out: a text about the rows, for people.
package pruning

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"hindsql/cmd/hindsql/term"
	"hindsql/engine/forget"
	"hindsql/engine/prune"
	"hindsql/internal/result"
	"hindsql/internal/words"
	"hindsql/queries"
)

// Options choose the rows to drop.
type Options struct {
	prune.Filter
	EndedBefore string // a time as people write it, for Before; empty for none
	DryRun      bool   // only show the rows
}

// Run shows the rows to drop, asks the user, and drops the rows. For another machine's
// rows it neither shows nor asks.
func Run(ctx context.Context, v *term.View, to io.Writer, o Options, agree func() (bool, error)) (err error) {
	if o.EndedBefore != "" {
		o.Before, _, err = queries.Bounds(ctx, v.Collect, o.EndedBefore, "")
		if wrong, ok := errors.AsType[*queries.ValueError](err); ok {
			wrong.Name = "before"
		}
		if err != nil {
			return err
		}
	}
	p, err := prune.Look(ctx, v.Session.Engine(), &o.Filter)
	if err != nil {
		return err
	}
	if o.Host == "" || o.DryRun {
		if err := show(to, &p, &o.Filter); err != nil {
			return err
		}
		if o.DryRun || p.Rows() == 0 {
			return nil
		}
		if agreed, err := agree(); err != nil || !agreed {
			return err
		}
	}
	if o.Forgets {
		if err := prune.Forget(ctx, v.Session.Store(), p.Sessions); err != nil {
			return err
		}
		if err := loadAnew(ctx, v); err != nil {
			return err
		}
		_, err := fmt.Fprintf(to, "forgot %s, with %s\n", words.Quantity(len(p.Sessions), "session"), words.Quantity(p.Rows(), "row"))
		return err
	}
	files, rows, err := prune.Run(ctx, v.Session.Store(), o.Filter)
	if err == nil {
		_, err = fmt.Fprintf(to, "dropped %s of %s\n", words.Quantity(rows, "row"), words.Quantity(files, "file"))
	}
	return err
}

// loadAnew makes the store anew, after a change of the list of forgotten sessions.
func loadAnew(ctx context.Context, v *term.View) error {
	report, err := v.Sync(ctx, false)
	if err == nil && !report.IsComplete() {
		term.Notice(v.Err, "the store can't be written now; the rows follow at the next load that can write, such as hindsql sync")
	}
	return err
}

// show prints the number of rows by table, of sessions and their times that a prune
// drops, and the rows that stay.
func show(to io.Writer, p *prune.Pruning, f *prune.Filter) error {
	var text strings.Builder
	if p.Rows() == 0 {
		text.WriteString("nothing to drop\n")
	} else {
		fmt.Fprintf(&text, "would go: %s of %s", words.Quantity(p.Rows(), "row"), words.Quantity(len(p.Sessions), "session"))
		if !p.Oldest.IsZero() {
			fmt.Fprintf(&text, ", from %s to %s", words.Moment(p.Oldest.Local()), words.Moment(p.Newest.Local()))
		}
		text.WriteString("\n")
		columns := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
		copies := int64(0)
		for _, t := range p.Tables {
			note := ""
			if copies += t.Copies; t.Copies > 0 {
				note = words.Int(t.Copies) + " of them copies\t"
			}
			fmt.Fprintf(columns, "%s\t%s\t%s\n", t.Table, words.Int(t.Rows), note)
		}
		if err := columns.Flush(); err != nil {
			return err
		}
		switch {
		case copies == 0 || f.Forgets:
		case p.Last == 0:
			text.WriteString("Nothing is lost: they are copies of rows that stay.\n")
		default:
			fmt.Fprintf(&text, "Lost for good: %s. With the copies nothing is lost.\n", words.Quantity(p.Last, "row"))
		}
	}
	switch {
	case f.Forgets && p.Rows() > 0:
		text.WriteString("Copies of their messages in resumed and forked sessions go, too. The logs stay. Pushed rows go with the next\npush. Exports and reports stay as they are.\n")
	case p.Present > 0:
		fmt.Fprintf(&text, "%s more match, but their logs exist: their rows would come back, and stay. --forget keeps them out.\n", words.Quantity(p.Present, "session"))
	}
	_, err := io.WriteString(to, text.String())
	return err
}

// Remember takes a session off the list of forgotten ones.
func Remember(ctx context.Context, v *term.View, to io.Writer, id string) error {
	s, err := prune.Remember(ctx, v.Session.Store(), id)
	if err != nil {
		return err
	}
	if err := loadAnew(ctx, v); err != nil {
		return err
	}
	_, err = fmt.Fprintf(to, "%s session %s is loaded again, if its log is there; rows of other machines come with the next pull\n", s.Agent, s.SessionID)
	return err
}

// ListForgotten lists the forgotten sessions.
func ListForgotten(v *term.View, to *term.Output) error {
	list, err := forget.Read(v.Session.Store().File())
	if err != nil {
		return err
	}
	set := result.Set{Columns: result.Columns("agent VARCHAR", "session_id VARCHAR", "subagents BIGINT", "forgotten_at TIMESTAMPTZ")}
	for _, s := range list.Sessions {
		set.Rows = append(set.Rows, []any{s.Agent, s.SessionID, int64(len(s.Subagents)), s.ForgottenAt})
	}
	return to.Set(set)
}
