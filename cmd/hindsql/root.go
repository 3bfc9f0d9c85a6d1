package main

import (
	"context"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hindsql/cmd/hindsql/render"
	"hindsql/cmd/hindsql/show"
	"hindsql/queries/report/schedule"
)

// app is one run of the program: what is outside, and the flags given.
type app struct {
	env
	where
	out     output
	confine safeFlags // of the commands that run SQL

	commands, file string // of the root command

	// Of tests; nil in the program.
	now        func() time.Time
	makeReport func(ctx context.Context, name, folder string, from, to time.Time) (schedule.Made, error)
}

const rootHelp = `hindsql answers SQL about what your coding agents did: sessions, prompts, tool
calls, what you refused and why, interruptions, compactions. It reads the logs
that the agents leave on this machine, and is up to date before every answer.
Nothing leaves the machine, and no log is ever changed.`

const rootExamples = `  hindsql                                # opens a prompt
  hindsql run overview
  hindsql report run weekly
  hindsql tables rejections
  hindsql "SELECT tool_name, reason, file_path FROM rejections ORDER BY timestamp DESC LIMIT 10"
  hindsql -f report.sql --format csv -o report.csv
  echo "FROM sessions" | hindsql --format json
  hindsql --sample run rejections        # on a made-up home folder`

func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:               "hindsql [SQL]",
		Short:             "SQL on the logs of coding agents",
		Long:              rootHelp,
		Example:           rootExamples,
		Args:              a.rootArgs,
		RunE:              a.runRoot,
		PersistentPreRunE: func(*cobra.Command, []string) error { return a.checkFlags() },
		SilenceErrors:     true,
		SilenceUsage:      true,
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usagef("%v; see %s --help", err, c.CommandPath())
	})
	root.Flags().StringVarP(&a.commands, "command", "c", "", "run this `SQL`")
	root.Flags().StringVarP(&a.file, "file", "f", "", "run the SQL and the dot commands in `FILE`; - is standard input")
	a.confine.addFlags(root)
	a.out.addFlags(root)
	a.addWhereFlags(root)
	root.AddCommand(a.tablesCommand(), a.queriesCommand(), a.runCommand(), a.reportCommand(), a.sourcesCommand(),
		a.syncCommand(), a.pruneCommand(), a.exportCommand(), a.importCommand(), a.manCommand(), a.versionCommand())
	return root
}

func (a *app) rootArgs(_ *cobra.Command, args []string) error {
	switch {
	case len(args) > 1:
		return usagef(`give the SQL as one argument, in quotes: hindsql "SELECT …"`)
	case len(args) == 1 && a.commands != "", len(args) == 1 && a.file != "", a.commands != "" && a.file != "":
		return usagef("give the SQL once: as an argument, with -c, or with -f")
	}
	return nil
}

// checkFlags refuses what is wrong with the flags before anything is opened.
func (a *app) checkFlags() error {
	if err := a.where.check(); err != nil {
		return err
	}
	if err := a.confine.check(); err != nil {
		return err
	}
	return a.out.check()
}

func (a *app) runRoot(cmd *cobra.Command, args []string) error {
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
	if err := a.misspelt(cmd, sql); err != nil {
		return err
	}
	return a.withSession(cmd.Context(), func(ctx context.Context, v *show.View) error {
		return a.script(ctx, v, a.source(args), sql)
	})
}

// query runs a statement and writes its results.
func (a *app) query(ctx context.Context, v *show.View, q show.Statement) error {
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

var oneWord = regexp.MustCompile(`^[a-zA-Z_-]+$`)

// misspelt catches a lone word, which is no SQL but a command, a saved query
// or a table.
func (a *app) misspelt(cmd *cobra.Command, sql string) error {
	if !oneWord.MatchString(sql) {
		return nil
	}
	if slices.Contains(show.TableNames(), sql) {
		return usagef("%s is a table; hindsql \"FROM %s\" shows its rows, hindsql tables %s its columns", sql, sql, sql)
	}
	saved, _ := a.saved()
	for _, q := range saved {
		if q.Name == sql {
			return usagef("%s is a saved query; hindsql run %s", sql, sql)
		}
	}
	if near := cmd.SuggestionsFor(sql); len(near) > 0 {
		return usagef("unknown command %q; did you mean %s?", sql, strings.Join(near, " or "))
	}
	return nil
}
