package prompt

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/render"
	"hindsql/engine/result"
)

// syncPause is the least time between two looks at the logs.
const syncPause = time.Second

func (p *Prompt) statement(ctx context.Context, sql string) error {
	p.last = strings.TrimSpace(sql)
	if p.Editor == nil {
		p.noteTables(sql)
	}
	return p.query(ctx, sql)
}

// query runs a statement, and keeps its result for .last.
func (p *Prompt) query(ctx context.Context, sql string) error {
	p.kept = kept{}
	return p.show(ctx, func(ctx context.Context, to *render.Output) error {
		if to.Is(render.Parquet) { // the engine reads the rows
			return p.View.Query(ctx, to, ask.Typed(sql))
		}
		write, err := to.Results("")
		if err != nil {
			return err
		}
		return p.View.Session.Run(ctx, ask.Typed(sql), func(a *ask.Answer) error { return write(p.kept.through(a.Rows)) })
	})
}

// current is the statement that a command is about: what is being written, else
// the last one. name is the command's, for the error where there is none.
func (p *Prompt) current(name string) (string, error) {
	sql := p.sent
	if strings.TrimSpace(sql) == "" {
		sql = p.last
	}
	if sql == "" {
		return "", errors.New(name + ": no statement was run yet")
	}
	return sql, nil
}

// show syncs, and writes a result where results go. Ctrl-C cancels both.
func (p *Prompt) show(ctx context.Context, write func(context.Context, *render.Output) error) error {
	ctx, stop := p.interruptible(ctx)
	defer stop()
	if err := p.sync(ctx); err != nil {
		return err
	}
	return p.sink.deliver(func(to *render.Output) error { return write(ctx, to) })
}

// sync loads what changed. It then lets go of the store, because the next
// statement may be a long time away. A file's statements all see the same rows,
// but for those that .watch repeats.
func (p *Prompt) sync(ctx context.Context) error {
	if !p.Synced || p.Editor == nil && !p.watching || time.Since(p.synced) < syncPause {
		return nil
	}
	_, err := p.View.Sync(ctx, false)
	p.View.Session.Store().Detach(ctx)
	p.synced = time.Now()
	return err
}

// kept is the last result, as far as it is small.
type kept struct {
	set   result.Set
	bytes int
	whole bool // set has all rows
}

// keptBytes is about how much memory a result may take that is kept.
const keptBytes = 16 << 20

// through gives rows that are kept as they are read.
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
