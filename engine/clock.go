package engine

import (
	"cmp"
	"context"
	"errors"
	"time"
)

// withinKey is where a context keeps the bound of its statements' time.
type withinKey struct{}

// Within gives a context in which each statement ends, with a [*Limit], when it
// took DuckDB the given time. Of a safe Store, and of contexts in each other, the
// shortest bound holds. Zero is none.
func Within(ctx context.Context, limit time.Duration) context.Context {
	return context.WithValue(ctx, withinKey{}, shorter(limit, within(ctx)))
}

func within(ctx context.Context) time.Duration {
	limit, _ := ctx.Value(withinKey{}).(time.Duration)
	return limit
}

// shorter is the shorter one of two bounds, of which zero is none.
func shorter(a, b time.Duration) time.Duration {
	if a == 0 || b == 0 {
		return cmp.Or(a, b)
	}
	return min(a, b)
}

// clock measures the time that a statement takes DuckDB, and ends it at its bound.
// Of one without it is nil.
type clock struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	safe   *Safe // of a worker's statement, else nil
	bound  time.Duration
	left   time.Duration
	began  time.Time
	timer  *time.Timer
}

// clocked gives a context for a statement, and its clock, which runs.
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

// rest stops the clock while what reads the rows is busy with them.
func (k *clock) rest() {
	if k == nil {
		return
	}
	k.timer.Stop()
	k.left -= time.Since(k.began)
}

// end ends the statement.
func (k *clock) end() {
	if k != nil {
		k.timer.Stop()
		k.cancel(nil)
	}
}

// met turns the error of a statement that met a bound into a [*Limit].
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
