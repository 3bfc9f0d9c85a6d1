package engine

import (
	"cmp"
	"context"
	"errors"
	"time"
)

// withinKey is the key of the statements' time bound in a context.
type withinKey struct{}

// Within returns a context in which each statement ends with a [*Limit] after taking
// DuckDB the given time. The shortest bound holds among nested contexts and the bounds
// of a safe Store. Zero means no bound.
func Within(ctx context.Context, limit time.Duration) context.Context {
	return context.WithValue(ctx, withinKey{}, shorter(limit, within(ctx)))
}

func within(ctx context.Context) time.Duration {
	limit, _ := ctx.Value(withinKey{}).(time.Duration)
	return limit
}

// shorter returns the shorter of two bounds. Zero means no bound.
func shorter(a, b time.Duration) time.Duration {
	if a == 0 || b == 0 {
		return cmp.Or(a, b)
	}
	return min(a, b)
}

// clock measures the time that a statement takes DuckDB, and cancels the statement at
// its bound. A statement without a bound has a nil clock.
type clock struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	safe   *Safe // bounds of a worker's statement; nil outside a worker
	bound  time.Duration
	left   time.Duration
	began  time.Time
	timer  *time.Timer
}

// clocked returns a context for a statement, and the statement's running clock.
func (s *connection) clocked(ctx context.Context) (context.Context, *clock) {
	k := &clock{bound: within(ctx)}
	if s.rules != nil {
		k.safe = &s.rules.bounds
		k.bound = shorter(k.bound, k.safe.Time)
	}
	if k.bound == 0 {
		return ctx, nil
	}
	k.left = k.bound
	k.ctx, k.cancel = context.WithCancelCause(ctx)
	k.run()
	return k.ctx, k
}

func (k *clock) run() {
	if k == nil {
		return
	}
	k.began = time.Now()
	k.timer = time.AfterFunc(k.left, func() {
		k.cancel(k.safe.late(k.bound))
	})
}

// rest stops the clock while the caller handles rows.
func (k *clock) rest() {
	if k == nil {
		return
	}
	k.timer.Stop()
	k.left -= time.Since(k.began)
}

// end stops the clock, and cancels the statement's context.
func (k *clock) end() {
	if k != nil {
		k.timer.Stop()
		k.cancel(nil)
	}
}

// met turns an error into a [*Limit] if the clock cancelled the statement.
func (k *clock) met(err error) error {
	if k == nil || err == nil {
		return err
	}
	var limit *Limit
	if errors.As(context.Cause(k.ctx), &limit) {
		return limit
	}
	return err
}
