package schedule

import (
	"context"
	"strings"
)

// crontab is the scheduler that runs the command by a line in the user's crontab.
type crontab struct{ System }

// Crontab is the name that [System.Remove] returns for removed crontab lines.
const Crontab = "crontab"

// read returns the crontab; empty if the user has none.
func (c crontab) read(ctx context.Context) (string, error) {
	text, err := c.Run(ctx, "", "crontab", "-l")
	if err != nil && strings.Contains(err.Error(), "no crontab for") {
		return "", nil
	}
	return text, err
}

func (c crontab) write(ctx context.Context, crontab string) error {
	if crontab == "" {
		_, err := c.Run(ctx, "", "crontab", "-r")
		return err
	}
	_, err := c.Run(ctx, crontab, "crontab", "-")
	return err
}

// Plan implements [Scheduler].
func (c crontab) Plan(ctx context.Context, t Timer) ([]Step, error) {
	before, err := c.read(ctx)
	if err == nil {
		_, err = t.InCrontab(before)
	}
	return []Step{{Title: "Into your crontab, by crontab -:", Text: t.CronLines()}}, err
}

// Install implements [Scheduler].
func (c crontab) Install(ctx context.Context, t Timer) error {
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

func (c crontab) remove(ctx context.Context) (removed []string, err error) {
	if !c.Has("crontab") {
		return nil, nil
	}
	before, err := c.read(ctx)
	if err != nil {
		return nil, nil //nolint:nilerr // a user who may not use cron has no line in a crontab
	}
	rest, had, err := WithoutTimer(before)
	if err != nil || !had {
		return nil, err
	}
	if err := c.write(ctx, rest); err != nil {
		return nil, err
	}
	return []string{Crontab}, nil
}
