package schedule

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
)

// launchd is the scheduler that runs the command by a launchd agent of the user.
type launchd struct{ System }

func (l launchd) files(t Timer) []unit {
	return []unit{{filepath.Join(l.Home, "Library", "LaunchAgents", LaunchdLabel+".plist"), t.LaunchdAgent()}}
}

func (l launchd) domain() string { return fmt.Sprintf("gui/%d", l.UID) }

// Plan implements [Scheduler].
func (l launchd) Plan(_ context.Context, t Timer) ([]Step, error) {
	files := l.files(t)
	_, err := ours(files)
	return append(steps(files), Step{Title: "Then run:", Text: "launchctl bootstrap " + l.domain() + " " + files[0].path + "\n"}), err
}

// Install implements [Scheduler].
func (l launchd) Install(ctx context.Context, t Timer) error {
	files, before := l.files(t), asTheyAre(l.files(t))
	present, err := ours(files)
	if err != nil {
		return err
	}
	if present {
		_ = l.stop(ctx) // the agent may not be loaded
	}
	if err := writeUnits(files); err != nil {
		return err
	}
	err = l.start(ctx, files)
	switch {
	case err == nil:
		return nil
	case present:
		undo := writeUnits(before)
		_ = l.start(ctx, before) // launchd may refuse the agent as it was before, too
		return errors.Join(err, undo)
	}
	_, undo := removeUnits(files)
	return errors.Join(err, undo)
}

func (l launchd) start(ctx context.Context, files []unit) error {
	_, err := l.Run(ctx, "", "launchctl", "bootstrap", l.domain(), files[0].path)
	return err
}

func (l launchd) stop(ctx context.Context) error {
	_, err := l.Run(ctx, "", "launchctl", "bootout", l.domain()+"/"+LaunchdLabel)
	return err
}

func (l launchd) remove(ctx context.Context) (removed []string, err error) {
	files := l.files(Timer{})
	present, err := ours(files)
	if err != nil || !present {
		return nil, err
	}
	stopped := l.stop(ctx)
	removed, err = removeUnits(files)
	return removed, errors.Join(stopped, err)
}
