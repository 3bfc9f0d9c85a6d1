package duck

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"hindsql/internal/words"
)

// Limit is the error of a statement that met a bound, of a safe Store or of [Within].
type Limit struct {
	What  string // time, rows, memory, size (of a result) or rest (the time for taking its rows)
	Bound string // with its unit
	Safe  bool   // whether the bound is a safe Store's
}

// Error names the bound and says what to do.
func (l *Limit) Error() string {
	next := map[string]string{
		"time": "ask for less", "rows": "add a LIMIT, or count in SQL", "memory": "ask for fewer or shorter columns",
		"size": "ask for fewer or shorter columns", "rest": "take the rows as they come",
	}[l.What]
	where := ""
	if l.Safe {
		where = "safe: "
	}
	return fmt.Sprintf("%sstopped at the limit of %s, %s; %s", where, l.What, l.Bound, next)
}

// withinKey is the key of the statements' time bound in a context.
type withinKey struct{}

// Within returns a context in which each statement ends with a [*Limit] after taking
// DuckDB the given time. The shortest bound holds among nested contexts and the bounds
// of a safe Store. Zero means no bound.
func Within(ctx context.Context, limit time.Duration) context.Context {
	return context.WithValue(ctx, withinKey{}, Bound(ctx, limit))
}

// Bound returns the shorter of a time bound and the bound of a context. Zero means no bound.
func Bound(ctx context.Context, limit time.Duration) time.Duration {
	within, _ := ctx.Value(withinKey{}).(time.Duration)
	if limit == 0 || within == 0 {
		return cmp.Or(limit, within)
	}
	return min(limit, within)
}

// clock measures the time that a statement takes DuckDB, and cancels the statement at
// its bound. A statement without a bound has a nil clock.
type clock struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	bound  time.Duration
	isSafe bool // the bound is that of the connection's rules
	left   time.Duration
	began  time.Time
	timer  *time.Timer
}

// clocked returns a context for a statement, and the statement's running clock.
func (s *Conn) clocked(ctx context.Context) (context.Context, *clock) {
	k := &clock{bound: Bound(ctx, 0)}
	if s.rules != nil {
		k.bound = Bound(ctx, s.rules.Time())
		k.isSafe = k.bound == s.rules.Time()
	}
	if k.bound == 0 {
		return ctx, nil
	}
	k.left = k.bound
	k.ctx, k.cancel = context.WithCancelCause(ctx)
	k.resume()
	return k.ctx, k
}

func (k *clock) resume() {
	if k == nil {
		return
	}
	k.began = time.Now()
	k.timer = time.AfterFunc(k.left, func() {
		k.cancel(&Limit{What: "time", Bound: words.Duration(k.bound), Safe: k.isSafe})
	})
}

// pause stops the clock while the caller handles rows.
func (k *clock) pause() {
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

// asLimit turns an error into a [*Limit] if the clock cancelled the statement.
func (k *clock) asLimit(err error) error {
	if k == nil || err == nil {
		return err
	}
	var limit *Limit
	if errors.As(context.Cause(k.ctx), &limit) {
		return limit
	}
	return err
}
