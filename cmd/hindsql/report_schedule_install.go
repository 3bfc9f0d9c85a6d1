package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hindsql/cmd/hindsql/schedule"
	"hindsql/cmd/hindsql/term"
	"hindsql/queries/report"
)

// schedulerOptions name the scheduler, and say whether to skip the question, or to end
// before it.
type schedulerOptions struct {
	with        string
	yes, dryRun bool
}

func (o *schedulerOptions) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&o.with, "with", "", "`SCHEDULER`: systemd, launchd, schtasks or cron")
	flags.BoolVarP(&o.yes, "yes", "y", false, "don't ask")
	flags.BoolVar(&o.dryRun, "dry-run", false, "show what would be done, and do nothing")
}

// reportInstallOptions are the flags and arguments of hindsql report install.
type reportInstallOptions struct {
	shared
	schedulerOptions
	names            []string
	schedule, notify string
	mailTo           string
	keep             int
	redact           bool
	given            func(flag string) bool // whether the flag is on the command line
}

func (o *reportInstallOptions) addFlags(flags *pflag.FlagSet) {
	o.schedulerOptions.addFlags(flags)
	flags.StringVar(&o.schedule, "schedule", "", "when: `WORDS` such as weekly mon 08:00, or fields of cron (default the report's own)")
	tries(flags, "schedule", "weekly mon 08:00", "0 8 * * 1")
	flags.IntVar(&o.keep, "keep", 0, "remove all but the newest `N` of the report's files; 0 keeps all")
	flags.BoolVar(&o.redact, "redact", false, "replace secrets in the report with [redacted:RULE], whatever its own file says")
	flags.StringVar(&o.mailTo, "mail-to", "", "mail the report to these `ADDRESSES`, with commas between: without private projects, and without secrets unless --redact=false")
	flags.StringVar(&o.notify, "notify", "", "`COMMAND` that gets the report on standard input")
	tries(flags, "mail-to", "ada@example.org")
	tries(flags, "notify", "cat")
	o.given = flags.Changed
}

