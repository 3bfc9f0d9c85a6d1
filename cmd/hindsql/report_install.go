package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hindsql/cmd/hindsql/schedule"
	"hindsql/cmd/hindsql/term"
)

// schedulerOptions say when a command runs, by which scheduler, and whether to skip the
// question, or to end before it.
type schedulerOptions struct {
	schedule, with string
	yes, dryRun    bool
}

func (o *schedulerOptions) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&o.schedule, "schedule", o.schedule, "when: `WORDS` such as weekly mon 08:00, or fields of cron")
	tries(flags, "schedule", "weekly mon 08:00", "*/5 * * * *")
	flags.StringVar(&o.with, "with", "", "`SCHEDULER`: systemd, launchd, schtasks or cron")
	flags.BoolVarP(&o.yes, "yes", "y", false, "don't ask")
	flags.BoolVar(&o.dryRun, "dry-run", false, "show what would be done, and do nothing")
}

// completesSchedulers has the names of schedulers complete the flag --with of a command.
func completesSchedulers(cmd *cobra.Command) *cobra.Command {
	var names []string
	for _, s := range schedule.Schedulers() {
		names = append(names, s.Name)
	}
	_ = cmd.RegisterFlagCompletionFunc("with", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// reportInstallOptions are the flags of hindsql report install.
type reportInstallOptions struct {
	shared
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

func newReportInstallCommand(w *world, s shared) *cobra.Command {
	return completesSchedulers(newCommand(w, reportInstallOptions{shared: s}, ofOwnLogs+"output", runReportInstall, &cobra.Command{
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
		ValidArgsFunction: completeReports(w),
	}))
}

func runReportInstall(ctx context.Context, w *world, o reportInstallOptions) error {
	r, err := scheduledReport(w, o.args[0])
	if err != nil {
		return err
	}
	if o.schedule == "" {
		o.schedule = r.Schedule
	}
	command := []string{"report", "run", r.Name, "--scheduled"}
	if o.out.file != "" {
		folder, err := filepath.Abs(w.long(o.out.file))
		if err != nil {
			return err
		}
		command = append(command, "-o", folder)
	}
	words, err := o.words(w)
	if err != nil {
		return err
	}
	return putOnSchedule(ctx, w, o.where, r.Name, append(command, words...), o.schedulerOptions)
}

// putOnSchedule shows what the scheduler gets, asks, and installs it.
func putOnSchedule(ctx context.Context, w *world, from *where, name string, command []string, o schedulerOptions) error {
	tellOldSchedule(w)
	when, err := schedule.Parse(o.schedule)
	if err != nil {
		return usagef("report %s: %v", name, err)
	}
	with, err := chooseScheduler(ctx, w, o.with)
	if err != nil {
		return err
	}
	timer, err := newTimer(w, from, command)
	if err != nil {
		return err
	}
	timer.Name, timer.When = name, when
	files, commands, err := thisSystem(w).Plan(with, timer)
	if err != nil {
		return usagef("%v", err)
	}
	showPlan(w, timer, with, files, commands)
	if o.dryRun {
		return nil
	}
	if yes, err := agree(w, o.yes); err != nil || !yes {
		return err
	}
	removed, err := thisSystem(w).Install(ctx, with, timer)
	tellRemoved(w, name, removed)
	if err != nil {
		return err
	}
	fmt.Fprintf(w.stdout, "\ninstalled; hindsql \"FROM report_runs\" shows the runs, hindsql report uninstall %s undoes this\n", name)
	return nil
}

func showPlan(w *world, timer schedule.Timer, with schedule.Scheduler, files []schedule.File, commands [][]string) {
	fmt.Fprintf(w.stdout, "%s: %s, by %s\n", timer.Name, timer.When, with.Name)
	for _, f := range files {
		title := "Into your crontab"
		if f.Path != "" {
			title = "Into " + w.short(f.Path)
		}
		fmt.Fprintf(w.stdout, "\n%s:\n  %s\n", title, strings.ReplaceAll(strings.TrimSpace(f.Text), "\n", "\n  "))
	}
	for i, c := range commands {
		if i == 0 {
			fmt.Fprintln(w.stdout, "\nThen run:")
		}
		fmt.Fprintf(w.stdout, "  %s\n", strings.Join(c, " "))
	}
	if with.Name == "systemd" {
		fmt.Fprintln(w.stdout, "\nIt runs while you are logged in; to have it always:\n  loginctl enable-linger")
	}
}

// agree asks whether to go on.
func agree(w *world, yes bool) (bool, error) {
	if yes {
		return true, nil
	}
	if !w.stdinTerminal {
		return false, usagef("not a terminal: rerun with --yes to apply the changes above")
	}
	if term.SaysYes(w.stdin, w.stdout, "\nDo this? [y/N] ") {
		return true, nil
	}
	fmt.Fprintln(w.stdout, "nothing was changed")
	return false, nil
}

func newReportUninstallCommand(w *world, s shared) *cobra.Command {
	return newCommand(w, s, "", runReportUninstall, &cobra.Command{
		Use:   "uninstall [NAME…]",
		Short: "Have reports no longer run by themselves",
		Long: `Takes reports, all without a NAME, from the system's scheduler. What hindsql
report install didn't write stays as it is. Reports that were made stay, and so
does table report_runs.`,
		ValidArgsFunction: func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
			var names []string
			installed, _ := thisSystem(w).Installed(cmd.Context())
			for name, entry := range installed {
				names = append(names, name+"\t"+entry.Schedule)
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	})
}

// installedTimers returns the installed timers by name. It tells what can't be looked at.
func installedTimers(ctx context.Context, w *world) map[string]schedule.Entry {
	tellOldSchedule(w)
	installed, err := thisSystem(w).Installed(ctx)
	if err != nil {
		w.notice("%v; its lines are not known", err)
	}
	return installed
}

func runReportUninstall(ctx context.Context, w *world, s shared) error {
	return takeOffSchedule(ctx, w, s.args, false)
}

// takeOffSchedule removes the named timers; without names all of reports, or all of
// pushes.
func takeOffSchedule(ctx context.Context, w *world, names []string, pushes bool) (err error) {
	installed := installedTimers(ctx, w)
	if len(names) == 0 {
		names = slices.Sorted(maps.Keys(installed))
		names = slices.DeleteFunc(names, func(name string) bool { return isPush(name) != pushes })
		if len(names) == 0 {
			fmt.Fprintln(w.stdout, "nothing is installed")
		}
	}
	for _, name := range names {
		if _, is := installed[name]; !is {
			return usagef("%s: not installed; hindsql report list shows what is", name)
		}
		removed, wrong := thisSystem(w).Remove(ctx, name)
		tellRemoved(w, name, removed)
		err = errors.Join(err, wrong)
	}
	return err
}

func tellRemoved(w *world, name string, removed []string) {
	for _, path := range removed {
		if path == schedule.Crontab {
			fmt.Fprintf(w.stdout, "%s: %s's line removed\n", path, name)
		} else {
			fmt.Fprintf(w.stdout, "%s: removed\n", w.short(path))
		}
	}
}

// tellOldSchedule says what to do about an older hindsql's file of reports, and about its
// scheduler's entry, which calls a command that is gone.
func tellOldSchedule(w *world) {
	path := w.configured("schedule.toml")
	if _, err := os.Stat(path); err == nil {
		w.notice("%s: from an older hindsql, and read no more. Install the reports in it anew, delete the file, and take hindsql report due from your scheduler: %s",
			w.short(path), "systemctl --user disable --now hindsql-report.timer, crontab -e, launchctl remove hindsql.report, or schtasks /Delete /TN \"hindsql report\"")
	}
}
