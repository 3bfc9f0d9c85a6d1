package confined

import (
	"context"

	"hindsql/engine/duck"
	"hindsql/tables"
)

// Unchecked runs a statement in a Pool's worker without the check by the allow list.
func Unchecked(ctx context.Context, p *Pool, statement string) error {
	w, err := p.upToDate(ctx, nil)
	if err != nil {
		return err
	}
	return w.do(ctx, callExec, statement, nil)
}

// Empty deletes the rows that a Pool's worker holds, as if no statement had asked for
// them.
func Empty(ctx context.Context, p *Pool) error {
	w, err := p.upToDate(ctx, nil)
	if err != nil {
		return err
	}
	p.wanted = nil
	for _, t := range tables.Queried() {
		if err := w.do(ctx, callExec, "DELETE FROM "+duck.StoreSchema+"."+t.Name, nil); err != nil {
			return err
		}
	}
	if err := w.do(ctx, callExec, "CHECKPOINT store", nil); err != nil {
		return err
	}
	w.holds, w.known, w.groups = nil, map[string]map[int64]string{}, map[string]map[int64]groups{}
	if err := w.do(ctx, callFeed, columnSet{}, nil); err != nil {
		return err
	}
	return w.do(ctx, callFed, feedEnd{}, nil)
}

// Fill lets a Pool's worker hold all rows with all columns.
func Fill(ctx context.Context, p *Pool) error {
	_, err := p.upToDate(ctx, everything())
	return err
}

// IsWaitedFor reports whether a caller of a Pool waits for another's long texts.
func IsWaitedFor(p *Pool) bool {
	p.way.mutex.Lock()
	defer p.way.mutex.Unlock()
	return p.way.quick > 0
}

// HeldColumns returns the columns that a Pool's worker holds, by table.
func HeldColumns(p *Pool) map[string][]string { return p.workers.now.holds }

// ChangedLater returns the columns by which a refresh finds changed rows of the large
// tables.
func ChangedLater() map[string][]string { return changedLater }
