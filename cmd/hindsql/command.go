package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/term"
	"hindsql/engine"
	"hindsql/engine/fleet/lake"
	"hindsql/internal/lists"
)

// commandLine has the flags that several commands have, and the command line that is run.
type commandLine struct {
	logs  *logFlags
	out   *outputFlags
	flags *pflag.FlagSet // declares them: the flags of hindsql itself
	cmd   *cobra.Command
	args  []string
	// commands are the names of hindsql's commands, known once all are declared. No saved
	// query may have such a name.
	commands *[]string
}

func (s *commandLine) base() *commandLine { return s }

// changed reports whether a flag is on the command line.
func (s commandLine) changed(flag string) bool { return s.cmd.Flags().Changed(flag) }

// options are a command's flags and arguments, a struct with [commandLine] in it.
type options[O any] interface {
	*O
	base() *commandLine
}

// newCommand completes a command: run gets the options o, with the command line in them.
// The command gets the flags of o's method addFlags, and the shared flags in names.
// Unless cmd has its own functions, the line of use sets the number of arguments, and
// arguments have no completion.
func newCommand[O any, P options[O]](env *environment, o O, names string, run func(context.Context, *environment, O) error, cmd *cobra.Command) *cobra.Command {
	if own, ok := any(P(&o)).(interface{ addFlags(*pflag.FlagSet) }); ok {
		own.addFlags(cmd.Flags())
	}
	base := P(&o).base()
	base.use(cmd, names)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		base.cmd, base.args = cmd, args
		return run(cmd.Context(), env, o)
	}
	if cmd.Args == nil {
		cmd.Args = checkUsage
	}
	if cmd.ValidArgsFunction == nil {
		cmd.ValidArgsFunction = cobra.NoFileCompletions
	}
	return cmd
}

// Shared flags that are mostly used together.
const (
	ofOwnLogs = " root store timezone prices " // which logs become rows of which store
	ofLogs    = ofOwnLogs + "sample "
	ofResults = " format output rows no-pager "
)

// use adds shared flags to a command, after the flags of its own. Other shared flags are
// unknown to the command.
func (s commandLine) use(cmd *cobra.Command, names string) *cobra.Command {
	cmd.Flags().SortFlags = false
	for _, name := range strings.Fields(names) {
		cmd.Flags().AddFlag(s.flags.Lookup(name))
	}
	return cmd
}

// checkUsage allows as many arguments as a command's line of use has: NAME is required,
// [NAME] isn't, and any number may stand for NAME… and name=VALUE.
func checkUsage(cmd *cobra.Command, args []string) error {
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

// usageOrQuestion allows as many arguments as checkUsage does. If there are fewer or
// more, the error is a question.
func usageOrQuestion(question string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if checkUsage(cmd, args) != nil {
			return usagef("%s", question)
		}
		return nil
	}
}

func commandNames(root *cobra.Command) []string {
	return lists.Map(root.Commands(), func(c *cobra.Command) string { return c.Name() })
}

// visitCommands visits a command and all its subcommands.
func visitCommands(c *cobra.Command, visit func(*cobra.Command)) {
	visit(c)
	for _, below := range c.Commands() {
		visitCommands(below, visit)
	}
}

