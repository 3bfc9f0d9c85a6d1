package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hindsql/cmd/hindsql/schedule"
	"hindsql/cmd/hindsql/term"
	"hindsql/engine/fleet/landing"
	"hindsql/engine/fleet/push"
	"hindsql/engine/redact"
	"hindsql/internal/pattern"
)

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

func newPushInstallCommand(w *world, s shared) *cobra.Command {
	o := pushInstallOptions{pushOptions{shared: s}, schedulerOptions{schedule: "every 1h"}}
	return completesSchedulers(newCommand(w, o, ofOwnLogs, runPushInstall, &cobra.Command{
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

func runPushInstall(ctx context.Context, w *world, o pushInstallOptions) error {
	o.url = o.args
	p, err := o.toPush(w)
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
	return putOnSchedule(ctx, w, o.where, pushName(p.Target.URL), command, o.schedulerOptions)
}

// pushForm is the form of the names that pushName returns. A report may be named push-notes.
var pushForm = pattern.Lazy(`^push-[0-9a-f]{8}$`)

// pushName returns the name of the timer that pushes to a target.
func pushName(target string) string {
	sum := sha256.Sum256([]byte(target))
	return "push-" + hex.EncodeToString(sum[:4])
}

func isPush(name string) bool { return pushForm.MatchString(name) }

func newPushUninstallCommand(w *world, s shared) *cobra.Command {
	return newCommand(w, s, "", runPushUninstall, &cobra.Command{
		Use:   "uninstall [TARGET]",
		Short: "Have this machine no longer push by itself",
		Long: `Takes the push to TARGET, or every push, from the system's scheduler. What was
pushed stays there; hindsql push --forget deletes it.`,
	})
}

func runPushUninstall(ctx context.Context, w *world, s shared) error {
	var names []string
	for _, target := range s.args {
		url, _, err := landing.Canonical(target, w.home)
		if err != nil {
			return usagef("%v", err)
		}
		names = append(names, pushName(url))
	}
	return takeOffSchedule(ctx, w, names, true)
}

// pushScheduled pushes as a scheduler does. If another machine has taken over the
// target, or the target shall be forgotten, the push fails like any other.
func pushScheduled(ctx context.Context, w *world, o pushOptions) error {
	w.getenv = schedule.WithEnv(o.env, w.getenv)
	journal, err := journalOf(w, o.where)
	if err != nil {
		return err
	}
	p, err := o.toPush(w)
	if err != nil {
		return err
	}
	return journaled(ctx, w, journal, pushName(p.Target.URL), schedule.Runner{Make: func(ctx context.Context, _, _ time.Time) (made schedule.Made, err error) {
		return made, withSession(ctx, w, o.where, func(ctx context.Context, v *term.View) error {
			p, err := o.toPush(w)
			if err != nil {
				return err
			}
			p.Redact = redact.New()
			_, err = push.Run(ctx, v.Session.Engine(), p)
			return err
		})
	}})
}
