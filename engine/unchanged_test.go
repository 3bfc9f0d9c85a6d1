package engine_test

import (
	"context"
	"errors"
	"testing"

	"hindsql/engine"
	"hindsql/internal/whole"
)

// TestFilesThatNobodyLooksForStayKnown: a sync of other roots finds the same files as
// before, and still notices a file gone elsewhere.
func TestFilesThatNobodyLooksForStayKnown(t *testing.T) {
	whole.Test(t, "loads several stores, 0.6 s of processor time")
	t.Parallel()
	h := newHome(t)
	h.Write("a/a.jsonl", line(1, ""))
	h.Write("b/b.jsonl", line(2, ""))
	h.Sync()
	only := func(folder string) engine.SyncReport {
		c := h.Config()
		c.Roots = map[string][]string{"toy": {h.Path(folder)}}
		s := open(t, c)
		defer s.Close()
		report, err := s.Sync(context.Background(), engine.SyncOptions{})
		must(t, err)
		return report
	}
	h.Reader.Under = append(h.Reader.Under, ".")
	wantReport(t, only("a"), engine.SyncReport{Found: 1, Unchanged: 1})
	h.Remove("b/b.jsonl")
	wantReport(t, only("a"), engine.SyncReport{Found: 1, Unchanged: 1, Gone: 1})
	wantReport(t, only("a"), engine.SyncReport{Found: 1, Unchanged: 1})
	h.Write("b/b.jsonl", line(2, ""))
	wantReport(t, only("a"), engine.SyncReport{Found: 1, Unchanged: 1})
	h.Sync()
	h.Want("SELECT count(*), count(gone_at) FROM sources", "2|0")
}

// TestDroppedRowsAreLoadedAgain: a sync reloads dropped rows even if their files did
// not change.
func TestDroppedRowsAreLoadedAgain(t *testing.T) {
	whole.Test(t, "loads several stores, 0.4 s of processor time")
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", line(1, ""))
	h.Sync()
	must(t, h.Open().Store.Write(context.Background(), func(w *engine.Writer) error {
		ids, err := w.Sources(context.Background(), "true")
		return errors.Join(err, w.Remove(context.Background(), ids))
	}))
	wantReport(t, h.Sync(), engine.SyncReport{Found: 1, Loaded: 1})
}
