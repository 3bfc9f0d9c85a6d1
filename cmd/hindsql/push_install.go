package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"hindsql/cmd/hindsql/show"
	"hindsql/engine/push"
	"hindsql/engine/redact"
	"hindsql/landing"
	"hindsql/queries/report/schedule"
)

func (a *app) pushInstallCommand() *cobra.Command {
	var f installFlags
	var p pushFlags
	cmd := &cobra.Command{
		Use:   "install [TARGET]",
		Short: "Have this machine push by itself",
		Long: `Puts a push to TARGET on the schedule that reports run on: hindsql report due does
it when it is time, and this system's own scheduler calls that. Everything is shown
first, and asked for. A push that fails is tried again as a report is; table
report_runs has every run. Keys of a bucket are to stand in the shared credentials
file: a scheduler knows nothing of the variables of a shell.`,
		Example: "  hindsql push install ~/Sync/hindsql\n  hindsql push install s3://team-logs/hindsql --region eu-central-1 --schedule \"daily 12:30\"",
		Args:    between(0, 1, "hindsql push install [TARGET]"),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.installPush(cmd.Context(), args, f, p) },
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	}
	p.landingFlags.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.schedule, "schedule", "every 1h", "when: `WORDS` such as every 1h or daily 12:30, or fields of cron")
	flags.BoolVar(&p.noText, "no-text", false, "leave out every text: only numbers, times, ids and kinds")
	flags.BoolVar(&p.plainText, "plain-text", false, "leave secrets in the texts")
	flags.StringVar(&f.with, "with", "", "`SCHEDULER`: systemd, launchd or cron")
	flags.BoolVarP(&f.yes, "yes", "y", false, "don't ask")
	_ = cmd.RegisterFlagCompletionFunc("with", cobra.FixedCompletions(schedule.Schedulers(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (a *app) pushUninstallCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "uninstall [TARGET]",
		Short: "Have this machine no longer push by itself",
		Long: `Takes the push to TARGET, or every push, off the schedule. What was pushed stays
there; hindsql push --forget deletes it.`,
		Args: between(0, 1, "hindsql push uninstall [TARGET]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			names, err := a.pushesTo(args)
			if err != nil {
				return err
			}
			return a.uninstallReports(cmd.Context(), names)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
}

// pushesTo are the names of the pushes that run by themselves, to a target or to
// any.
func (a *app) pushesTo(args []string) (names []string, err error) {
	jobs, err := a.scheduledJobs()
	url := ""
	if err == nil && len(args) > 0 {
		if url, _, err = landing.Canonical(args[0], a.home); err != nil {
			return nil, usagef("%v", err)
		}
	}
	for _, job := range jobs {
		if job.Push != "" && (url == "" || job.Push == url) {
			names = append(names, job.Name)
		}
	}
	if err == nil && len(names) == 0 {
		err = usagef("no such push is installed; hindsql report list names those that are")
	}
	return names, err
}

func (a *app) installPush(ctx context.Context, args []string, f installFlags, p pushFlags) error {
	o, err := a.pushOptions(args, p)
	if err != nil {
		return err
	}
	jobs, err := a.scheduledJobs()
	if err != nil {
		return err
	}
	job := schedule.Job{
		Name: schedule.PushName(o.Target.URL), Schedule: f.schedule, Push: o.Target.URL,
		Endpoint: p.endpoint, Region: p.region, Since: a.clock().UTC().Truncate(1e9),
	}
	if p.noText || p.plainText {
		job.Texts = o.Texts
	}
	if err := job.Check(); err != nil {
		return usagef("%v", err)
	}
	jobs = append(slices.DeleteFunc(jobs, func(j schedule.Job) bool { return j.Name == job.Name }), job)
	return a.putOnSchedule(ctx, []schedule.Job{job}, jobs, f)
}

// pushScheduled does a push that is due. A target that another machine took, or
// that is forgotten, is an error like any: the next time tries again.
func (a *app) pushScheduled(ctx context.Context, job schedule.Job) (made schedule.Made, err error) {
	f := pushFlags{landingFlags: landingFlags{job.Endpoint, job.Region}, noText: job.Texts == landing.NoText, plainText: job.Texts == landing.Plain}
	err = a.withSession(ctx, func(ctx context.Context, v *show.View) error {
		o, err := a.pushOptions([]string{job.Push}, f)
		if err != nil {
			return err
		}
		o.Redact = redact.New()
		_, err = push.Run(ctx, v.Session.Engine(), o)
		return err
	})
	return made, err
}

// installedPush says what is installed of a push, before it is.
func (a *app) installedPush(job schedule.Job, when *schedule.When) string {
	return fmt.Sprintf("Push to %s: %s, next on %s; texts %s\n", a.short(job.Push), when, when.Next(a.clock()).Format("Mon 2006-01-02 at 15:04"), cmp.Or(job.Texts, "as push.toml says, else redacted"))
}
