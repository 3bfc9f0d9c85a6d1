package main

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hindsql/cmd/hindsql/pruning"
	"hindsql/cmd/hindsql/term"
)

// pruneOptions are the flags of hindsql prune.
type pruneOptions struct {
	commandLine
	pruning.Options // Host is empty for the rows of deleted logs
	remember        string
	yes             bool
}

func (o *pruneOptions) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&o.Host, "host", "", "drop what came from the machine of this `NAME`, or id")
	tries(flags, "host", "test")
	flags.StringVar(&o.Project, "project", "", "only sessions of this project's `FOLDER`, or of folders of this name")
	tries(flags, "project", "shop-api", ".")
	flags.StringVar(&o.Session, "session", "", "only the session of this `ID`, or of an id that begins so")
	tries(flags, "session", "01a162e3")
	flags.StringVar(&o.Agent, "agent", "", "only sessions of this agent `NAME`")
	flags.StringVar(&o.EndedBefore, "before", "", "only sessions that ended before this `TIME`, such as 90d or 2026-01-31")
	tries(flags, "before", "1d")
	flags.BoolVar(&o.Forgets, "forget", false, "keep the sessions out for good, though their logs exist")
	flags.StringVar(&o.remember, "remember", "", "load the forgotten session of this `ID` again")
	tries(flags, "remember", "01a162e3")
	flags.BoolVar(&o.DryRun, "dry-run", false, "show what would go, and drop nothing")
	flags.BoolVar(&o.yes, "yes", false, "drop without asking; needed where nobody can answer")
}

func newPruneCommand(env *environment, s commandLine) *cobra.Command {
	cmd := newCommand(env, pruneOptions{commandLine: s}, ofLogs+"no-sync", runPrune, &cobra.Command{
		Use:   "prune",
		Short: "Drop the rows of logs that are gone, or forget sessions",
		Long: `Drops the rows of logs that no longer exist. Agents delete old logs after some
weeks; until they are pruned, hindsql keeps what it read from them. There is no
way back. --project, --session, --agent and --before choose among the sessions of
these logs. Rows of a log that exists stay: the next load would bring them back.

Prune shows what would go, and asks. Without a terminal it needs --yes.

--forget drops sessions whose logs exist, too, and keeps them out: from later
loads, from a new store, and from a pull. Their subagents go along, and so do
copies of their messages in resumed and forked sessions, and their prompts in
histories. No log is changed. The next push takes away what was pushed of them;
exports and reports stay as they are. hindsql sources --forgotten lists forgotten
sessions, and --remember ID takes one back. To take away all that this machine
pushed, see hindsql push --forget.

--host drops all rows that came from that machine, without asking: hindsql machine
has the names and ids.`,
		Example: `  hindsql prune --dry-run
  hindsql prune --before 365d --yes
  hindsql prune --forget --session 5e550500
  hindsql prune --forget --project ~/diary
  hindsql prune --remember 5e550500`,
	})
	completeAgents(env, cmd)
	return cmd
}

// check finds flags that contradict each other.
func (o *pruneOptions) check(agents []string) error {
	filters := o.Project + o.Session + o.Agent + o.EndedBefore
	switch {
	case o.remember != "" && (filters+o.Host != "" || o.Forgets || o.DryRun):
		return usagef("--remember goes alone")
	case o.Host != "" && (filters != "" || o.Forgets):
		return usagef("--host goes alone: it drops all rows of the machine")
	case o.Forgets && filters == "":
		return usagef("--forget: name what to forget, with --session, --project, --agent or --before")
	}
	o.Agent = strings.ToLower(o.Agent)
	if err := knownAgent(o.Agent, agents); err != nil {
		return err
	}
	if o.Project == "." || o.Project == ".." || strings.ContainsRune(o.Project, filepath.Separator) {
		path, err := filepath.Abs(o.Project)
		o.Project = path
		return err
	}
	return nil
}

func runPrune(ctx context.Context, env *environment, o pruneOptions) error {
	if err := o.check(env.agents()); err != nil {
		return err
	}
	err := withSession(ctx, env, o.logs, func(ctx context.Context, v *term.View) error {
		st := v.Session.Store()
		if o.Host != "" && (o.Host == st.Hostname() || o.Host == st.Machine()) {
			return usagef("--host %s: is this machine; its rows come from its logs. Another one of the name goes by its id, which hindsql machine shows", o.Host)
		}
		if o.remember != "" {
			return pruning.Remember(ctx, v, env.stdout, o.remember)
		}
		return pruning.Run(ctx, v, env.stdout, o.Options, func() (bool, error) { return confirm(env, o.yes) })
	})
	return ofFlag(err)
}
