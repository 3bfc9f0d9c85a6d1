package main

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hindsql/cmd/hindsql/schedule"
	"hindsql/cmd/hindsql/term"
	"hindsql/engine/fleet/landing"
	"hindsql/engine/fleet/push"
	"hindsql/engine/redact"
)

// pushInstallOptions are the flags of hindsql push install.
type pushInstallOptions struct {
	shared
	landingOptions
	textOptions
	schedulerOptions
	schedule string
}

func (o *pushInstallOptions) addFlags(flags *pflag.FlagSet) {
	o.landingOptions.addFlags(flags)
	o.textOptions.addFlags(flags)
	o.schedulerOptions.addFlags(flags)
	flags.StringVar(&o.schedule, "schedule", "every 1h", "when: `WORDS` such as every 1h or daily 12:30, or fields of cron")
	tries(flags, "schedule", "daily 12:30", "*/5 * * * *")
}

func newPushInstallCommand(w *world, s shared) *cobra.Command {
	o := pushInstallOptions{shared: s}
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
		RunE: func(cmd *cobra.Command, args []string) error {
			o.url = args
			return runPushInstall(cmd.Context(), w, o)
		},
		ValidArgsFunction: folderCompletion,
	}
	o.addFlags(cmd.Flags())
	_ = cmd.RegisterFlagCompletionFunc("with", cobra.FixedCompletions(schedule.Schedulers(), cobra.ShellCompDirectiveNoFileComp))
	return s.use(cmd, ofOwnLogs)
}

// pushUninstallOptions are the arguments of hindsql push uninstall.
type pushUninstallOptions struct {
	shared
	url []string // empty for all pushes
}

func newPushUninstallCommand(w *world, s shared) *cobra.Command {
	return &cobra.Command{
		Use:   "uninstall [TARGET]",
		Short: "Have this machine no longer push by itself",
		Long: `Takes the push to TARGET, or every push, off the schedule. What was pushed stays
there; hindsql push --forget deletes it.`,
		Args: between(0, 1, "hindsql push uninstall [TARGET]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runPushUninstall(cmd.Context(), w, pushUninstallOptions{shared: s, url: args})
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
}

func runPushUninstall(ctx context.Context, w *world, o pushUninstallOptions) error {
	names, err := pushesTo(w, o.url)
	if err != nil {
		return err
	}
	return takeOffSchedule(ctx, w, names)
}

// pushesTo returns the names of the scheduled pushes to a target. If target is empty,
// it returns the names of all pushes.
func pushesTo(w *world, target []string) (names []string, err error) {
	jobs, err := scheduledJobs(w)
	url := ""
	if err == nil && len(target) > 0 {
		if url, _, err = landing.Canonical(target[0], w.home); err != nil {
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

func runPushInstall(ctx context.Context, w *world, o pushInstallOptions) error {
	of := pushOptions{landingOptions: o.landingOptions, textOptions: o.textOptions}
	p, err := of.toPush(w)
	if err != nil {
		return err
	}
	jobs, err := scheduledJobs(w)
	if err != nil {
		return err
	}
	job := schedule.Job{
		Name: schedule.PushName(p.Target.URL), Schedule: o.schedule, Push: p.Target.URL,
		Endpoint: o.endpoint, Region: o.region, Since: w.clock().UTC().Truncate(1e9),
	}
	if o.noText || o.plainText {
		job.Texts = p.Texts
	}
	if err := job.Check(); err != nil {
		return usagef("%v", err)
	}
	jobs = schedule.With(jobs, job)
	return putOnSchedule(ctx, w, o.where, []schedule.Job{job}, jobs, o.schedulerOptions)
}

// pushScheduled runs a push that is due. If another machine has taken over the target,
// or the target shall be forgotten, the push fails like any other. The next push tries
// again.
func pushScheduled(ctx context.Context, w *world, from *where, job schedule.Job) (made schedule.Made, err error) {
	o := pushOptions{
		landingOptions: landingOptions{url: []string{job.Push}, endpoint: job.Endpoint, region: job.Region},
		textOptions:    textOptions{noText: job.Texts == landing.NoText, plainText: job.Texts == landing.Plain},
	}
	err = withSession(ctx, w, from, func(ctx context.Context, v *term.View) error {
		p, err := o.toPush(w)
		if err != nil {
			return err
		}
		p.Redact = redact.New()
		_, err = push.Run(ctx, v.Session.Engine(), p)
		return err
	})
	return made, err
}
