package engine_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"hindsql/engine"
	"hindsql/internal/whole"
	"hindsql/readers"
)

// TestTheFirstLoadIsWaitedFor: a sync beside the first sync of a store doesn't leave
// its caller with empty tables.
func TestTheFirstLoadIsWaitedFor(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", line(1, ""))
	started, release := make(chan bool), make(chan bool)
	c := h.Config()
	reader := *h.Reader
	reader.Read = func(in *readers.Input) error { close(started); <-release; return h.Reader.Read(in) }
	c.Readers = []*readers.Reader{&reader}
	s := open(t, c)
	first := make(chan error)
	go func() { _, err := s.Sync(context.Background(), engine.SyncOptions{}); first <- err }()
	<-started
	waited := 0
	report, err := s.Sync(t.Context(), engine.SyncOptions{Waits: func() { waited++; close(release) }})
	must(t, errors.Join(err, <-first))
	if waited != 1 || !report.IsComplete() {
		t.Errorf("waited %d times, %+v", waited, report)
	}
	wantRows(t, s, "SELECT count(*) FROM messages", "1")
}

// toBeLoaded returns a home without a store, and the lock that a process takes to make
// the store.
func toBeLoaded(t *testing.T) (*home, *flock.Flock) {
	h := newHome(t)
	h.Write("a.jsonl", line(1, ""))
	must(t, os.MkdirAll(filepath.Dir(h.Store), 0o700))
	return h, flock.New(h.Store + ".lock")
}

// TestAnotherProcessMakesTheStore: a sync waits while another process makes a missing
// store, or replaces a store of another build.
func TestAnotherProcessMakesTheStore(t *testing.T) {
	whole.Test(t, "loads stores again and again, 0.7 s of processor time")
	t.Parallel()
	h, lock := toBeLoaded(t)
	for _, was := range []string{"missing", "of another build"} {
		locked, err := lock.TryLock()
		if must(t, err); !locked {
			t.Fatal("somebody syncs")
		}
		s, waited := h.Open(), 0
		report, err := s.Sync(t.Context(), engine.SyncOptions{Waits: func() { waited++; must(t, lock.Unlock()) }})
		must(t, err)
		if waited != 1 || report.Loaded != 1 || !report.IsComplete() {
			t.Errorf("%s: waited %d times, %+v", was, waited, report)
		}
		wantRows(t, s, "SELECT count(*) FROM messages", "1")
		must(t, s.Close())
		h.Tamper("UPDATE store_info SET schema_hash = 'older'")
	}
}

// TestAWaitEnds: a wait ends if the caller cancels it, or after the caller's Patience.
func TestAWaitEnds(t *testing.T) {
	t.Parallel()
	h, lock := toBeLoaded(t)
	must(t, lock.Lock())
	defer lock.Unlock()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if _, err := h.Open().Sync(ctx, engine.SyncOptions{Waits: cancel}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled while it waits: %v", err)
	}
	c := h.Config()
	c.Patience = time.Millisecond
	report, err := open(t, c).Sync(t.Context(), engine.SyncOptions{})
	if err != nil || !report.Busy {
		t.Errorf("of who named his patience: %+v, %v", report, err)
	}
}
