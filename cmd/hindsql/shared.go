package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// shared has the flags that several commands have, and the command line that is run.
type shared struct {
	where *where
	out   *output
	flags *pflag.FlagSet // declares them: the flags of hindsql itself
	cmd   *cobra.Command
	args  []string
}

func (s *shared) base() *shared { return s }

// changed reports whether a flag is on the command line.
func (s shared) changed(flag string) bool { return s.cmd.Flags().Changed(flag) }

// options are a command's flags and arguments, a struct with [shared] in it.
type options[O any] interface {
	*O
	base() *shared
}

// newCommand completes a command: run gets the options o, with the command line in them.
// The flags are those that o's method addFlags adds, and the shared flags of names. The
// number of arguments follows from the line of use, and they complete to nothing, unless
// cmd has its own functions for them.
func newCommand[O any, P options[O]](w *world, o O, names string, run func(context.Context, *world, O) error, cmd *cobra.Command) *cobra.Command {
	if own, ok := any(P(&o)).(interface{ addFlags(*pflag.FlagSet) }); ok {
		own.addFlags(cmd.Flags())
	}
	base := P(&o).base()
	base.use(cmd, names)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		base.cmd, base.args = cmd, args
		return run(cmd.Context(), w, o)
	}
	if cmd.Args == nil {
		cmd.Args = asUsed
	}
	if cmd.ValidArgsFunction == nil {
		cmd.ValidArgsFunction = cobra.NoFileCompletions
	}
	return cmd
}

// asUsed allows as many arguments as a command's line of use has: NAME is required,
// [NAME] isn't, and any number may stand for NAME… and name=VALUE.
func asUsed(cmd *cobra.Command, args []string) error {
	least, most := 0, 0
	for _, word := range strings.Fields(cmd.Use)[1:] {
		most++
		if word[0] != '[' {
			least++
		}
		if strings.ContainsAny(word, "…=") {
			most = max(most, len(args))
		}
	}
	if len(args) < least || len(args) > most {
		return usagef("usage: %s %s", cmd.Parent().CommandPath(), cmd.Use)
	}
	return nil
}

// orAsk allows as many arguments as asUsed does. If there are fewer or more, the error
// is a question.
func orAsk(question string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if asUsed(cmd, args) != nil {
			return usagef("%s", question)
		}
		return nil
	}
}

// Shared flags that are mostly used together.
const (
	ofOwnLogs = " root store timezone prices " // which logs become rows of which store
	ofLogs    = ofOwnLogs + "sample "
	ofResults = " format output rows no-pager "
)

// use adds shared flags to a command, after the flags of its own. Other shared flags are
// unknown to the command.
func (s shared) use(cmd *cobra.Command, names string) *cobra.Command {
	cmd.Flags().SortFlags = false
	for _, name := range strings.Fields(names) {
		cmd.Flags().AddFlag(s.flags.Lookup(name))
	}
	return cmd
}
