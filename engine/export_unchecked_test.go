package engine

import (
	"context"

	"hindsql/tables"
)

// Unchecked runs a statement in a safe Store's worker without the check by the allow
// list.
func Unchecked(s *Session, ctx context.Context, statement string) error {
	w, err := s.in.(*remote).c.ready(ctx, nil)
	if err != nil {
		return err
	}
	return w.do(ctx, callExec, statement, nil)
}

// IsAttached reports whether the store's file is attached in this process.
func IsAttached(s *Session) (is bool) {
	in := s.in.(*connection).in
	_ = in.withAttachment(context.Background(), func() error {
		is = in.attached.is
		return nil
	})
	return is
}

// Empty deletes the rows that a safe Store's worker holds, as if no statement had asked
// for them.
func Empty(ctx context.Context, s *Session) error {
	c := s.in.(*remote).c
	w, err := c.ready(ctx, nil)
	if err != nil {
		return err
	}
	c.wanted = nil
	for _, t := range tables.Queried() {
		if err := w.do(ctx, callExec, "DELETE FROM "+StoreSchema+"."+t.Name, nil); err != nil {
			return err
		}
	}
	if err := w.do(ctx, callExec, "CHECKPOINT store", nil); err != nil {
		return err
	}
	w.holds, w.known, w.groups = nil, map[string]map[int64]string{}, map[string]map[int64]groups{}
	if err := w.do(ctx, callFeed, needs{}, nil); err != nil {
		return err
	}
	return w.do(ctx, callFed, fed{}, nil)
}

// Fill lets a safe Store's worker hold all rows with all columns.
func Fill(ctx context.Context, s *Session) error {
	_, err := s.in.(*remote).c.ready(ctx, everything())
	return err
}

// IsWaitedFor reports whether a caller of a safe Store waits for another's long texts.
func IsWaitedFor(s *Session) bool { return s.in.(*remote).c.way.IsWaitedFor() }

// HeldColumns returns the columns that a safe Store's worker holds, by table.
func HeldColumns(s *Session) map[string][]string { return s.in.(*remote).c.box.now.holds }

// ChangedLater returns the columns by which a refresh finds changed rows of the large
// tables.
func ChangedLater() map[string][]string { return changedLater }

// TransactionBy is transactionBy.
var TransactionBy = transactionBy