func folderCompletion(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// confirm asks whether to go on.
func confirm(env *environment, yes bool) (bool, error) {
	if yes {
		return true, nil
	}
	if !env.stdinTerminal {
		return false, usagef("not a terminal: rerun with --yes to apply the changes above")
	}
	if term.Confirm(env.stdin, env.stdout, "\nDo this? [y/N] ") {
		return true, nil
	}
	fmt.Fprintln(env.stdout, "nothing was changed")
	return false, nil
}

// withSession opens a session, syncs unless --no-sync is set, and calls use.
func withSession(ctx context.Context, env *environment, from *logFlags, use func(context.Context, *term.View) error) error {
	return withOpen(ctx, env, from, withSync(env, from, use))
}

// withSync returns a function that syncs, unless --no-sync is set, and then calls use.
func withSync(env *environment, from *logFlags, use func(context.Context, *term.View) error) func(context.Context, *term.View) error {
	if from.lake != "" {
		return use // a lake has no logs
	}
	return func(ctx context.Context, v *term.View) error {
		var report engine.SyncReport
		if !from.noSync {
			var err error
			if report, err = v.Sync(ctx, false); err != nil {
				return err
			}
		}
		if from.quiet {
			return use(ctx, v)
		}
		if report.Found == 0 {
			if err := warnIfEmpty(ctx, env, from, v); err != nil {
				return err
			}
		} else if err := warnIfScopeEmpty(ctx, env, from, v); err != nil {
			return err
		}
		return use(ctx, v)
	}
}

// warnIfEmpty tells the user what to do if no log is loaded.
func warnIfEmpty(ctx context.Context, env *environment, from *logFlags, v *term.View) error {
	if !from.noSync {
		return v.WarnIfEmpty(ctx)
	}
	empty, err := v.Session.IsEmpty(ctx)
	if err == nil && empty {
		v.Print(ask.Notice{Kind: ask.Empty, Subject: "nothing is loaded yet; leave out --no-sync"})
	}
	return err
}

// warnIfScopeEmpty tells the user if no session ran in the projects of --project.
func warnIfScopeEmpty(ctx context.Context, env *environment, from *logFlags, v *term.View) error {
	if len(from.confine.projects) == 0 {
		return nil
	}
	set, err := v.Collect(ctx, "SELECT 1 FROM sessions LIMIT 1", nil)
	if err == nil && len(set.Rows) == 0 {
		v.Print(ask.Notice{Kind: ask.Empty, Subject: fmt.Sprintf("--project %s: no session ran there", strings.Join(from.confine.projects, " --project "))})
	}
	return err
}

// withOpen opens a session without a sync, on the user's logs or the sample.
func withOpen(ctx context.Context, env *environment, from *logFlags, use func(context.Context, *term.View) error) error {
	config, err := chosenConfig(ctx, env, from)
	if err != nil {
		return err
	}
	return withConfig(ctx, env, config, use)
}

func withConfig(ctx context.Context, env *environment, config engine.Config, use func(context.Context, *term.View) error) error {
	v := &term.View{Store: config.Store, Home: env.home, Words: commandWords, Err: env.stderr}
	if env.stderrTerminal {
		v.Progress = term.NewProgress(env.stderr)
	}
	source, err := ask.Open(ctx, config, queriesFunc(env))
	if err != nil {
		return err
	}
	if v.Session, err = source.Session(ctx); err != nil {
		return cmp.Or(err, source.Close())
	}
	return cmp.Or(use(ctx, v), v.Session.Close(), source.Close())
}

// chosenConfig returns the configuration for the user's logs, or for the sample.
func chosenConfig(ctx context.Context, env *environment, from *logFlags) (engine.Config, error) {
	config, err := ownConfig(env, from)
	if err == nil && from.sample == sampleAuto {
		err = chooseSample(ctx, env, from, config)
	}
	switch {
	case err != nil:
	case from.sample == sampleAlways:
		config, err = sampleConfig(env, config)
	default:
		config, err = withMachine(env, config)
	}
	if err == nil && from.lake != "" {
		config.Lake, err = openLake(ctx, env, from)
	}
	return config, err
}

// openLake opens the rows of --lake. It warns about rows that it leaves out.
func openLake(ctx context.Context, env *environment, from *logFlags) (*engine.Lake, error) {
	l, warnings, err := lake.Open(ctx, from.lake, lake.Options{Getenv: env.getenv, Home: env.home})
	for _, warning := range warnings {
		env.notice("%v", warning)
	}
	return l, err
}

// chooseSample changes --sample=auto to always if the machine has no logs and the store
// no rows.
func chooseSample(ctx context.Context, env *environment, from *logFlags, config engine.Config) error {
	empty, err := wouldBeEmpty(ctx, env, config)
	if err == nil && empty {
		env.notice("no logs found; this is the sample")
		from.sample = sampleAlways
	}
	return err
}

// wouldBeEmpty reports whether the machine has no logs and the store no rows.
func wouldBeEmpty(ctx context.Context, env *environment, config engine.Config) (empty bool, err error) {
	err = withConfig(ctx, env, config, func(ctx context.Context, v *term.View) error {
		if slices.ContainsFunc(v.Places(), func(p engine.PlaceReport) bool { return p.Files > 0 }) {
			return nil
		}
		empty, err = v.Session.IsEmpty(ctx)
		return err
	})
	return empty, err
}
