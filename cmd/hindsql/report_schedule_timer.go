package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"

	"hindsql/queries/report/schedule"
)

// scheduler is a program of the system that calls others at given times.
type scheduler interface {
	// plan gives what install would write and run.
	plan(context.Context, schedule.Timer) ([]step, error)
	// install does it, or leaves nothing of it behind.
	install(context.Context, schedule.Timer) error
}

// remover takes away what install of any time wrote, and says whether there
// was something.
type remover interface {
	remove(context.Context) (bool, error)
}

// step is a file that is written, or commands that are run.
type step struct{ title, text string }

// chooseScheduler is the one asked for, else the one that this system has.
func (a *app) chooseScheduler(ctx context.Context, with string) (scheduler, error) {
	switch with {
	case "systemd":
		return &systemd{a}, needs("systemctl")
	case "launchd":
		return &launchd{a}, needs("launchctl")
	case "cron":
		return &cron{a}, needs("crontab")
	case "":
	default:
		return nil, usagef("--with %s: unknown; systemd, launchd or cron", with)
	}
	if _, err := a.system(ctx, "", "systemctl", "--user", "show-environment"); err == nil {
		return &systemd{a}, nil
	}
	switch {
	case a.os == "darwin" && needs("launchctl") == nil:
		return &launchd{a}, nil
	case needs("crontab") == nil:
		return &cron{a}, nil
	}
	return nil, usagef("no scheduler found: neither systemd for this user, launchd nor crontab; have your own call hindsql report due, or keep hindsql report watch running")
}

func needs(program string) error {
	if _, err := exec.LookPath(program); err != nil {
		return usagef("%s: not found on this system; see --with", program)
	}
	return nil
}

// removeTimers removes whatever install ever told any scheduler but one; nil
// for none.
func (a *app) removeTimers(ctx context.Context, but scheduler) (removed bool, err error) {
	for _, r := range []remover{&systemd{a}, &launchd{a}, &cron{a}} {
		if but != nil && reflect.TypeOf(r) == reflect.TypeOf(but) {
			continue
		}
		did, wrong := r.remove(ctx)
		removed, err = removed || did, errors.Join(err, wrong)
	}
	return removed, err
}

// system runs a program, and gives what it wrote; the error has what it said.
func (a *app) system(ctx context.Context, input, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	var said bytes.Buffer
	cmd.Stdin, cmd.Stderr = strings.NewReader(input), &said
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, strings.TrimSpace(said.String()))
	}
	return string(out), err
}

// timer is what a scheduler is to call: this program, on this store and these
// logs, as they are found from here. A scheduler knows nothing of the variables
// of a shell.
func (a *app) timer() (schedule.Timer, error) {
	program, err := os.Executable()
	if err != nil {
		return schedule.Timer{}, err
	}
	if _, err := a.journal(); err != nil {
		return schedule.Timer{}, err
	}
	t := schedule.Timer{Command: []string{program}, Env: map[string]string{}}
	if err := a.carryFlags(&t); err != nil {
		return t, err
	}
	t.Command = append(t.Command, "report", "due", "--quiet")
	if t.Env, err = a.variables(); err != nil {
		return t, err
	}
	return t, t.Check()
}

// carryFlags gives the timer's command the flags that say from where, with
// paths that hold in any folder.
func (a *app) carryFlags(t *schedule.Timer) error {
	for _, root := range a.roots {
		agent, path, _ := strings.Cut(root, "=")
		path, err := filepath.Abs(a.long(path))
		if err != nil {
			return err
		}
		t.Command = append(t.Command, "--root", agent+"="+path)
	}
	if a.store != "" {
		store, err := filepath.Abs(a.store)
		if err != nil {
			return err
		}
		t.Command = append(t.Command, "--store", store)
	}
	if a.timezone != "" {
		t.Command = append(t.Command, "--timezone", a.timezone)
	}
	return nil
}

// variables are those of the environment that say where logs, store and
// configuration are: whatever is asked for on the way to them.
func (a *app) variables() (map[string]string, error) {
	found, asked := map[string]string{}, a.getenv
	a.getenv = func(name string) string {
		value := asked(name)
		if value != "" {
			found[name] = value
		}
		return value
	}
	defer func() { a.getenv = asked }()
	if _, err := a.jobsPath(); err != nil {
		return nil, err
	}
	config, err := a.config()
	if err != nil {
		return nil, err
	}
	for _, r := range config.Readers {
		r.Places(config.Host, config.Roots[r.Agent])
	}
	a.getenv("TZ")
	if store, ok := found["HINDSQL_STORE"]; ok {
		found["HINDSQL_STORE"], err = filepath.Abs(store)
	}
	return found, err
}
