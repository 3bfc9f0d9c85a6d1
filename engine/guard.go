package engine

import (
	"context"
	"iter"
	"sync"

	"hindsql/engine/forget"
	"hindsql/engine/store"
	"hindsql/tables"
)

// guard leaves the forgotten sessions out of a sync's logs.
type guard struct {
	*forget.Guard
	mutex     sync.Mutex // guards postponed
	postponed []found
}

// protect has the logs of a plan pass the list of forgotten sessions.
func (f *file) protect(ctx context.Context, list *forget.List, p *plan, anew bool) error {
	p.listed = list.Digest()
	if p.listed == "" || len(p.load) == 0 {
		return nil
	}
	g := &guard{Guard: forget.NewGuard(f.in.at, list)}
	for i := range p.load {
		p.load[i].guard = g
	}
	if anew {
		return nil
	}
	if err := f.in.acquireAny(ctx); err != nil {
		return err
	}
	defer f.in.release(ctx)
	query := "SELECT coalesce(agent, ''), session_id, coalesce(parent_session_id, '') FROM " + StoreSchema + ".sessions WHERE session_id IS NOT NULL"
	return f.in.each(ctx, query, func(scan func(...any) error) error {
		var name forget.Name
		var parent string
		err := scan(&name.Agent, &name.SessionID, &parent)
		g.Met(name, parent)
		return err
	})
}

// apply is [forget.Guard.Apply] for a log that was read.
func (g *guard) apply(f *found, rows *tables.File, err error) (*tables.File, error) {
	if g == nil {
		return rows, err
	}
	of := f.guarded()
	if rows == nil && !g.IsLikely(of) {
		return nil, err
	}
	left, isPostponed := g.Apply(of, rows, err != nil)
	if isPostponed {
		g.mutex.Lock()
		g.postponed = append(g.postponed, *f)
		g.mutex.Unlock()
	}
	if left == nil {
		return nil, nil
	}
	return left, err
}

func (f *found) guarded() forget.Log {
	return forget.Log{Agent: f.source.Agent, Path: f.source.Path, Part: f.source.Part, SourceID: f.id}
}

// rounds gives the logs in the order of reading. All logs of a round are read before the
// next round begins.
func rounds(logs []found) iter.Seq[[]found] {
	return func(yield func([]found) bool) {
		if len(logs) == 0 || logs[0].guard == nil {
			yield(logs)
			return
		}
		g := logs[0].guard
		g.Begin()
		g.postponed = nil
		var first, rest []found
		for _, f := range logs {
			if g.IsLikely(f.guarded()) {
				first = append(first, f)
			} else {
				rest = append(rest, f)
			}
		}
		if yield(first) && yield(rest) {
			g.Last()
			yield(g.postponed)
		}
	}
}

// at is the place of the store, beside which the list lies.
func (l *loader) at() store.File { return store.File{Path: l.config.Store} }
