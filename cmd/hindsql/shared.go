package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// shared has the flags that several commands have.
type shared struct {
	where *where
	out   *output
	flags *pflag.FlagSet // declares them: the flags of hindsql itself
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
