package schedule

import (
	"context"
	"errors"
	"os"
	"path/filepath"
)

// systemd is the scheduler that runs the command by a timer of the user's own systemd
// manager.
type systemd struct{ System }

const systemdTimer = "hindsql-report.timer"

func (s systemd) folder() string { return filepath.Join(s.Config, "systemd", "user") }

func (s systemd) files(t Timer) []unit {
	return []unit{
		{filepath.Join(s.folder(), "hindsql-report.service"), t.SystemdService()},
		{filepath.Join(s.folder(), systemdTimer), t.SystemdTimer()},
	}
}

func (s systemd) control(ctx context.Context, args ...string) error {
	_, err := s.Run(ctx, "", "systemctl", append([]string{"--user"}, args...)...)
	return err
}

// Plan implements [Scheduler].
func (s systemd) Plan(_ context.Context, t Timer) ([]Step, error) {
	_, err := ours(s.files(t))
	return append(steps(s.files(t)),
		Step{Title: "Then run:", Text: "systemctl --user daemon-reload\nsystemctl --user enable --now " + systemdTimer + "\n"},
		Step{Title: "It runs while you are logged in; to have it always:", Text: "loginctl enable-linger\n"}), err
}

// Install implements [Scheduler].
func (s systemd) Install(ctx context.Context, t Timer) error {
	before := asTheyAre(s.files(t))
	if err := writeUnits(s.files(t)); err != nil {
		return err
	}
	err := s.control(ctx, "daemon-reload")
	if err == nil {
		err = s.control(ctx, "enable", "--now", systemdTimer)
	}
	switch {
	case err == nil:
		return nil
	case before != nil:
		undo := writeUnits(before)
		_ = s.control(ctx, "daemon-reload") // the first reload may have failed
		return errors.Join(err, undo)
	}
	_, undo := s.remove(ctx)
	return errors.Join(err, undo)
}

func (s systemd) remove(ctx context.Context) (removed []string, err error) {
	files := s.files(Timer{})
	present, err := ours(files)
	if err != nil || !present {
		return nil, err
	}
	stopped := s.control(ctx, "disable", "--now", systemdTimer)
	if removed, err = removeUnits(files); err != nil {
		return removed, err
	}
	for _, folder := range []string{filepath.Join(s.folder(), "timers.target.wants"), s.folder(), filepath.Dir(s.folder())} {
		_ = os.Remove(folder) // fails unless the folder is empty
	}
	if stopped != nil {
		return removed, stopped
	}
	return removed, s.control(ctx, "daemon-reload")
}
