package main

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hindsql/cmd/hindsql/schedule"
	"hindsql/cmd/hindsql/term"
	"hindsql/engine/fleet/landing"
	"hindsql/engine/fleet/push"
	"hindsql/engine/redact"
	"hindsql/internal/words"
)

func newPushCommand(env *environment, s commandLine) *cobra.Command {
	cmd := newCommand(env, pushOptions{commandLine: s}, ofOwnLogs+"no-sync", runPush, &cobra.Command{
		Use:   "push [TARGET]",
		Short: "Put this machine's rows where others find them",
		Long: `Writes what changed in this machine's rows to TARGET: a folder, which may be a
synchronised or a network one, s3://BUCKET/PREFIX, or gs://BUCKET/PREFIX. Others
get them with hindsql pull, and engines such as DuckDB, Spark or ClickHouse read
them as Parquet. push.toml in the configuration folder names a target for good.

Secrets are replaced with [redacted:RULE]. --no-text leaves out every text:
numbers, times, ids and kinds go, without secrets, too. A project in which a file .hindsql-private lies,
or which push.toml's leave_out has, stays here wholly. --dry-run shows what would
leave, and writes nothing.

--forget deletes what was pushed, or, where others commit it to a lake, has them
delete it; nothing is pushed there again before hindsql push --consent. To take
away single sessions, here and there, see hindsql prune --forget.`,
		Example: `  hindsql push ~/Sync/hindsql
  hindsql push s3://team-logs/hindsql --region eu-central-1
  hindsql push --dry-run
  hindsql push install ~/Sync/hindsql --schedule "every 1h"`,
		ValidArgsFunction: folderCompletion,
	})
	cmd.AddCommand(newPushInstallCommand(env, s), newPushUninstallCommand(env, s))
	return cmd
}

func runPush(ctx context.Context, env *environment, o pushOptions) error {
	o.url = o.args
	switch {
	case o.noText && o.plainText:
		return usagef("--no-text and --plain-text contradict each other")
	case o.forget && (o.consent || o.dryRun || o.scheduled):
		return usagef("--forget goes alone")
	case o.scheduled && o.dryRun:
		return usagef("--scheduled and --dry-run contradict each other")
	}
	if o.scheduled {
		return pushScheduled(ctx, env, o)
	}
	if o.forget {
		return withOpen(ctx, env, o.logs, func(ctx context.Context, v *term.View) error { return forgetPushed(ctx, env, v, o) })
	}
	return withSession(ctx, env, o.logs, func(ctx context.Context, v *term.View) error { return pushRows(ctx, env, v, o) })
}

func forgetPushed(ctx context.Context, env *environment, v *term.View, o pushOptions) error {
	p, err := o.pushRun(env)
	if err != nil {
		return err
	}
	removed, err := push.Forget(ctx, v.Session.Store(), p)
	if err == nil {
		env.notice("%s: forgotten, %s deleted; hindsql push --consent pushes there again", env.short(p.Target.URL), words.Quantity(int64(removed), "file"))
	}
	return err
}

func pushRows(ctx context.Context, env *environment, v *term.View, o pushOptions) error {
	p, err := o.pushRun(env)
	if err != nil {
		return err
	}
	secrets := redact.New()
	p.Redact = secrets
	var done func()
	p.Progress, done = showSteps(env, "pushing")
	report, err := push.Run(ctx, v.Session.Engine(), p)
	done()
	if err != nil {
		return err
	}
	if o.dryRun {
		return showDryRun(env, p, report, secrets.Counts())
	}
	env.notice("%s", pushLine(env.short(p.Target.URL), report))
	if n := len(report.LeftOut); n > 0 {
		env.notice("%s left out; hindsql push --dry-run lists them", words.Quantity(int64(n), "project"))
	}
	return nil
}

func pushLine(url string, r push.Report) string {
	if r.Unchanged {
		return "nothing changed since the last push to " + url + "; " + words.Duration(r.Elapsed)
	}
	parts := []string{fmt.Sprintf("pushed %s of %s, %s, to %s", words.Quantity(r.Sent, "file"), words.Quantity(r.SentRows, "row"), words.Size(r.SentBytes), url)}
	if r.Removed > 0 {
		parts = append(parts, fmt.Sprintf("%d superseded ones deleted", r.Removed))
	}
	return strings.Join(append(parts, words.Duration(r.Elapsed)), "; ")
}

