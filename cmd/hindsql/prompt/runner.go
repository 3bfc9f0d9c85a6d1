package prompt

import (
	"context"
	"errors"
	"strings"
	"time"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/term"
)

// syncPause is the minimum time between two syncs with the logs.
const syncPause = time.Second

// runner runs statements. It remembers the last statement, and the
// unfinished statement during a command, because some commands act on them.
type runner struct {
	*Config
	sink     *sink
	writing  string // unfinished statement at the time of the running command
	last     string // last statement run
	synced   time.Time
	watching bool            // .watch runs
	made     map[string]bool // names, in small letters, of tables that a script created and hasn't used since
}

// statement runs a statement that the user wrote.
func (r *runner) statement(ctx context.Context, sql string) error {
	r.last = strings.TrimSpace(sql)
	if r.Editor == nil {
		r.noteTables(sql)
	}
	return r.query(ctx, sql)
}

// query runs a statement.
func (r *runner) query(ctx context.Context, sql string) error {
	return r.show(ctx, func(ctx context.Context, to *term.Output) error {
		if to.Is(term.Parquet) { // the engine reads the rows
			return r.View.Query(ctx, to, ask.Typed(sql))
		}
		typed := ask.Typed(sql)
		to.Chart = typed.Chart()
		write, err := to.Results("")
		if err != nil {
			return err
		}
		return r.View.Session.Run(ctx, typed, func(a *ask.Answer) error { return write(a.Rows) })
	})
}

// current returns the statement on which a command acts: the unfinished statement,
// otherwise the last one. If no statement was run, it returns an error that begins with
// the command's name.
func (r *runner) current(name string) (string, error) {
	sql := r.writing
	if strings.TrimSpace(sql) == "" {
		sql = r.last
	}
	if sql == "" {
		return "", errors.New(name + ": no statement was run yet")
	}
	return sql, nil
}

// show syncs, and writes a result to the sink. Ctrl-C cancels both.
func (r *runner) show(ctx context.Context, write func(context.Context, *term.Output) error) error {
	ctx, stop := r.interruptible(ctx)
	defer stop()
	if err := r.sync(ctx); err != nil {
		return err
	}
	return r.sink.deliver(func(to *term.Output) error { return write(ctx, to) })
}

// sync loads changed logs, and then detaches the store: the next statement may come
// much later, and other processes may want to write. In a script, sync does nothing,
// except for statements repeated by .watch. All statements of a script thus see the
// same rows.
func (r *runner) sync(ctx context.Context) error {
	if !r.Synced || r.Editor == nil && !r.watching || time.Since(r.synced) < syncPause {
		return nil
	}
	_, err := r.View.Sync(ctx, false)
	r.View.Session.Store().Detach(ctx)
	r.synced = time.Now()
	return err
}
