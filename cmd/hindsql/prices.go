package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/term"
	"hindsql/queries"
	"hindsql/tables/prices"
)

// pricesOptions are the flags and arguments of hindsql prices.
type pricesOptions struct {
	commandLine
	licence bool
}

func (o *pricesOptions) addFlags(flags *pflag.FlagSet) {
	flags.BoolVar(&o.licence, "license", false, "show the license of the built-in list")
}

func newPricesCommand(env *environment, s commandLine) *cobra.Command {
	return newCommand(env, pricesOptions{commandLine: s}, ofLogs+"no-sync"+ofResults, runPrices, &cobra.Command{
		Use:   "prices [PART]",
		Short: "List the prices by which costs are estimated, and what has none",
		Long: `Lists the prices by which costs are estimated, in US dollars for a million tokens:
of models with PART in their name, or of all. The columns after "above" are for a
request that reads more tokens than that. Then it tells where the list is from, its
date, and which models of your logs have no price.

Without a list of your own (docs/prices.md), it is the built-in one. Nothing is
fetched. Estimates are by this list, whenever the usage was.`,
		Example: "  hindsql prices opus\n  hindsql prices --format csv -o prices.csv\n  hindsql run unpriced-models",
	})
}

func runPrices(ctx context.Context, env *environment, o pricesOptions) error {
	if o.licence {
		err := o.out.refuse("--license")
		if err == nil {
			_, err = fmt.Fprint(env.stdout, prices.Notice)
		}
		return err
	}
	list, err := priceList(env, o.logs)
	if err == nil {
		_, err = list.Read()
	}
	if err != nil {
		return usageError{err}
	}
	return withSession(ctx, env, o.logs, func(ctx context.Context, v *term.View) error {
		q := ask.Statement{SQL: "FROM prices WHERE contains(lower(model), lower($part))", Args: map[string]any{"part": strings.Join(o.args, "")}}
		if err := deliver(env, o.out, func(to *term.Output) error { return v.Query(ctx, to, q) }); err != nil {
			return err
		}
		about, err := prices.Describe(priceFile(env, o.logs), int(v.Session.Count(ctx, ask.Typed("SELECT count(DISTINCT model) FROM prices"))))
		if err != nil {
			return err
		}
		models, _ := queries.Find("", "unpriced-models")
		unpriced, err := term.Unpriced(ctx, v, models)
		env.notice("%s", about)
		env.notice("%s", unpriced)
		return err
	})
}
