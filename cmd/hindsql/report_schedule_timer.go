package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"hindsql/queries/report/schedule"
)

// system is this one, with its schedulers.
func (a *app) system() schedule.System {
	return schedule.System{
		OS: a.os, Home: a.home, Config: a.configFolder(), UID: os.Getuid(), Run: schedule.Command,
		Has: func(program string) bool { _, err := exec.LookPath(program); return err == nil },
	}
}

// chooseScheduler is the one asked for, else the one that this system has.
func (a *app) chooseScheduler(ctx context.Context, with string) (schedule.Scheduler, error) {
	s, err := a.system().Scheduler(ctx, with)
	switch {
	case errors.Is(err, schedule.ErrNoScheduler):
		return nil, usagef("%v; have your own call hindsql report due, or keep hindsql report watch running", err)
	case err != nil:
		return nil, usagef("--with %v", err)
	}
	return s, nil
}

// tellRemoved says what was taken back from schedulers.
func (a *app) tellRemoved(removed []string) {
	for _, what := range removed {
		if what == schedule.Crontab {
			fmt.Fprintln(a.stdout, "crontab: hindsql's lines removed")
			continue
		}
		fmt.Fprintf(a.stdout, "%s: removed\n", a.short(what))
	}
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
	flags, err := a.carriedFlags()
	if err != nil {
		return t, err
	}
	t.Command = append(append(t.Command, flags...), "report", "due", "--quiet")
	if t.Env, err = a.variables(); err != nil {
		return t, err
	}
	return t, t.Check()
}

// carriedFlags are the flags given that say from where, with paths that hold in
// any folder.
func (a *app) carriedFlags() (flags []string, err error) {
	for _, root := range a.roots {
		agent, path, _ := strings.Cut(root, "=")
		path, err := filepath.Abs(a.long(path))
		if err != nil {
			return nil, err
		}
		flags = append(flags, "--root", agent+"="+path)
	}
	for _, file := range []struct{ flag, path string }{{"--store", a.store}, {"--prices", a.long(a.prices)}} {
		if file.path == "" {
			continue
		}
		path, err := filepath.Abs(file.path)
		if err != nil {
			return nil, err
		}
		flags = append(flags, file.flag, path)
	}
	if a.timezone != "" {
		flags = append(flags, "--timezone", a.timezone)
	}
	return flags, nil
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
	a.stateFolder() // of pushes
	if store, ok := found["HINDSQL_STORE"]; ok {
		found["HINDSQL_STORE"], err = filepath.Abs(store)
	}
	return found, err
}
