package load

import (
	"context"
	"iter"
	"sync"

	"hindsql/engine/duck"
	"hindsql/engine/forget"
	"hindsql/tables"
)

// forgottenFilter leaves the forgotten sessions out of a sync's logs.
type forgottenFilter struct {
	*forget.Filter
	mutex     sync.Mutex // guards postponed
	postponed []foundLog
}

// filterForgotten has the logs of a plan pass the list of forgotten sessions.
func (f *File) filterForgotten(ctx context.Context, list *forget.List, p *plan, anew bool) error {
	p.listed = list.Digest()
	if p.listed == "" || len(p.load) == 0 {
		return nil
	}
	g := &forgottenFilter{Filter: forget.NewFilter(f.at, list)}
	for i := range p.load {
		p.load[i].guard = g
	}
	if anew {
		return nil
	}
	if err := f.db.Acquire(ctx, duck.Attached); err != nil {
		return err
	}
	defer f.db.Release(ctx)
	query := "SELECT coalesce(agent, ''), session_id, coalesce(parent_session_id, '') FROM " + duck.StoreSchema + ".sessions WHERE session_id IS NOT NULL"
	return f.db.Each(ctx, query, func(scan func(...any) error) error {
		var name forget.Name
		var parent string
		err := scan(&name.Agent, &name.SessionID, &parent)
		g.AddStored(name, parent)
		return err
	})
}

// apply is [forget.Filter.Apply] for a log that was read.
func (g *forgottenFilter) apply(f *foundLog, rows *tables.File, err error) (*tables.File, error) {
	if g == nil {
		return rows, err
	}
	of := f.forgetLog()
	if rows == nil && !g.IsSuspect(of) {
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

func (f *foundLog) forgetLog() forget.Log {
	return forget.Log{Agent: f.source.Agent, Path: f.source.Path, Part: f.source.Part, SourceID: f.id}
}

// rounds gives the logs in the order of reading. All logs of a round are read before the
// next round begins.
func rounds(logs []foundLog) iter.Seq[[]foundLog] {
	return func(yield func([]foundLog) bool) {
		if len(logs) == 0 || logs[0].guard == nil {
			yield(logs)
			return
		}
		g := logs[0].guard
		g.BeginRound(false)
		g.postponed = nil
		var first, rest []foundLog
		for _, f := range logs {
			if g.IsSuspect(f.forgetLog()) {
				first = append(first, f)
			} else {
				rest = append(rest, f)
			}
		}
		if yield(first) && yield(rest) {
			g.BeginRound(true)
			yield(g.postponed)
		}
	}
}
