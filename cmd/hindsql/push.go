package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"hindsql/cmd/hindsql/render"
	"hindsql/cmd/hindsql/show"
	"hindsql/engine/push"
	"hindsql/engine/redact"
	"hindsql/landing"
)

// pushFlags are those of hindsql push.
type pushFlags struct {
	landingFlags
	noText, plainText bool
	dryRun, forget    bool
	consent, takeOver bool
}

// landingFlags say how the target of a push, or the source of a pull, is reached.
type landingFlags struct{ endpoint, region string }

func (f *landingFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.endpoint, "endpoint", "", "`URL` of the S3 API (default AWS's, or what push.toml says)")
	cmd.Flags().StringVar(&f.region, "region", "", "`REGION` of the bucket (default what push.toml says)")
}

func (a *app) pushCommand() *cobra.Command {
	var f pushFlags
	cmd := &cobra.Command{
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
delete it; nothing is pushed there again before hindsql push --consent.`,
		Example: `  hindsql push ~/Sync/hindsql
  hindsql push s3://team-logs/hindsql --region eu-central-1
  hindsql push --dry-run
  hindsql push install ~/Sync/hindsql --schedule "every 1h"`,
		Args: between(0, 1, "hindsql push [TARGET]"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.push(cmd.Context(), args, f) },
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	}
	f.add(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&f.noText, "no-text", false, "leave out every text: only numbers, times, ids and kinds")
	flags.BoolVar(&f.plainText, "plain-text", false, "leave secrets in the texts")
	flags.BoolVar(&f.dryRun, "dry-run", false, "show what would leave, and write nothing")
	flags.BoolVar(&f.forget, "forget", false, "delete what this machine pushed to TARGET, and push there no more")
	flags.BoolVar(&f.consent, "consent", false, "push again after --forget")
	flags.BoolVar(&f.takeOver, "take-over", false, "go on where another machine, which is no more, pushed under this one's id")
	cmd.AddCommand(a.pushInstallCommand(), a.pushUninstallCommand())
	return cmd
}

func (a *app) push(ctx context.Context, args []string, f pushFlags) error {
	switch {
	case f.noText && f.plainText:
		return usagef("--no-text and --plain-text contradict each other")
	case f.forget && (f.consent || f.dryRun):
		return usagef("--forget goes alone")
	}
	if f.forget {
		return a.withOpen(ctx, func(ctx context.Context, v *show.View) error { return a.forget(ctx, v, args, f) })
	}
	return a.withSession(ctx, func(ctx context.Context, v *show.View) error { return a.runPush(ctx, v, args, f) })
}

func (a *app) forget(ctx context.Context, v *show.View, args []string, f pushFlags) error {
	o, err := a.pushOptions(args, f)
	if err != nil {
		return err
	}
	removed, err := push.Forget(ctx, v.Session.Store(), o)
	if err == nil {
		a.notice("%s: forgotten, %s deleted; hindsql push --consent pushes there again", a.short(o.Target.URL), render.Quantity(int64(removed), "file"))
	}
	return err
}

func (a *app) runPush(ctx context.Context, v *show.View, args []string, f pushFlags) error {
	o, err := a.pushOptions(args, f)
	if err != nil {
		return err
	}
	secrets := redact.New()
	o.Redact = secrets
	var done func()
	o.Progress, done = a.showSteps("pushing")
	report, err := push.Run(ctx, v.Session.Engine(), o)
	done()
	if err != nil {
		return err
	}
	if f.dryRun {
		return a.showDryRun(o, report, secrets.Counts())
	}
	a.notice("%s", pushLine(a.short(o.Target.URL), report))
	if n := len(report.LeftOut); n > 0 {
		a.notice("%s left out; hindsql push --dry-run lists them", render.Quantity(int64(n), "project"))
	}
	return nil
}

// pushOptions are what flags, environment and push.toml say.
func (a *app) pushOptions(args []string, f pushFlags) (o push.Options, err error) {
	c, err := a.pushConfig()
	if err != nil {
		return o, err
	}
	if o, err = c.Options(a.home); err != nil {
		return o, err
	}
	if f.noText {
		o.Texts = landing.NoText
	}
	if f.plainText {
		o.Texts = landing.Plain
	}
	o.DryRun, o.Consent, o.TakeOver, o.Program = f.dryRun, f.consent, f.takeOver, buildVersion()
	if folder := a.stateFolder(); folder != "" {
		o.State = filepath.Join(folder, "push")
	}
	o.Target, err = a.landing(args, f.landingFlags, c)
	return o, err
}

// pushConfig is push.toml.
func (a *app) pushConfig() (push.Config, error) {
	path := a.configured("push.toml")
	if path == "" {
		return push.Config{}, nil
	}
	return push.ReadConfig(path)
}

// landing opens the target that is named, else that of push.toml.
func (a *app) landing(args []string, f landingFlags, c push.Config) (*landing.Target, error) {
	url, o := c.Target, landing.Options{Endpoint: c.Endpoint, Region: c.Region, Getenv: a.getenv, Home: a.home}
	if len(args) > 0 {
		if url = args[0]; url != c.Target {
			o.Endpoint, o.Region = "", ""
		}
	}
	if f.endpoint != "" {
		o.Endpoint = f.endpoint
	}
	if f.region != "" {
		o.Region = f.region
	}
	if url == "" {
		return nil, usagef("no target; name a folder or s3://BUCKET/PREFIX, or write target = \"…\" into %s", a.short(a.configured("push.toml")))
	}
	t, err := landing.Open(url, o)
	if err != nil {
		return nil, usagef("%v", err)
	}
	return t, nil
}

func pushLine(url string, r push.Report) string {
	if r.Unchanged {
		return "nothing changed since the last push to " + url + "; " + r.Elapsed.Round(time.Millisecond).String()
	}
	parts := []string{fmt.Sprintf("pushed %s of %s, %s, to %s", render.Quantity(int64(r.Sent), "file"), render.Quantity(r.SentRows, "row"), render.Size(r.SentBytes), url)}
	if r.Removed > 0 {
		parts = append(parts, fmt.Sprintf("%d superseded ones deleted", r.Removed))
	}
	return strings.Join(append(parts, r.Elapsed.Round(time.Millisecond).String()), "; ")
}

// showDryRun shows what would leave.
func (a *app) showDryRun(o push.Options, r push.Report, secrets map[string]int64) error {
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "files\tnew\trows\tbytes\t  table\n")
	var all push.TableReport
	for _, t := range r.Tables {
		name := t.Table
		if t.Beside {
			name = "beside/" + name
		}
		fmt.Fprintf(w, "%d\t%d\t%d\t%d\t  %s\n", t.Files, t.New, t.Rows, t.Bytes, name)
		all.Files, all.New, all.Rows, all.Bytes = all.Files+t.Files, all.New+t.New, all.Rows+t.Rows, all.Bytes+t.Bytes
	}
	fmt.Fprintf(w, "%d\t%d\t%d\t%d\t  in all\n", all.Files, all.New, all.Rows, all.Bytes)
	if err := w.Flush(); err != nil {
		return err
	}
	for _, l := range r.LeftOut {
		fmt.Fprintf(a.stdout, "left out: %s (%s)\n", a.short(l.Project), a.short(l.Why))
	}
	if r.Unnamed > 0 {
		fmt.Fprintf(a.stdout, "left out: %s without a project, which may be of a private one\n", render.Quantity(r.Unnamed, "session"))
	}
	texts := map[string]string{landing.NoText: "no text leaves", landing.Plain: "texts leave as they are, secrets too"}[o.Texts]
	switch {
	case all.New == 0:
		texts = "nothing new would leave"
	case o.Texts == landing.Redacted:
		texts = redactedLine(secrets)
	case len(secrets) > 0:
		texts += "; in ids and kinds, " + redactedLine(secrets)
	}
	_, err := fmt.Fprintf(a.stdout, "%s\nnothing was sent to %s\n", texts, a.short(o.Target.URL))
	return err
}
