package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/schedule"
	"hindsql/internal/result"
)

func newReportCommand(env *environment, s commandLine) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "report",
		Short: "Reports: several queries on a page",
		Long: `A report is a TOML file that names queries and how each is shown. Two are built
in. Your own are files in the folder hindsql/reports of your configuration
folder ($XDG_CONFIG_HOME, or ` + userOf(env).ConfigName() + `). To begin one, change a built-in:

  hindsql report show weekly > ` + filepath.Join(userOf(env).ConfigName(), "hindsql", "reports", "weekly.toml") + `

A file with the name of a built-in report takes its place. Each [[section]] has
a title, a text, query = "a saved one" or sql = "…", params = {…}, show = table,
chart, bar, line, heatmap or number, and may have a period of its own. In
SQL, $since and $until are the report's period. docs/reports.md has all keys.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("which? hindsql report run NAME, list, or show NAME")
			}
			return usagef("unknown command %q for hindsql report; see hindsql report --help", args[0])
		},
		RunE: func(*cobra.Command, []string) error { return nil },
	}
	cmd.AddCommand(newReportRunCommand(env, s), newReportListCommand(env, s), newReportShowCommand(env, s))
	cmd.AddCommand(newReportInstallCommand(env, s), newReportUninstallCommand(env, s))
	return cmd
}

func newReportListCommand(env *environment, s commandLine) *cobra.Command {
	return newCommand(env, s, ofResults, runReportList, &cobra.Command{
		Use:   "list",
		Short: "List the reports",
	})
}

func runReportList(ctx context.Context, env *environment, s commandLine) error {
	var rows [][]any
	installed := installedTimers(ctx, env)
	for _, r := range reports(env) {
		on := installed[r.Name]
		rows = append(rows, []any{r.Name, r.Title, string(r.Period), cmp.Or(on.Schedule, r.Schedule), on.Scheduler, ask.Origin(env.home, r.Path, r.Overrides)})
	}
	for _, name := range slices.Sorted(maps.Keys(installed)) {
		if on := installed[name]; isPush(name) {
			rows = append(rows, []any{name, "push", "", on.Schedule, on.Scheduler, ""})
		}
	}
	return listRows(env, s.out, result.Columns("name VARCHAR", "title VARCHAR", "period VARCHAR", "schedule VARCHAR", "installed VARCHAR", "origin VARCHAR"), rows)
}

func newReportShowCommand(env *environment, s commandLine) *cobra.Command {
	return newCommand(env, s, "", runReportShow, &cobra.Command{
		Use:               "show NAME",
		Short:             "Show the file of a report",
		ValidArgsFunction: completeReports(env),
	})
}

func runReportShow(_ context.Context, env *environment, o commandLine) error {
	r, err := reportNamed(env, o.args[0])
	if err == nil {
		_, err = fmt.Fprint(env.stdout, r.Source)
	}
	return err
}

// reportInstallOptions are the flags of hindsql report install.
type reportInstallOptions struct {
	commandLine
	schedulerOptions
	scheduledOptions
}

func (o *reportInstallOptions) addFlags(flags *pflag.FlagSet) {
	o.schedulerOptions.addFlags(flags)
	o.scheduledOptions.addFlags(flags)
	flags.BoolVar(&o.redact, "redact", false, "replace secrets in the report with [redacted:RULE], whatever its own file says")
	flags.StringVar(&o.mailTo, "mail-to", "", "mail the report to these `ADDRESSES`, with commas between: without private projects, and without secrets unless --redact=false")
	tries(flags, "mail-to", "ada@example.org")
}

// scheduledFlags returns the flags as words of the scheduled command.
func (o *reportInstallOptions) scheduledFlags(env *environment) (list []string, err error) {
	if o.keep < 0 {
		return nil, usagef("--keep is %d; 0 keeps all", o.keep)
	}
	if o.changed("keep") {
		list = append(list, "--keep", strconv.Itoa(o.keep))
	}
	if o.changed("notify") {
		list = append(list, "--notify", o.notify)
	}
	if o.changed("redact") {
		list = append(list, fmt.Sprintf("--redact=%t", o.redact))
	}
	if o.mailTo == "" {
		return list, nil
	}
	if _, err := mailingTo(o.mailTo, o.changed("redact"), o.redact); err != nil {
		return nil, err
	}
	program, err := schedule.FindSendmail(env.getenv("PATH"))
	if err != nil {
		return nil, usagef("--mail-to: %v", err)
	}
	return append(list, "--mail-to", o.mailTo, "--sendmail", program), nil
}

func newReportInstallCommand(env *environment, s commandLine) *cobra.Command {
	return completeSchedulers(newCommand(env, reportInstallOptions{commandLine: s}, ofOwnLogs+"output", runReportInstall, &cobra.Command{
		Use:     "install NAME",
		Aliases: []string{"schedule"},
		Short:   "Have a report run by itself",
		Long: `Has this system's own scheduler run hindsql report run NAME --scheduled: a systemd
user timer, a launchd agent, a task of Windows or a line of your crontab,
whichever there is, or the one that --with names. What the scheduler gets is shown
first, and asked for. hindsql report uninstall undoes it.

A schedule is hourly, daily 08:00, weekdays 08:00, weekly mon 08:00, monthly 1
08:00, every 6h, or the five fields of cron. If --schedule, --keep or --notify is
left out, the report's own file decides.

Each run covers the time since the last one that went well. -o DIR gets the files,
which have dated names; --keep N removes all but the newest N. --notify is any
command of the shell: it gets the report on standard input, and $HINDSQL_REPORT,
$HINDSQL_STATUS (ok, alert, or failed: given up until the next time) and
$HINDSQL_OUTPUT.

--mail-to hands each report to sendmail, as a mail, without private projects (see
hindsql push) and with secrets replaced; the file in the folder is then made so,
too. Nothing is sent anywhere otherwise.`,
		Example: `  hindsql report install weekly -o ~/reports
  hindsql report install refusals --schedule "daily 18:00" --keep 30 -o ~/reports
  hindsql report install weekly --mail-to me@example.org,team@example.org
  hindsql report install weekly --notify 'mail -s "my week" me@example.org'`,
		ValidArgsFunction: completeReports(env),
	}))
}

func runReportInstall(ctx context.Context, env *environment, o reportInstallOptions) error {
	r, err := scheduledReport(env, o.args[0])
	if err != nil {
		return err
	}
	if o.schedule == "" {
		o.schedule = r.Schedule
	}
	command := []string{"report", "run", r.Name, "--scheduled"}
	if o.out.file != "" {
		folder, err := filepath.Abs(env.long(o.out.file))
		if err != nil {
			return err
		}
		command = append(command, "-o", folder)
	}
	words, err := o.scheduledFlags(env)
	if err != nil {
		return err
	}
	return installTimer(ctx, env, o.logs, r.Name, append(command, words...), o.schedulerOptions)
}

func newReportUninstallCommand(env *environment, s commandLine) *cobra.Command {
	return newCommand(env, s, "", runReportUninstall, &cobra.Command{
		Use:   "uninstall [NAME…]",
		Short: "Have reports no longer run by themselves",
		Long: `Takes reports, all without a NAME, from the system's scheduler. What hindsql
report install didn't write stays as it is. Reports that were made stay, and so
does table report_runs.`,
		ValidArgsFunction: func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
			var names []string
			installed, _ := thisSystem(env).Installed(cmd.Context())
			for name, entry := range installed {
				names = append(names, name+"\t"+entry.Schedule)
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	})
}

func runReportUninstall(ctx context.Context, env *environment, s commandLine) error {
	return uninstallTimers(ctx, env, s.args, false)
}