func newReportInstallCommand(w *world, s shared) *cobra.Command {
	o := reportInstallOptions{shared: s}
	cmd := &cobra.Command{
		Use:     "install [NAME…]",
		Aliases: []string{"schedule"},
		Short:   "Have reports run by themselves",
		Long: `Puts reports on a schedule, and has this system's own scheduler call hindsql
report due every five minutes: a systemd user timer, a launchd agent, a task of
Windows or a line of your crontab, whichever there is, or the one that --with
names. Everything is shown first, and asked for. hindsql report uninstall undoes it.

A schedule is hourly, daily 08:00, weekdays 08:00, weekly mon 08:00, monthly 1
08:00, every 6h, or the five fields of cron, in your time zone. A time that a
change of the clock leaves out comes when it jumps; one that there is twice,
once. What --schedule, --keep and --notify don't say, the report's own file does.

-o DIR gets the files, which have dated names; --keep N removes all but the
newest N. --notify is any command of the shell: it gets the report on standard
input, and $HINDSQL_REPORT, $HINDSQL_STATUS (ok, alert, or failed: given up until
the next time) and $HINDSQL_OUTPUT.

--mail-to hands each report to sendmail, as a mail, without private projects (see
hindsql push) and with secrets replaced; the file in the folder is then made so,
too. --dry-run writes the mail of now to standard output. --mail-to "" mails no
more. Nothing is sent anywhere otherwise.`,
		Example: `  hindsql report install weekly -o ~/reports
  hindsql report install refusals --schedule "daily 18:00" --keep 30 -o ~/reports
  hindsql report install weekly --mail-to me@example.org,team@example.org --dry-run
  hindsql report install weekly --notify 'mail -s "my week" me@example.org'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.names = args
			return runReportInstall(cmd.Context(), w, o)
		},
		ValidArgsFunction: completeReports(w),
	}
	o.addFlags(cmd.Flags())
	_ = cmd.RegisterFlagCompletionFunc("with", cobra.FixedCompletions(schedule.Schedulers(), cobra.ShellCompDirectiveNoFileComp))
	return s.use(cmd, ofOwnLogs+"no-sync output")
}

func runReportInstall(ctx context.Context, w *world, o reportInstallOptions) error {
	jobs, err := scheduledJobs(w)
	if err != nil {
		return err
	}
	var added []schedule.Job
	for _, name := range o.names {
		job, err := jobToInstall(w, o, name, jobs)
		if err != nil {
			return err
		}
		added = append(added, job)
		jobs = schedule.With(jobs, job)
	}
	if len(jobs) == 0 {
		return usagef("no report is installed yet; hindsql report install NAME --schedule \"weekly mon 08:00\"")
	}
	if o.dryRun && slices.ContainsFunc(added, func(j schedule.Job) bool { return len(j.MailTo) > 0 }) {
		return o.tryMails(ctx, w, added, jobs)
	}
	return putOnSchedule(ctx, w, o.where, added, jobs, o.schedulerOptions)
}

// tryMails shows what an install would do on stderr, and the mails alone on stdout, so
// that a mail program can open them.
func (o *reportInstallOptions) tryMails(ctx context.Context, w *world, added, jobs []schedule.Job) error {
	beside := *w
	beside.stdout = w.stderr
	if err := putOnSchedule(ctx, &beside, o.where, added, jobs, o.schedulerOptions); err != nil {
		return err
	}
	for _, job := range added {
		if len(job.MailTo) == 0 {
			continue
		}
		if err := showMail(ctx, w, o.shared, job); err != nil && !errors.Is(err, errAlert) {
			return err
		}
	}
	return nil
}

// putOnSchedule shows the added jobs, asks the user, and installs all jobs, old and
// new, with the scheduler.
func putOnSchedule(ctx context.Context, w *world, from *where, added, jobs []schedule.Job, o schedulerOptions) error {
	if err := showAdded(w, from, added); err != nil {
		return err
	}
	s, err := chooseScheduler(ctx, w, o.with)
	if err != nil {
		return err
	}
	timer, err := newTimer(w, from)
	if err != nil {
		return err
	}
	steps, err := s.Plan(ctx, timer)
	for _, step := range steps {
		fmt.Fprint(w.stdout, told(w).Step(step))
	}
	if err != nil || o.dryRun {
		return err
	}
	if yes, err := agree(w, o.yes); err != nil || !yes {
		return err
	}
	return installJobs(ctx, w, added, jobs, s, timer)
}

// jobToInstall returns the job for a report. Each setting comes from the flags; if not
// given, from an earlier install; otherwise from the report's own file.
func jobToInstall(w *world, o reportInstallOptions, name string, before []schedule.Job) (schedule.Job, error) {
	job, err := unscheduled(w, name)
	if err != nil {
		return job, err
	}
	if i := slices.IndexFunc(before, func(j schedule.Job) bool { return j.Name == name }); i >= 0 {
		job = before[i]
	}
	if o.given("schedule") {
		job.Schedule = o.schedule
	}
	if o.given("keep") {
		job.Keep = o.keep
	}
	if o.given("notify") {
		job.Notify = o.notify
	}
	if o.given("redact") {
		job.Redact = o.redact
	}
	if err := o.addMail(w, &job); err != nil {
		return job, err
	}
	if o.out.file != "" || job.Output == "" {
		if job.Output, err = newOutputFolder(w, o.shared); err != nil {
			return job, err
		}
	}
	if job.Since.IsZero() {
		job.Since = w.clock().UTC().Truncate(1e9)
	}
	if err := job.Check(); err != nil {
		return job, usagef("%v", err)
	}
	return job, nil
}

// addMail sets the job's settings for mails. New addresses get no secrets, unless
// --redact=false stands beside them.
func (o *reportInstallOptions) addMail(w *world, job *schedule.Job) (err error) {
	switch {
	case o.given("mail-to") && o.mailTo == "":
		job.MailTo, job.Sendmail, job.MailSecrets = nil, "", false
	case o.given("mail-to"):
		m, err := mailingTo(o.mailTo, o.given("redact"), o.redact)
		if err != nil {
			return err
		}
		if job.Sendmail, err = schedule.FindSendmail(w.getenv("PATH")); err != nil {
			return usagef("--mail-to: %v", err)
		}
		job.MailTo, job.MailSecrets = nil, m.secrets
		for _, a := range m.to {
			job.MailTo = append(job.MailTo, report.Written(a))
		}
	case len(job.MailTo) > 0 && o.given("redact"):
		job.MailSecrets = !o.redact
	}
	return nil
}

// newOutputFolder returns the folder of -o, or a folder beside the store.
func newOutputFolder(w *world, s shared) (string, error) {
	if s.out.file != "" {
		return filepath.Abs(w.long(s.out.file))
	}
	journal, err := journalOf(w, s.where)
	return filepath.Dir(journal.Path), err
}

// showAdded shows the jobs of an install, and the file that will have them.
func showAdded(w *world, from *where, added []schedule.Job) error {
	zone, err := zoneOf(from)
	if err != nil {
		return err
	}
	path, err := jobsPath(w)
	if err != nil {
		return err
	}
	for _, job := range added {
		line, err := told(w).Job(job, zone, w.clock())
		if err != nil {
			return err
		}
		fmt.Fprintln(w.stdout, line)
	}
	fmt.Fprintf(w.stdout, "Kept in %s.\n", w.short(path))
	return nil
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

// installJobs installs all jobs with the scheduler; added are the new jobs.
func installJobs(ctx context.Context, w *world, added, jobs []schedule.Job, s schedule.Scheduler, timer schedule.Timer) error {
	path, err := jobsPath(w)
	if err != nil {
		return err
	}
	removed, err := thisSystem(w).Install(ctx, path, jobs, s, timer)
	for _, what := range removed {
		fmt.Fprintln(w.stdout, told(w).Removed(what))
	}
	if err != nil {
		return err
	}
	what := "report"
	if !slices.ContainsFunc(added, func(j schedule.Job) bool { return j.Push == "" }) {
		what = "push"
	}
	fmt.Fprintf(w.stdout, "\ninstalled; hindsql \"FROM report_runs\" shows the runs, hindsql %s uninstall undoes this\n", what)
	return nil
}
