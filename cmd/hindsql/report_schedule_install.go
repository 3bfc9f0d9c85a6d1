package main

import (
	"bufio"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hindsql/queries/report/schedule"
)

// installFlags are those of hindsql report install.
type installFlags struct {
	schedule, notify, with string
	keep                   int
	redact, yes            bool
}

func (a *app) reportInstallCommand() *cobra.Command {
	var f installFlags
	cmd := &cobra.Command{
		Use:   "install [NAME…]",
		Short: "Have reports run by themselves",
		Long: `Puts reports on a schedule, and has this system's own scheduler call hindsql
report due every five minutes: a systemd user timer, a launchd agent or a line of
your crontab, whichever there is, or the one that --with names. Everything is
shown first, and asked for. hindsql report uninstall undoes it.

A schedule is hourly, daily 08:00, weekdays 08:00, weekly mon 08:00, monthly 1
08:00, every 6h, or the five fields of cron, in your time zone. A time that a
change of the clock leaves out comes when it jumps; one that there is twice,
once. What --schedule, --keep and --notify don't say, the report's own file does.

-o DIR gets the files, which have dated names; --keep N removes all but the
newest N. --notify is any command of the shell: it gets the report on standard
input, and $HINDSQL_REPORT, $HINDSQL_STATUS (ok, alert, or failed: given up until
the next time) and $HINDSQL_OUTPUT. Nothing is sent anywhere otherwise.`,
		Example: `  hindsql report install weekly -o ~/reports
  hindsql report install refusals --schedule "daily 18:00" --keep 30 -o ~/reports
  hindsql report install weekly --notify 'mail -s "my week" me@example.org'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.installReports(cmd.Context(), args, cmd.Flags().Changed, f)
		},
		ValidArgsFunction: a.completeReports,
	}
	flags := cmd.Flags()
	flags.StringVar(&f.schedule, "schedule", "", "when: `WORDS` such as weekly mon 08:00, or fields of cron (default the report's own)")
	flags.IntVar(&f.keep, "keep", 0, "remove all but the newest `N` of the report's files; 0 keeps all")
	flags.BoolVar(&f.redact, "redact", false, "replace secrets in the report with [redacted:RULE], whatever its own file says")
	flags.StringVar(&f.notify, "notify", "", "`COMMAND` that gets the report on standard input")
	flags.StringVar(&f.with, "with", "", "`SCHEDULER`: systemd, launchd or cron")
	flags.BoolVarP(&f.yes, "yes", "y", false, "don't ask")
	_ = cmd.RegisterFlagCompletionFunc("with", cobra.FixedCompletions(schedule.Schedulers(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (a *app) installReports(ctx context.Context, names []string, given func(string) bool, f installFlags) error {
	jobs, err := a.scheduledJobs()
	if err != nil {
		return err
	}
	var added []schedule.Job
	for _, name := range names {
		job, err := a.jobToInstall(name, jobs, given, f)
		if err != nil {
			return err
		}
		added = append(added, job)
		jobs = append(slices.DeleteFunc(jobs, func(j schedule.Job) bool { return j.Name == name }), job)
	}
	if len(jobs) == 0 {
		return usagef("no report is installed yet; hindsql report install NAME --schedule \"weekly mon 08:00\"")
	}
	return a.putOnSchedule(ctx, added, jobs, f)
}

// putOnSchedule shows what was added to the jobs, asks, and has the scheduler do
// them.
func (a *app) putOnSchedule(ctx context.Context, added, jobs []schedule.Job, f installFlags) error {
	s, err := a.chooseScheduler(ctx, f.with)
	if err != nil {
		return err
	}
	timer, err := a.timer()
	if err != nil {
		return err
	}
	if err := a.showInstall(ctx, added, s, timer); err != nil {
		return err
	}
	if yes, err := a.agree(f.yes); err != nil || !yes {
		return err
	}
	return a.install(ctx, added, jobs, s, timer)
}

// jobToInstall is a report with what was said of it: now, when it was installed
// before, or in its own file.
func (a *app) jobToInstall(name string, before []schedule.Job, given func(string) bool, f installFlags) (schedule.Job, error) {
	job, err := a.unscheduled(name)
	if err != nil {
		return job, err
	}
	if i := slices.IndexFunc(before, func(j schedule.Job) bool { return j.Name == name }); i >= 0 {
		job = before[i]
	}
	if given("schedule") {
		job.Schedule = f.schedule
	}
	if given("keep") {
		job.Keep = f.keep
	}
	if given("notify") {
		job.Notify = f.notify
	}
	if given("redact") {
		job.Redact = f.redact
	}
	if a.out.file != "" || job.Output == "" {
		if job.Output, err = a.newOutputFolder(); err != nil {
			return job, err
		}
	}
	if job.Since.IsZero() {
		job.Since = a.clock().UTC().Truncate(1e9)
	}
	if err := job.Check(); err != nil {
		return job, usagef("%v", err)
	}
	return job, nil
}

// newOutputFolder is the folder of -o, else one beside the store.
func (a *app) newOutputFolder() (string, error) {
	if a.out.file != "" {
		return filepath.Abs(a.long(a.out.file))
	}
	journal, err := a.journal()
	return filepath.Dir(journal.Path), err
}

// showInstall shows what install would do.
func (a *app) showInstall(ctx context.Context, added []schedule.Job, s schedule.Scheduler, timer schedule.Timer) error {
	zone, err := a.zone()
	if err != nil {
		return err
	}
	path, err := a.jobsPath()
	if err != nil {
		return err
	}
	for _, job := range added {
		when, err := schedule.Parse(job.Schedule, zone)
		if err != nil {
			return err
		}
		if job.Push != "" {
			fmt.Fprint(a.stdout, a.installedPush(job, when))
			continue
		}
		fmt.Fprintf(a.stdout, "Report %s: %s, next on %s, into %s", job.Name, when, when.Next(a.clock()).Format("Mon 2006-01-02 at 15:04"), a.short(job.Output))
		if job.Keep > 0 {
			fmt.Fprintf(a.stdout, ", the newest %d kept", job.Keep)
		}
		if job.Redact {
			fmt.Fprint(a.stdout, ", secrets replaced")
		}
		if job.Notify != "" {
			fmt.Fprintf(a.stdout, ", then to: %s", job.Notify)
		}
		fmt.Fprintln(a.stdout)
	}
	fmt.Fprintf(a.stdout, "Kept in %s.\n", a.short(path))
	steps, err := s.Plan(ctx, timer)
	if err != nil {
		return err
	}
	for _, step := range steps {
		title := step.Title
		if step.File != "" {
			title = "Into " + a.short(step.File) + ":"
		}
		fmt.Fprintf(a.stdout, "\n%s\n", title)
		for line := range strings.Lines(step.Text) {
			fmt.Fprintf(a.stdout, "  %s\n", strings.TrimSuffix(line, "\n"))
		}
	}
	return nil
}

// agree asks whether to go on.
func (a *app) agree(yes bool) (bool, error) {
	if yes {
		return true, nil
	}
	if !a.stdinTerminal {
		return false, usagef("nobody is there to be asked; look at the above, and add --yes")
	}
	fmt.Fprint(a.stdout, "\nDo this? [y/N] ")
	answer, err := bufio.NewReader(a.stdin).ReadString('\n')
	answer = strings.ToLower(strings.TrimSpace(answer))
	if answer == "y" || answer == "yes" {
		return true, nil
	}
	if err != nil {
		fmt.Fprintln(a.stdout)
	}
	fmt.Fprintln(a.stdout, "nothing was changed")
	return false, nil
}

// install has the scheduler do the jobs, of which some were added.
func (a *app) install(ctx context.Context, added, jobs []schedule.Job, s schedule.Scheduler, timer schedule.Timer) error {
	path, err := a.jobsPath()
	if err != nil {
		return err
	}
	removed, err := a.system().Install(ctx, path, jobs, s, timer)
	a.tellRemoved(removed)
	if err != nil {
		return err
	}
	what := "report"
	if !slices.ContainsFunc(added, func(j schedule.Job) bool { return j.Push == "" }) {
		what = "push"
	}
	fmt.Fprintf(a.stdout, "\ninstalled; hindsql \"FROM report_runs\" shows the runs, hindsql %s uninstall undoes this\n", what)
	return nil
}

func (a *app) reportUninstallCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "uninstall [NAME…]",
		Short: "Have reports no longer run by themselves",
		Long: `Takes reports off the schedule; with the last of them, or without a name, also
what hindsql report install told the system's scheduler. What it didn't write
stays as it is. Reports that were made stay, and so does table report_runs.`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.uninstallReports(cmd.Context(), args) },
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			jobs, _ := a.scheduledJobs()
			var names []string
			for _, job := range jobs {
				names = append(names, job.Name+"\t"+job.Schedule)
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
}

func (a *app) uninstallReports(ctx context.Context, names []string) error {
	path, err := a.jobsPath()
	if err != nil {
		return err
	}
	jobs, err := a.scheduledJobs()
	if err != nil {
		return err
	}
	for _, name := range names {
		if !slices.ContainsFunc(jobs, func(j schedule.Job) bool { return j.Name == name }) {
			return usagef("report %s: not installed; %s has those that are", name, a.short(path))
		}
	}
	left := slices.DeleteFunc(slices.Clone(jobs), func(j schedule.Job) bool {
		return len(names) == 0 && j.Push == "" || slices.Contains(names, j.Name)
	})
	did := len(jobs) > len(left)
	if did {
		if err := schedule.Save(path, left); err != nil {
			return err
		}
		fmt.Fprintf(a.stdout, "%s: %d of %d reports taken out\n", a.short(path), len(jobs)-len(left), len(jobs))
	}
	if len(left) > 0 {
		return nil
	}
	removed, err := a.system().Remove(ctx, nil)
	a.tellRemoved(removed)
	if err == nil && !did && len(removed) == 0 {
		fmt.Fprintln(a.stdout, "nothing is installed")
	}
	return err
}