// showDryRun shows what a push would send.
func showDryRun(env *environment, o push.Options, r push.Report, secrets map[string]int64) error {
	table := tabwriter.NewWriter(env.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(table, "files\tnew\trows\tbytes\t  table\n")
	var all push.TableReport
	for _, t := range r.Tables {
		name := t.Table
		if t.Beside {
			name = "beside/" + name
		}
		fmt.Fprintf(table, "%d\t%d\t%d\t%d\t  %s\n", t.Files, t.New, t.Rows, t.Bytes, name)
		all.Files, all.New, all.Rows, all.Bytes = all.Files+t.Files, all.New+t.New, all.Rows+t.Rows, all.Bytes+t.Bytes
	}
	fmt.Fprintf(table, "%d\t%d\t%d\t%d\t  in all\n", all.Files, all.New, all.Rows, all.Bytes)
	if err := table.Flush(); err != nil {
		return err
	}
	for _, l := range r.LeftOut {
		fmt.Fprintf(env.stdout, "left out: %s (%s)\n", env.short(l.Project), env.short(l.Why))
	}
	if r.Unnamed > 0 {
		fmt.Fprintf(env.stdout, "left out: %s without a project, which may be of a private one\n", words.Quantity(r.Unnamed, "session"))
	}
	texts := map[string]string{landing.NoText: "no text leaves", landing.Plain: "texts leave as they are, secrets too"}[o.Texts]
	switch {
	case all.New == 0:
		texts = "nothing new would leave"
	case o.Texts == landing.Redacted:
		texts = term.Redacted(secrets)
	case len(secrets) > 0:
		texts += "; in ids and kinds, " + term.Redacted(secrets)
	}
	_, err := fmt.Fprintf(env.stdout, "%s\nnothing was sent to %s\n", texts, env.short(o.Target.URL))
	return err
}

// pushOptions are the flags of hindsql push.
type pushOptions struct {
	commandLine
	landingOptions
	textOptions
	dryRun, forget    bool
	consent, takeOver bool
	byScheduler
}

func (o *pushOptions) addFlags(flags *pflag.FlagSet) {
	o.landingOptions.addFlags(flags)
	o.textOptions.addFlags(flags)
	flags.BoolVar(&o.dryRun, "dry-run", false, "show what would leave, and write nothing")
	flags.BoolVar(&o.forget, "forget", false, "delete what this machine pushed to TARGET, and push there no more")
	flags.BoolVar(&o.consent, "consent", false, "push again after --forget")
	flags.BoolVar(&o.takeOver, "take-over", false, "go on where another machine, which is no more, pushed under this one's id")
	o.byScheduler.addFlags(flags, "")
}

// landingOptions name the target of a push, or the source of a pull, and its access.
type landingOptions struct {
	url              []string // empty for the target of push.toml
	endpoint, region string
}

func (o *landingOptions) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&o.endpoint, "endpoint", "", "`URL` of the S3 API (default AWS's, or what push.toml says)")
	flags.StringVar(&o.region, "region", "", "`REGION` of the bucket (default what push.toml says)")
	tries(flags, "endpoint", "http://127.0.0.1:1")
	tries(flags, "region", "eu-central-1")
}

// open opens the named target, or the target of push.toml.
func (o *landingOptions) open(env *environment, c push.Config) (*landing.Target, error) {
	url, of := c.Target, landing.Options{Endpoint: c.Endpoint, Region: c.Region, Getenv: env.getenv, Home: env.home}
	if len(o.url) > 0 {
		if url = o.url[0]; url != c.Target {
			of.Endpoint, of.Region = "", ""
		}
	}
	if o.endpoint != "" {
		of.Endpoint = o.endpoint
	}
	if o.region != "" {
		of.Region = o.region
	}
	if url == "" {
		return nil, usagef("no target; name a folder or s3://BUCKET/PREFIX, or write target = \"…\" into %s", env.short(env.configured("push.toml")))
	}
	t, err := landing.Open(url, of)
	if err != nil {
		return nil, usagef("%v", err)
	}
	return t, nil
}

// textOptions select the texts to push.
type textOptions struct{ noText, plainText bool }

func (o *textOptions) addFlags(flags *pflag.FlagSet) {
	flags.BoolVar(&o.noText, "no-text", false, "leave out every text: only numbers, times, ids and kinds")
	flags.BoolVar(&o.plainText, "plain-text", false, "leave secrets in the texts")
}

