package main

import (
	"context"
	"errors"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hindsql/cmd/hindsql/term"
	"hindsql/internal/suggest"
	"hindsql/queries"
	"hindsql/queries/conversation"
)

// findOptions are the flags and arguments of hindsql find.
type findOptions struct {
	commandLine
	conversation.Search
	since, until string
}

func (o *findOptions) addFlags(flags *pflag.FlagSet) {
	flags.BoolVar(&o.Regex, "regex", false, "TEXT is a regular expression (RE2)")
	flags.StringVar(&o.since, "since", "", "what was said from this `TIME` on: a moment, or an age such as 7d")
	flags.StringVar(&o.until, "until", "", "what was said before this `TIME`")
	tries(flags, "since", "7d")
	tries(flags, "until", "yesterday")
	flags.StringVar(&o.Agent, "agent", "", "in sessions of this `AGENT`")
	flags.StringVar(&o.Project, "project", "", "in sessions whose folder has this `TEXT` in its path")
	tries(flags, "project", "shop")
	flags.StringSliceVar(&o.Kinds, "kind", nil, "in these `KINDS` of texts: "+strings.Join(conversation.Kinds(), ", "))
	flags.IntVar(&o.Top, "top", 50, "`N` hits at most; 0 for all")
}

func newFindCommand(env *environment, s commandLine) *cobra.Command {
	cmd := newCommand(env, findOptions{commandLine: s}, ofLogs+"no-sync lake"+ofResults, runFind, &cobra.Command{
		Use:   "find TEXT",
		Short: "Find a text in all sessions",
		Long: `Finds a text in prompts, answers, thinking, the inputs and outputs of calls, and
the reasons of refusals, and shows the line in which it stands, with the id that
hindsql show takes. What was said in this repository comes first, then what is
newest. Upper and lower case are one. Copies in forked sessions are left out.`,
		Example: `  hindsql find "connection refused"
  hindsql find --regex 'migrat(e|ion)' --kind prompt,response --since 30d
  hindsql find TODO --format json --top 0`,
		Args: func(cmd *cobra.Command, args []string) error {
			texts, err := setFlags(cmd.Flags(), args)
			if err == nil && (len(texts) != 1 || texts[0] == "") {
				err = usagef("one search text expected; quote it if it has spaces: hindsql find TEXT")
			}
			return err
		},
	})
	completeAgents(env, cmd)
	_ = cmd.RegisterFlagCompletionFunc("kind", cobra.FixedCompletions(conversation.Kinds(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// setFlags sets flags from words such as top=3, and returns the other words. The first
// word is never a flag.
func setFlags(flags *pflag.FlagSet, args []string) (others []string, err error) {
	for i, word := range args {
		name, value, ok := strings.Cut(word, "=")
		if f := flags.Lookup(name); !ok || i == 0 || f == nil {
			others = append(others, word)
		} else if err := f.Value.Set(value); err != nil {
			return nil, usagef("%s: %v; see hindsql find --help", word, err)
		}
	}
	return others, nil
}

func (o *findOptions) check(agents []string) error {
	o.Agent = strings.ToLower(o.Agent)
	if err := knownAgent(o.Agent, agents); err != nil {
		return err
	}
	for i, kind := range o.Kinds {
		o.Kinds[i] = strings.ToLower(kind)
		if !slices.Contains(conversation.Kinds(), o.Kinds[i]) {
			return usagef("--kind %s: unknown%s", kind, suggest.Ask(kind, conversation.Kinds(), "one of "+strings.Join(conversation.Kinds(), ", ")))
		}
	}
	if o.Top < 0 {
		return usagef("--top %d: a number of hits, or 0 for all", o.Top)
	}
	return nil
}

func runFind(ctx context.Context, env *environment, o findOptions) error {
	if err := o.check(env.agents()); err != nil {
		return err
	}
	o.Text, o.Here = o.args[0], currentFolders(env)
	return withSession(ctx, env, o.logs, func(ctx context.Context, v *term.View) error {
		var err error
		if o.Since, o.Until, err = queries.Bounds(ctx, v.Collect, o.since, o.until); err != nil {
			return ofFlag(err)
		}
		err = deliver(env, o.out, func(to *term.Output) error { return v.Search(ctx, to, &o.Search) })
		if wrong, ok := errors.AsType[*syntax.Error](err); ok {
			return usagef("find %s: %s: %s; without --regex the text itself is found", o.Text, wrong.Code, wrong.Expr)
		}
		return err
	})
}
