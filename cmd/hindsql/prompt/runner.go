package prompt

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/term"
	"hindsql/internal/result"
)

// syncPause is the least time between two looks at the logs.
const syncPause = time.Second

// runner runs statements. For commands, it keeps the last statement, the last result,
// and the statement that a command interrupted.
type runner struct {
	*Config
	sink     *sink
	writing  string // unfinished statement when the present command came
	last     string // last statement run
	kept     kept   // result of last
	synced   time.Time
	watching bool            // .watch runs
	made     map[string]bool // names of tables that a script created and didn't use, in small letters
}

// forget drops the last statement and its result.
func (r *runner) forget() { r.last, r.kept = "", kept{} }

// statement runs a statement that the user wrote.
func (r *runner) statement(ctx context.Context, sql string) error {
	r.last = strings.TrimSpace(sql)
	if r.Editor == nil {
		r.noteTables(sql)
	}
	return r.query(ctx, sql)
}

// query runs a statement, and keeps its result for .last.
func (r *runner) query(ctx context.Context, sql string) error {
	r.kept = kept{}
	return r.show(ctx, func(ctx context.Context, to *term.Output) error {
		if to.Is(term.Parquet) { // the engine reads the rows
			return r.View.Query(ctx, to, ask.Typed(sql))
		}
		write, err := to.Results("")
		if err != nil {
			return err
		}
		return r.View.Session.Run(ctx, ask.Typed(sql), func(a *ask.Answer) error { return write(r.kept.through(a.Rows)) })
	})
}

// current returns the statement that a command acts on: the unfinished statement,
// otherwise the last one. The error begins with name, the command's.
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

// sync loads changed logs. Then sync lets go of the store, because the next statement
// may come much later. A file's statements all see the same rows, except statements
// that .watch repeats.
func (r *runner) sync(ctx context.Context) error {
	if !r.Synced || r.Editor == nil && !r.watching || time.Since(r.synced) < syncPause {
		return nil
	}
	_, err := r.View.Sync(ctx, false)
	r.View.Session.Store().Detach(ctx)
	r.synced = time.Now()
	return err
}

// kept holds the last result, up to keptBytes.
type kept struct {
	set   result.Set
	bytes int
	whole bool // set has all rows
}

// keptBytes bounds the memory of a kept result, roughly.
const keptBytes = 16 << 20

// through returns the same rows, and keeps each row when the caller reads it.
func (k *kept) through(rows *result.Rows) *result.Rows {
	if len(rows.Columns) == 0 {
		return rows
	}
	*k = kept{set: result.Set{Columns: rows.Columns}}
	read := result.NewRows(rows.Columns, func() ([]any, error) {
		if !rows.Next() {
			k.whole = rows.Err() == nil && k.bytes <= keptBytes
			return nil, rows.Err()
		}
		k.add(rows.Values())
		return rows.Values(), nil
	})
	read.SyncedAt = rows.SyncedAt
	return read
}

func (k *kept) add(row []any) {
	for _, v := range row {
		k.bytes += 32
		if text, ok := v.(string); ok {
			k.bytes += len(text)
		}
	}
	if k.bytes > keptBytes {
		k.set.Rows = nil
		return
	}
	k.set.Rows = append(k.set.Rows, slices.Clone(row))
}