// pushRun combines flags, environment and push.toml.
func (o *pushOptions) pushRun(env *environment) (p push.Options, err error) {
	c, err := pushConfig(env)
	if err != nil {
		return p, err
	}
	if p, err = c.Options(env.home); err != nil {
		return p, err
	}
	if o.noText {
		p.Texts = landing.NoText
	}
	if o.plainText {
		p.Texts = landing.Plain
	}
	p.DryRun, p.Consent, p.TakeOver, p.Program = o.dryRun, o.consent, o.takeOver, buildVersion()
	p.State = pushState(env)
	p.Target, err = o.open(env, c)
	return p, err
}

// pushInstallOptions are the flags of hindsql push install.
type pushInstallOptions struct {
	pushOptions
	schedulerOptions
}

func (o *pushInstallOptions) addFlags(flags *pflag.FlagSet) {
	o.landingOptions.addFlags(flags)
	o.textOptions.addFlags(flags)
	o.schedulerOptions.addFlags(flags)
}

func newPushInstallCommand(env *environment, s commandLine) *cobra.Command {
	o := pushInstallOptions{pushOptions{commandLine: s}, schedulerOptions{schedule: "every 1h"}}
	return completeSchedulers(newCommand(env, o, ofOwnLogs, runPushInstall, &cobra.Command{
		Use:   "install [TARGET]",
		Short: "Have this machine push by itself",
		Long: `Has this system's own scheduler run hindsql push TARGET --scheduled, as hindsql
report install has it run reports. What the scheduler gets is shown first, and
asked for. A push that fails is tried again as a report is; table report_runs has
every run. Keys of a bucket are to stand in the shared credentials file: a
scheduler knows nothing of the variables of a shell.`,
		Example:           "  hindsql push install ~/Sync/hindsql\n  hindsql push install s3://team-logs/hindsql --region eu-central-1 --schedule \"daily 12:30\"",
		ValidArgsFunction: folderCompletion,
	}))
}

func runPushInstall(ctx context.Context, env *environment, o pushInstallOptions) error {
	o.url = o.args
	p, err := o.pushRun(env)
	if err != nil {
		return err
	}
	command := []string{"push", p.Target.URL, "--scheduled"}
	for _, given := range [][2]string{{"--endpoint", o.endpoint}, {"--region", o.region}} {
		if given[1] != "" {
			command = append(command, given[:]...)
		}
	}
	if o.noText {
		command = append(command, "--no-text")
	}
	if o.plainText {
		command = append(command, "--plain-text")
	}
	return installTimer(ctx, env, o.logs, pushName(p.Target.URL), command, o.schedulerOptions)
}

func newPushUninstallCommand(env *environment, s commandLine) *cobra.Command {
	return newCommand(env, s, "", runPushUninstall, &cobra.Command{
		Use:   "uninstall [TARGET]",
		Short: "Have this machine no longer push by itself",
		Long: `Takes the push to TARGET, or every push, from the system's scheduler. What was
pushed stays there; hindsql push --forget deletes it.`,
	})
}

func runPushUninstall(ctx context.Context, env *environment, s commandLine) error {
	var names []string
	for _, target := range s.args {
		url, _, err := landing.Canonical(target, env.home)
		if err != nil {
			return usagef("%v", err)
		}
		names = append(names, pushName(url))
	}
	return uninstallTimers(ctx, env, names, true)
}

// pushScheduled pushes as a scheduler does. If another machine has taken over the
// target, or the target shall be forgotten, the push fails like any other.
func pushScheduled(ctx context.Context, env *environment, o pushOptions) error {
	env.getenv = schedule.WithEnv(o.env, env.getenv)
	journal, err := journalOf(env, o.logs)
	if err != nil {
		return err
	}
	p, err := o.pushRun(env)
	if err != nil {
		return err
	}
	return journalRun(ctx, env, journal, pushName(p.Target.URL), schedule.Runner{Make: func(ctx context.Context, _, _ time.Time) (made schedule.Made, err error) {
		return made, withSession(ctx, env, o.logs, func(ctx context.Context, v *term.View) error {
			p, err := o.pushRun(env)
			if err != nil {
				return err
			}
			p.Redact = redact.New()
			_, err = push.Run(ctx, v.Session.Engine(), p)
			return err
		})
	}})
}
