package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hindsql/cmd/hindsql/schedule"
	"hindsql/engine"
	"hindsql/internal/lists"
	"hindsql/internal/pattern"
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

// completeSchedulers has the names of schedulers complete the flag --with of a command.
func completeSchedulers(cmd *cobra.Command) *cobra.Command {
	names := lists.Map(schedule.Schedulers(), func(s schedule.Scheduler) string { return s.Name })
	_ = cmd.RegisterFlagCompletionFunc("with", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func thisSystem(env *environment) schedule.System {
	return schedule.This(env.home, userOf(env).Config())
}

// chooseScheduler returns the requested scheduler, or the system's own.
func chooseScheduler(ctx context.Context, env *environment, with string) (schedule.Scheduler, error) {
	s, err := thisSystem(env).Scheduler(ctx, with)
	switch {
	case errors.Is(err, schedule.ErrNoScheduler):
		return s, usagef("%v; have your own call hindsql report run NAME --scheduled", err)
	case err != nil:
		return s, usagef("--with %v", err)
	}
	return s, nil
}

// installTimer shows a timer's files and commands, asks the user, and installs the timer.
func installTimer(ctx context.Context, env *environment, from *logFlags, name string, command []string, o schedulerOptions) error {
	warnOfOldSchedule(env)
	when, err := schedule.Parse(o.schedule)
	if err != nil {
		return usagef("report %s: %v", name, err)
	}
	with, err := chooseScheduler(ctx, env, o.with)
	if err != nil {
		return err
	}
	timer, err := newTimer(env, from, command)
	if err != nil {
		return err
	}
	timer.Name, timer.When = name, when
	files, commands, err := thisSystem(env).Plan(with, timer)
	if err != nil {
		return usagef("%v", err)
	}
	showPlan(env, timer, with, files, commands)
	if o.dryRun {
		return nil
	}
	if yes, err := confirm(env, o.yes); err != nil || !yes {
		return err
	}
	removed, err := thisSystem(env).Install(ctx, with, timer)
	printRemoved(env, name, removed)
	if err != nil {
		return err
	}
	fmt.Fprintf(env.stdout, "\ninstalled; hindsql \"FROM report_runs\" shows the runs, hindsql report uninstall %s undoes this\n", name)
	return nil
}

// newTimer returns a timer that runs a command of this program, with flags and variables
// for the current store and logs. A scheduler doesn't have the variables of this shell.
func newTimer(env *environment, from *logFlags, command []string) (schedule.Timer, error) {
	program, err := os.Executable()
	if err != nil {
		return schedule.Timer{}, err
	}
	if _, err := journalOf(env, from); err != nil {
		return schedule.Timer{}, err
	}
	t := schedule.Timer{Command: []string{program}, Env: map[string]string{}}
	flags, err := placeFlags(env, from)
	if err != nil {
		return t, err
	}
	t.Command = append(append(t.Command, flags...), command...)
	t.Env, err = placeVariables(env, from)
	return t, err
}

// placeVariables returns the environment variables that hindsql reads to find the
// logs, the store and the configuration, with their values.
func placeVariables(env *environment, from *logFlags) (map[string]string, error) {
	found, asking := map[string]string{}, *env
	asking.getenv = func(name string) string {
		value := env.getenv(name)
		if value != "" {
			found[name] = value
		}
		return value
	}
	asking.configured("") // reads the variables for the folder of reports and queries
	config, err := ownConfig(&asking, from)
	if err != nil {
		return nil, err
	}
	for _, r := range config.Readers {
		r.Places(config.Host, config.Roots[r.Agent])
	}
	asking.getenv("TZ")
	asking.state("") // reads the variables for the folder of pushes
	if store, ok := found["HINDSQL_STORE"]; ok {
		found["HINDSQL_STORE"], err = filepath.Abs(store)
	}
	return found, err
}

func showPlan(env *environment, timer schedule.Timer, with schedule.Scheduler, files []schedule.File, commands [][]string) {
	fmt.Fprintf(env.stdout, "%s: %s, by %s\n", timer.Name, timer.When, with.Name)
	for _, f := range files {
		title := "Into your crontab"
		if f.Path != "" {
			title = "Into " + env.short(f.Path)
		}
		fmt.Fprintf(env.stdout, "\n%s:\n  %s\n", title, strings.ReplaceAll(strings.TrimSpace(f.Text), "\n", "\n  "))
	}
	for i, c := range commands {
		if i == 0 {
			fmt.Fprintln(env.stdout, "\nThen run:")
		}
		fmt.Fprintf(env.stdout, "  %s\n", strings.Join(c, " "))
	}
	if with.Name == "systemd" {
		fmt.Fprintln(env.stdout, "\nIt runs while you are logged in; to have it always:\n  loginctl enable-linger")
	}
}

// installedTimers returns the installed timers by name. It warns of an unreadable
// crontab.
func installedTimers(ctx context.Context, env *environment) map[string]schedule.Entry {
	warnOfOldSchedule(env)
	installed, err := thisSystem(env).Installed(ctx)
	if err != nil {
		env.notice("%v; its lines are not known", err)
	}
	return installed
}

// uninstallTimers removes the named timers; without names all of reports, or all of
// pushes.
func uninstallTimers(ctx context.Context, env *environment, names []string, pushes bool) (err error) {
	installed := installedTimers(ctx, env)
	if len(names) == 0 {
		names = slices.Sorted(maps.Keys(installed))
		names = slices.DeleteFunc(names, func(name string) bool { return isPush(name) != pushes })
		if len(names) == 0 {
			fmt.Fprintln(env.stdout, "nothing is installed")
		}
	}
	for _, name := range names {
		if _, is := installed[name]; !is {
			return usagef("%s: not installed; hindsql report list shows what is", name)
		}
		removed, wrong := thisSystem(env).Remove(ctx, name)
		printRemoved(env, name, removed)
		err = errors.Join(err, wrong)
	}
	return err
}

func printRemoved(env *environment, name string, removed []string) {
	for _, path := range removed {
		if path == schedule.Crontab {
			fmt.Fprintf(env.stdout, "%s: %s's line removed\n", path, name)
		} else {
			fmt.Fprintf(env.stdout, "%s: removed\n", env.short(path))
		}
	}
}

// warnOfOldSchedule says what to do about an older hindsql's file of reports, and about its
// scheduler's entry, which calls a command that is gone.
func warnOfOldSchedule(env *environment) {
	path := env.configured("schedule.toml")
	if _, err := os.Stat(path); err == nil {
		env.notice("%s: from an older hindsql, and read no more. Install the reports in it anew, delete the file, and take hindsql report due from your scheduler: %s",
			env.short(path), "systemctl --user disable --now hindsql-report.timer, crontab -e, launchctl remove hindsql.report, or schtasks /Delete /TN \"hindsql report\"")
	}
}

// pushForm is the form of the names that pushName returns. A report may be named push-notes.
var pushForm = pattern.Lazy(`^push-[0-9a-f]{8}$`)

// pushName returns the name of the timer that pushes to a target.
func pushName(target string) string {
	sum := sha256.Sum256([]byte(target))
	return "push-" + hex.EncodeToString(sum[:4])
}

func isPush(name string) bool { return pushForm.MatchString(name) }

// byScheduler are the flags with which a scheduler runs a command.
type byScheduler struct {
	scheduled bool
	env       []string // NAME=VALUE: variables that the scheduler couldn't set
}

func (o *byScheduler) addFlags(flags *pflag.FlagSet, what string) {
	flags.BoolVar(&o.scheduled, "scheduled", false, "as a scheduler does: "+what+"try again after a failure, and note the run in table report_runs")
	flags.StringArrayVar(&o.env, "env", nil, "set the variable `NAME=VALUE`, for schedulers that can't")
	_ = flags.MarkHidden("env")
}

// journalOf returns the journal of the store's reports.
func journalOf(env *environment, from *logFlags) (schedule.Journal, error) {
	store, err := storePath(env, from)
	if err != nil {
		return schedule.Journal{}, err
	}
	store, err = filepath.Abs(store)
	return schedule.Journal{Path: engine.RunsPath(store)}, err
}

// journalRun runs a report or a push, and notes the run in the journal. If another
// process is running the same, journalRun does nothing.
func journalRun(ctx context.Context, env *environment, journal schedule.Journal, name string, r schedule.Runner) error {
	r.Journal, r.Now, r.Longest, r.Pauses = journal, env.clock, 30*time.Minute, env.retries
	run, err := r.Run(ctx, name)
	switch {
	case errors.Is(err, schedule.ErrRunning):
		env.notice("report %s: %v", name, err)
		return nil
	case err != nil:
		return err
	case run.Status == schedule.Failed:
		return fmt.Errorf("report %s: %s", name, run.Error)
	case run.Error != "":
		env.notice("report %s: %s, but %s", name, run.Status, run.Error)
	}
	if run.Status == schedule.Alert {
		return errAlert
	}
	return nil
}
