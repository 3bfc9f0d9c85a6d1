package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"hindsql/cmd/hindsql/schedule"
)

func thisSystem(w *world) schedule.System { return schedule.This(w.home, userOf(w).Config()) }

// chooseScheduler returns the requested scheduler, or the system's own.
func chooseScheduler(ctx context.Context, w *world, with string) (schedule.Scheduler, error) {
	s, err := thisSystem(w).Scheduler(ctx, with)
	switch {
	case errors.Is(err, schedule.ErrNoScheduler):
		return s, usagef("%v; have your own call hindsql report run NAME --scheduled", err)
	case err != nil:
		return s, usagef("--with %v", err)
	}
	return s, nil
}

// newTimer returns what a scheduler shall run: this program, with flags and variables
// for the current store and logs. A scheduler doesn't have the variables of this shell.
func newTimer(w *world, from *where, command []string) (schedule.Timer, error) {
	program, err := os.Executable()
	if err != nil {
		return schedule.Timer{}, err
	}
	if _, err := journalOf(w, from); err != nil {
		return schedule.Timer{}, err
	}
	t := schedule.Timer{Command: []string{program}, Env: map[string]string{}}
	flags, err := carriedFlags(w, from)
	if err != nil {
		return t, err
	}
	t.Command = append(append(t.Command, flags...), command...)
	t.Env, err = carriedVariables(w, from)
	return t, err
}

// carriedFlags returns the given flags that name places, such as --store, with absolute
// paths.
func carriedFlags(w *world, from *where) (flags []string, err error) {
	for _, root := range from.roots {
		agent, path, _ := strings.Cut(root, "=")
		path, err := filepath.Abs(w.long(path))
		if err != nil {
			return nil, err
		}
		flags = append(flags, "--root", agent+"="+path)
	}
	for _, file := range []struct{ flag, path string }{{"--store", from.store}, {"--prices", w.long(from.prices)}} {
		if file.path == "" {
			continue
		}
		path, err := filepath.Abs(file.path)
		if err != nil {
			return nil, err
		}
		flags = append(flags, file.flag, path)
	}
	if from.timezone != "" {
		flags = append(flags, "--timezone", from.timezone)
	}
	return flags, nil
}

// carriedVariables returns the environment variables that hindsql reads to find the
// logs, the store and the configuration, with their values.
func carriedVariables(w *world, from *where) (map[string]string, error) {
	found, asking := map[string]string{}, *w
	asking.getenv = func(name string) string {
		value := w.getenv(name)
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
	asking.stateFolder() // reads the variables for the folder of pushes
	if store, ok := found["HINDSQL_STORE"]; ok {
		found["HINDSQL_STORE"], err = filepath.Abs(store)
	}
	return found, err
}
