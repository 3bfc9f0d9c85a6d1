package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"hindsql/cmd/hindsql/render"
	"hindsql/cmd/hindsql/show"
)

func (a *app) showCommand() *cobra.Command {
	var c show.Conversation
	cmd := &cobra.Command{
		Use:   "show ID[:MESSAGE]",
		Short: "Show a session as a page",
		Long: `Shows what was said and done in a session: prompts and answers whole, thinking
short, calls with their input and the end of their output, refused ones with what
they would have done and why you said no.

ID is the beginning of a session's id, as hindsql sessions shows it; of a subagent
its parent's, a slash, and the beginning of its own. ID:MESSAGE shows five messages
before and after that one. last is the session of this repository in which you
typed last, or where there is none, of all.

In any other format than markdown a row is a piece of the session.`,
		Example: `  hindsql show last
  hindsql show 9a3f50d7:4 --around 2
  hindsql show last --refused
  hindsql show 9a3f50d7 --format markdown -o session.md`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("which session? hindsql show ID, or last; hindsql sessions lists them")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("around") && c.Around < 0 {
				return usagef("--around %d: a number of messages, 0 or more", c.Around)
			}
			c.Reference, c.Here = args[0], a.here()
			return a.showSession(cmd.Context(), c)
		},
		ValidArgsFunction: a.completeSessions,
	}
	flags := cmd.Flags()
	flags.BoolVar(&c.Refused, "refused", false, "only the calls that were refused, with what was around them")
	flags.IntVar(&c.Around, "around", -1, "`N` messages before and after the one, or a refused call")
	flags.BoolVar(&c.Full, "full", false, "cut nothing: thinking, inputs and outputs whole")
	flags.StringVar(&c.Agent, "agent", "", "a session of this `AGENT`, where several have the id")
	a.completeAgents(cmd)
	return cmd
}

func (a *app) completeAgents(cmd *cobra.Command) {
	_ = cmd.RegisterFlagCompletionFunc("agent", cobra.FixedCompletions(a.agents(), cobra.ShellCompDirectiveNoFileComp))
}

func (a *app) showSession(ctx context.Context, c show.Conversation) error {
	return a.withSession(ctx, func(ctx context.Context, v *show.View) error {
		err := a.deliver(func(to *render.Output) error { return v.ShowSession(ctx, to, c) })
		if errors.As(err, new(*show.NoSession)) {
			return usageError{err}
		}
		return err
	})
}

// completeSessions completes ids, from what is loaded.
func (a *app) completeSessions(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	const most = 50
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	words := []string{"last\tthe session in which you typed last"}
	_ = a.withOpen(cmd.Context(), func(ctx context.Context, v *show.View) error {
		ids, about, err := v.Session.SessionIDs(ctx, typed, most)
		for i, id := range ids {
			words = append(words, id+"\t"+about[i])
		}
		return err
	})
	return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}
