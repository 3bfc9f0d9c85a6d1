package main

import (
	"context"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/render"
	"hindsql/cmd/hindsql/show"
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

func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:               "hindsql [SQL | NAME]",
		Short:             "SQL on the logs of coding agents",
		Long:              rootHelp,
		Example:           rootExamples,
		Args:              a.rootArgs,
		RunE:              a.runRoot,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return a.checkFlags(cmd) },
		SilenceErrors:     true,
		SilenceUsage:      true,
		ValidArgsFunction: a.completeRoot,
	}
	root.SetFlagErrorFunc(a.flagError)
	root.Flags().BoolVar(&a.versionAsked, "version", false, "show the versions, as hindsql version does")
	root.Flags().StringVarP(&a.commands, "command", "c", "", "run this `SQL`")
	root.Flags().StringVarP(&a.file, "file", "f", "", "run the SQL and the dot commands in `FILE`; - is standard input")
	a.confine.addFlags(root)
	a.addInitFlag(root)
	a.out.addFlags(root)
	a.where.addFlags(root, a.agents())
	w, s := a.world, a.shared()
	root.AddCommand(newFindCommand(w, s), newShowCommand(w, s), newTablesCommand(w, s), newQueriesCommand(w, s), a.runCommand(), newReportCommand(w, s), newSourcesCommand(w, s), newDoctorCommand(w, s),
		newSyncCommand(w, s), newPruneCommand(w, s), newExportCommand(w, s), newImportCommand(), newPushCommand(w, s), newPullCommand(w, s), newMachineCommand(w, s), newWebCommand(w, s), newMCPCommand(w, s), newSkillCommand(w, s), newManCommand(w, s), newVersionCommand(w, s))
	a.root = root
	return root
}

// checkFlags refuses what is wrong with the flags before anything is opened.
func (a *app) checkFlags(cmd *cobra.Command) error {
	if err := refuseUseless(cmd); err != nil {
		return err
	}
	if cmd.Flags().Changed("lake") && a.lake == "" { // a script's variable that isn't set
		return usagef("--lake: empty; name a folder, or the URL of a catalog")
	}
	if err := a.where.check(); err != nil {
		return err
	}
	if err := a.confine.check(a.aim.query != nil); err != nil {
		return err
	}
	return a.out.check(hasOwnFormats(cmd))
}

func (a *app) runRoot(cmd *cobra.Command, args []string) error {
	if a.versionAsked {
		return runVersion(cmd.Context(), a.world, a.shared())
	}
	sql, err := a.sqlText(args)
	if err != nil {
		return err
	}
	switch {
	case len(args) == 0 && a.commands == "" && a.file == "" && a.stdinTerminal && a.stdoutTerminal:
		return a.withSession(cmd.Context(), a.openPrompt)
	case strings.TrimSpace(sql) == "":
		return usagef(`no SQL given; hindsql "SELECT …", or see hindsql --help`)
	}
	if sql, err = a.ofWord(sql); err != nil {
		return err
	}
	return a.withSession(cmd.Context(), func(ctx context.Context, v *show.View) error {
		return a.script(ctx, v, a.source(args), sql)
	})
}

// query runs a statement and writes its results.
func (a *app) query(ctx context.Context, v *show.View, q ask.Statement) error {
	return a.deliver(func(to *render.Output) error { return v.Query(ctx, to, q) })
}

// sqlText gives the SQL of the argument, -c, -f or standard input; none when
// standard input is a terminal.
func (a *app) sqlText(args []string) (string, error) {
	switch {
	case len(args) == 1:
		return args[0], nil
	case a.commands != "":
		return a.commands, nil
	case a.file != "" && a.file != "-":
		text, err := os.ReadFile(a.file)
		return string(text), err
	case a.stdinTerminal && a.file == "":
		return "", nil
	}
	text, err := io.ReadAll(a.stdin)
	return string(text), err
}

// completeRoot lists what hindsql NAME may run.
func (a *app) completeRoot(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	names, _ := completeQueries(a.world)(nil, nil, "")
	more, _ := completeReports(a.world)(nil, nil, "")
	return append(names, more...), cobra.ShellCompDirectiveNoFileComp
}
