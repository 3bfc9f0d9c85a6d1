package engine_test

import (
	"testing"
	"time"

	"hindsql/engine"
	"hindsql/engine/store"
)

// TestStay: the file stays attached between statements until leave. A writer gets the
// file meanwhile: a sync of this process at once, another process when a statement ends
// or another wants to begin.
func TestStay(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", line(1, ""))
	h.Sync()
	s, other := h.Open(), h.Open()
	attached := func(when string, want bool) {
		t.Helper()
		if got := isAttached(t, s); got != want {
			t.Errorf("%s: attached %t", when, got)
		}
	}
	ask := func(want string) {
		t.Helper()
		wantRows(t, s, "SELECT count(*) FROM messages", want)
	}
	first, second := s.Store.Stay(t.Context()), other.Store.Stay(t.Context())
	ask("1")
	attached("after a statement", true)
	h.Append("a.jsonl", line(2, ""))
	h.Sync()
	ask("2")
	first()
	first()
	attached("after one of two leaves", true)
	turn, err := store.File{Path: h.Store}.LockTurn(t.Context(), time.Now().Add(time.Minute))
	must(t, err)
	time.AfterFunc(20*time.Millisecond, func() {
		if isAttached(t, s) {
			t.Error("a statement that waits for a writer keeps the file")
		}
		_ = turn.Unlock()
	})
	ask("2")
	attached("after the writer", true)
	second()
	attached("after both leaves", false)
	ask("2")
	attached("after a statement alone", false)
}

// TestASafeSyncLetsGo: no statement in this process follows a safe store's sync, so the
// file isn't left attached.
func TestASafeSyncLetsGo(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", line(1, ""))
	plain := h.Open()
	c := h.Config()
	c.Safe = &engine.Safe{}
	s := open(t, c)
	for range 2 {
		_, err := s.Sync(t.Context(), engine.SyncOptions{})
		must(t, err)
		if isAttached(t, plain) {
			t.Error("the file is attached after a sync")
		}
	}
	wantRows(t, s, "SELECT count(*) FROM messages", "1")
}

// isAttached reports whether the store's file is attached in this process.
func isAttached(t *testing.T, s face) (is bool) {
	t.Helper()
	must(t, s.Store.Each(t.Context(), "SELECT count(*) > 0 FROM duckdb_databases() WHERE database_name = 'store'", func(scan func(...any) error) error { return scan(&is) }))
	return is
}
