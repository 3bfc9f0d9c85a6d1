package prompt

import (
	"context"
	"time"

	"hindsql/cmd/hindsql/render"
	"hindsql/cmd/hindsql/show"
)

// syncPause is the least time between two looks at the logs.
const syncPause = time.Second

func (p *Prompt) statement(ctx context.Context, sql string) error {
	p.last = sql
	return p.query(ctx, sql)
}

func (p *Prompt) query(ctx context.Context, sql string) error {
	return p.show(ctx, func(ctx context.Context, to *render.Output) error {
		return p.View.Query(ctx, to, show.Statement{SQL: sql})
	})
}

// show syncs, and writes a result where results go. Ctrl-C cancels both.
func (p *Prompt) show(ctx context.Context, write func(context.Context, *render.Output) error) error {
	ctx, stop := p.interruptible(ctx)
	defer stop()
	if err := p.sync(ctx); err != nil {
		return err
	}
	return p.deliver(func(to *render.Output) error { return write(ctx, to) })
}

func (p *Prompt) interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	if p.Interrupts == nil {
		return context.WithCancel(ctx)
	}
	return p.Interrupts.Interruptible(ctx)
}

// sync loads what changed. It then lets go of the store, because the next
// statement may be a long time away.
func (p *Prompt) sync(ctx context.Context) error {
	if !p.Synced || time.Since(p.synced) < syncPause {
		return nil
	}
	_, err := p.View.Sync(ctx, false)
	p.View.Session.Store().Detach(ctx)
	p.synced = time.Now()
	return err
}
