package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"hindsql/queries/report/schedule"
	"hindsql/readers/files"
)

// systemd calls the command by a timer of the user's own manager.
type systemd struct{ *app }

const systemdTimer = "hindsql-report.timer"

func (s *systemd) folder() string {
	config := s.getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(config) {
		config = filepath.Join(s.home, ".config")
	}
	return filepath.Join(config, "systemd", "user")
}

func (s *systemd) files(t schedule.Timer) []unit {
	return []unit{
		{filepath.Join(s.folder(), "hindsql-report.service"), t.SystemdService()},
		{filepath.Join(s.folder(), systemdTimer), t.SystemdTimer()},
	}
}

func (s *systemd) plan(_ context.Context, t schedule.Timer) ([]step, error) {
	_, err := ours(s.files(t))
	return append(s.steps(s.files(t)), step{"Then run:", "systemctl --user daemon-reload\nsystemctl --user enable --now " + systemdTimer + "\n"},
		step{"It runs while you are logged in; to have it always:", "loginctl enable-linger\n"}), err
}

func (s *systemd) install(ctx context.Context, t schedule.Timer) error {
	if err := writeUnits(s.files(t)); err != nil {
		return err
	}
	_, err := s.system(ctx, "", "systemctl", "--user", "daemon-reload")
	if err == nil {
		_, err = s.system(ctx, "", "systemctl", "--user", "enable", "--now", systemdTimer)
	}
	if err != nil {
		_, undo := s.remove(ctx)
		return errors.Join(err, undo)
	}
	return nil
}

func (s *systemd) remove(ctx context.Context) (bool, error) {
	files := s.files(schedule.Timer{})
	present, err := ours(files)
	if err != nil || !present {
		return false, err
	}
	_, stopped := s.system(ctx, "", "systemctl", "--user", "disable", "--now", systemdTimer)
	if err := s.removeUnits(files); err != nil {
		return true, err
	}
	for _, folder := range []string{filepath.Join(s.folder(), "timers.target.wants"), s.folder(), filepath.Dir(s.folder())} {
		_ = os.Remove(folder) // only one that is empty goes
	}
	if stopped != nil {
		return true, stopped
	}
	_, err = s.system(ctx, "", "systemctl", "--user", "daemon-reload")
	return true, err
}

// launchd calls the command by an agent of the user's.
type launchd struct{ *app }

func (l *launchd) files(t schedule.Timer) []unit {
	return []unit{{filepath.Join(l.home, "Library", "LaunchAgents", schedule.LaunchdLabel+".plist"), t.LaunchdAgent()}}
}

func launchdDomain() string { return fmt.Sprintf("gui/%d", os.Getuid()) }

func (l *launchd) plan(_ context.Context, t schedule.Timer) ([]step, error) {
	files := l.files(t)
	_, err := ours(files)
	return append(l.steps(files), step{"Then run:", "launchctl bootstrap " + launchdDomain() + " " + files[0].path + "\n"}), err
}

func (l *launchd) install(ctx context.Context, t schedule.Timer) error {
	files := l.files(t)
	present, err := ours(files)
	if err != nil {
		return err
	}
	if present {
		_, _ = l.system(ctx, "", "launchctl", "bootout", launchdDomain()+"/"+schedule.LaunchdLabel) // it may not be loaded
	}
	if err := writeUnits(files); err != nil {
		return err
	}
	if _, err := l.system(ctx, "", "launchctl", "bootstrap", launchdDomain(), files[0].path); err != nil {
		return errors.Join(err, l.removeUnits(files))
	}
	return nil
}

func (l *launchd) remove(ctx context.Context) (bool, error) {
	files := l.files(schedule.Timer{})
	present, err := ours(files)
	if err != nil || !present {
		return false, err
	}
	_, stopped := l.system(ctx, "", "launchctl", "bootout", launchdDomain()+"/"+schedule.LaunchdLabel)
	return true, errors.Join(stopped, l.removeUnits(files))
}

// cron calls the command by a line of the user's crontab.
type cron struct{ *app }

// read gives the crontab; empty when the user has none.
func (c *cron) read(ctx context.Context) (string, error) {
	text, err := c.system(ctx, "", "crontab", "-l")
	if err != nil && strings.Contains(err.Error(), "no crontab for") {
		return "", nil
	}
	return text, err
}

func (c *cron) write(ctx context.Context, crontab string) error {
	if crontab == "" {
		_, err := c.system(ctx, "", "crontab", "-r")
		return err
	}
	_, err := c.system(ctx, crontab, "crontab", "-")
	return err
}

func (c *cron) plan(ctx context.Context, t schedule.Timer) ([]step, error) {
	before, err := c.read(ctx)
	if err == nil {
		_, err = t.InCrontab(before)
	}
	return []step{{"Into your crontab, by crontab -:", t.CronLines()}}, err
}

func (c *cron) install(ctx context.Context, t schedule.Timer) error {
	before, err := c.read(ctx)
	if err != nil {
		return err
	}
	after, err := t.InCrontab(before)
	if err != nil {
		return err
	}
	return c.write(ctx, after)
}

func (c *cron) remove(ctx context.Context) (bool, error) {
	if needs("crontab") != nil {
		return false, nil
	}
	before, err := c.read(ctx)
	if err != nil {
		return false, nil // a user who may not use cron has no line in it
	}
	rest, had, err := schedule.WithoutTimer(before)
	if err != nil || !had {
		return false, err
	}
	if err := c.write(ctx, rest); err != nil {
		return false, err
	}
	fmt.Fprintln(c.stdout, "crontab: hindsql's lines removed")
	return true, nil
}

// unit is a file that a scheduler reads.
type unit struct{ path, text string }

// ours says whether any of the files is there; one that install didn't write is
// an error.
func ours(files []unit) (present bool, err error) {
	for _, f := range files {
		switch text, err := os.ReadFile(f.path); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return false, err
		case !strings.Contains(string(text), schedule.Mark):
			return false, fmt.Errorf("%s: not written by hindsql report install; left as it is", f.path)
		default:
			present = true
		}
	}
	return present, nil
}

func writeUnits(units []unit) error {
	if _, err := ours(units); err != nil {
		return err
	}
	for _, f := range units {
		if err := os.MkdirAll(filepath.Dir(f.path), 0o755); err != nil {
			return err
		}
		if err := files.Write(f.path, []byte(f.text)); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) removeUnits(files []unit) error {
	for _, f := range files {
		if err := os.Remove(f.path); err == nil {
			fmt.Fprintf(a.stdout, "%s: removed\n", a.short(f.path))
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// steps shows files that are written.
func (a *app) steps(files []unit) []step {
	var steps []step
	for _, f := range files {
		steps = append(steps, step{"Into " + a.short(f.path) + ":", f.text})
	}
	return steps
}
