package main

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hindsql/cmd/hindsql/term"
	"hindsql/internal/regular"
)

const rootHelp = `hindsql answers SQL about what your coding agents did: sessions, prompts, tool
calls, what you refused and why, interruptions, compactions. It reads the logs
that the agents leave on this machine, and is up to date before every answer.
Nothing leaves the machine unless you push it, and no log is ever changed.`

const rootExamples = `  hindsql                                # opens a prompt
  hindsql overview                       # a saved query; hindsql queries lists them
  hindsql rejections --since 7d
  hindsql weekly                         # a report; hindsql report list lists them
  hindsql show last                      # a session as a page
  hindsql find "connection refused"
  hindsql web --open                     # pages in a browser
  hindsql tables rejections
  hindsql "SELECT tool_name, reason, file_path FROM rejections ORDER BY timestamp DESC LIMIT 10"
  hindsql -f report.sql --format csv -o report.csv
  echo "FROM sessions" | hindsql --format json
  hindsql --sample rejections            # on a made-up home folder`

// rootOptions are the flags and arguments of hindsql itself.
type rootOptions struct {
	promptOptions
	root           *cobra.Command
	sql            []string // the argument; empty if none
	commands, file string
	version        bool
}

func (o *rootOptions) addFlags(flags *pflag.FlagSet) {
	o.promptOptions.addFlags(flags)
	flags.BoolVar(&o.version, "version", false, "show the versions, as hindsql version does")
	flags.StringVarP(&o.commands, "command", "c", "", "run this `SQL`")
	flags.StringVarP(&o.file, "file", "f", "", "run the SQL and the dot commands in `FILE`; - is standard input")
	tries(flags, "command", "FROM sessions", "SELECT 1; SELECT 2", ".tables", "SELECT (")
	tries(flags, "file", "query.sql", "-")
}

// newRootCommand returns the command hindsql with all its subcommands. a is what the
// command line is about.
func newRootCommand(w *world, a *aim) *cobra.Command {
	s := shared{where: &where{}, out: &output{}}
	o := rootOptions{promptOptions: promptOptions{shared: s}}
	root := &cobra.Command{
		Use:     "hindsql [SQL | NAME]",
		Short:   "SQL on the logs of coding agents",
		Long:    rootHelp,
		Example: rootExamples,
		Args:    func(_ *cobra.Command, args []string) error { return o.checkArgs(w, args) },
		RunE: func(cmd *cobra.Command, args []string) error {
			o.sql = args
			return runRoot(cmd.Context(), w, o)
		},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return checkFlags(cmd, s, a) },
		SilenceErrors:     true,
		SilenceUsage:      true,
		ValidArgsFunction: completeRoot(w),
	}
	o.root = root
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return flagError(w, a, c, err) })
	o.addFlags(root.Flags())
	s.out.addFlags(root)
	s.where.addFlags(root, w.agents())
	s.flags, root.Flags().SortFlags = root.Flags(), false
	root.AddCommand(newFindCommand(w, s), newShowCommand(w, s), newTablesCommand(w, s), newQueriesCommand(w, s), newRunCommand(w, s, a), newReportCommand(w, s), newSourcesCommand(w, s), newPricesCommand(w, s), newDoctorCommand(w, s),
		newSyncCommand(w, s), newPruneCommand(w, s), newExportCommand(w, s), newPushCommand(w, s), newPullCommand(w, s), newMachineCommand(w, s), newWebCommand(w, s), newMCPCommand(w, s), newSkillCommand(w, s), newVersionCommand(w, s))
	return root
}

// checkFlags returns an error for wrong flags, before any file is opened.
func checkFlags(cmd *cobra.Command, s shared, a *aim) error {
	if cmd.Flags().Changed("lake") && s.where.lake == "" { // for example an unset variable in a script
		return usagef("--lake: empty; name a folder, or the URL of a catalog")
	}
	if err := s.where.check(); err != nil {
		return err
	}
	if err := s.where.confine.check(a.query != nil, cmd.Flags().Changed("mail-to") || cmd.Flags().Changed("scheduled")); err != nil {
		return err
	}
	named := cmd.Name() == "queries" && len(cmd.Flags().Args()) > 0 // the file of a query
	return s.out.check(named || cmd.Flags().Lookup("format") != s.flags.Lookup("format"))
}

func runRoot(ctx context.Context, w *world, o rootOptions) error {
	if o.version {
		if err := o.out.refuse("--version"); err != nil {
			return err
		}
		return runVersion(ctx, w, versionOptions{})
	}
	sql, err := o.text(w)
	if err != nil {
		return err
	}
	switch {
	case len(o.sql) == 0 && o.commands == "" && o.file == "" && w.stdinTerminal && w.stdoutTerminal:
		return withSession(ctx, w, o.where, func(ctx context.Context, v *term.View) error { return openPrompt(ctx, w, o, v) })
	case strings.TrimSpace(sql) == "":
		return usagef(`no SQL given; hindsql "SELECT …", or see hindsql --help`)
	}
	if sql, err = ofWord(w, o.root, sql); err != nil {
		return err
	}
	return withSession(ctx, w, o.where, func(ctx context.Context, v *term.View) error {
		return doScript(ctx, w, o, v, sql)
	})
}

// text returns the SQL of the argument, -c, -f or standard input; empty if standard
// input is a terminal.
func (o *rootOptions) text(w *world) (string, error) {
	switch {
	case len(o.sql) == 1:
		return o.sql[0], nil
	case o.commands != "":
		return o.commands, nil
	case o.file != "" && o.file != "-":
		text, err := regular.ReadNamed(o.file)
		return string(text), err
	case w.stdinTerminal && o.file == "":
		return "", nil
	}
	text, err := io.ReadAll(w.stdin)
	return string(text), err
}

// completeRoot lists the names for hindsql NAME.
func completeRoot(w *world) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		names, _ := completeQueries(w)(nil, nil, "")
		more, _ := completeReports(w)(nil, nil, "")
		return append(names, more...), cobra.ShellCompDirectiveNoFileComp
	}
}
