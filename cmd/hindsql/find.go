package main

import (
	"context"
	"errors"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hindsql/cmd/hindsql/render"
	"hindsql/cmd/hindsql/show"
	"hindsql/engine/conversation"
	"hindsql/near"
	"hindsql/queries"
)

// findFlags are those of hindsql find.
type findFlags struct {
	conversation.Search
	since, until string
}

func (a *app) findCommand() *cobra.Command {
	var f findFlags
	cmd := &cobra.Command{
		Use:   "find TEXT",
		Short: "Find a text in all sessions",
		Long: `Finds a text in prompts, answers, thinking, the inputs and outputs of calls, and
the reasons of refusals, and shows the line in which it stands, with the id that
hindsql show takes. What was said in this repository comes first, then what is
newest. Upper and lower case are one. Copies in forked sessions are left out.`,
		Example: `  hindsql find "connection refused"
  hindsql find --regex 'migrat(e|ion)' --kind prompt,response --since 30d
  hindsql find TODO --format json --top 0`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] == "" {
				return usagef(`what is looked for? hindsql find TEXT, in quotes where it has spaces`)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			f.Text, f.Here = args[0], a.here()
			return a.find(cmd.Context(), f)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.Regex, "regex", false, "TEXT is a regular expression (RE2)")
	flags.StringVar(&f.since, "since", "", "what was said from this `TIME` on: a moment, or an age such as 7d")
	flags.StringVar(&f.until, "until", "", "what was said before this `TIME`")
	flags.StringVar(&f.Agent, "agent", "", "in sessions of this `AGENT`")
	flags.StringVar(&f.Project, "project", "", "in sessions whose folder has this `TEXT` in its path")
	flags.StringSliceVar(&f.Kinds, "kind", nil, "in these `KINDS` of texts: "+strings.Join(conversation.Kinds(), ", "))
	flags.IntVar(&f.Top, "top", 50, "`N` hits at most; 0 for all")
	a.completeAgents(cmd)
	_ = cmd.RegisterFlagCompletionFunc("kind", cobra.FixedCompletions(conversation.Kinds(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (f *findFlags) check(agents []string) error {
	f.Agent = strings.ToLower(f.Agent)
	if f.Agent != "" && !slices.Contains(agents, f.Agent) {
		return usagef("--agent %s: unknown%s", f.Agent, near.Ask(f.Agent, agents, "one of "+strings.Join(agents, ", ")))
	}
	for i, kind := range f.Kinds {
		f.Kinds[i] = strings.ToLower(kind)
		if !slices.Contains(conversation.Kinds(), f.Kinds[i]) {
			return usagef("--kind %s: unknown%s", kind, near.Ask(kind, conversation.Kinds(), "one of "+strings.Join(conversation.Kinds(), ", ")))
		}
	}
	if f.Top < 0 {
		return usagef("--top %d: a number of hits, or 0 for all", f.Top)
	}
	return nil
}

func (a *app) find(ctx context.Context, f findFlags) error {
	if err := f.check(a.agents()); err != nil {
		return err
	}
	return a.withSession(ctx, func(ctx context.Context, v *show.View) error {
		var err error
		if f.Since, f.Until, err = queries.Bounds(ctx, v.Collect, f.since, f.until); err != nil {
			return ofFlag(err)
		}
		err = a.deliver(func(to *render.Output) error { return v.Search(ctx, to, &f.Search) })
		var wrong *syntax.Error
		if errors.As(err, &wrong) {
			return usagef("find %s: %s: %s; without --regex the text itself is found", f.Text, wrong.Code, wrong.Expr)
		}
		return err
	})
}
