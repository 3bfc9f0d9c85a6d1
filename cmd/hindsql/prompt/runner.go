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

// syncPause is the minimum time between two syncs with the logs.
const syncPause = time.Second

// runner runs statements. It remembers the last statement with its result, and the
// unfinished statement during a command, because some commands act on them.
type runner struct {
	*Config
	sink     *sink
	writing  string // unfinished statement at the time of the running command
	last     string // last statement run
	kept     kept   // result of last
	synced   time.Time
	watching bool            // .watch runs
	made     map[string]bool // names, in small letters, of tables that a script created and hasn't used since
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
		typed := ask.Typed(sql)
		to.Chart = typed.Chart()
		write, err := to.Results("")
		if err != nil {
			return err
		}
		return r.View.Session.Run(ctx, typed, func(a *ask.Answer) error { return write(r.kept.through(a.Rows)) })
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

// kept holds the last result, up to keptBytes.
type kept struct {
	set   result.Set
	bytes int
	whole bool // set has all rows
}

// keptBytes is the approximate maximum memory for a kept result.
const keptBytes = 16 << 20

// through returns the same rows, and stores a copy of each row when the caller reads
// the row.
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
