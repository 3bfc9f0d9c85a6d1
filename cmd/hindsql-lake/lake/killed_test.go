package lake

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"testing"

	"hindsql/engine/fleet/landing"
)

// dying returns a lake whose committer dies at step n. A step is a request to the
// catalog or a change in the landing. The last request is carried out if done is set; a
// change in the landing never is.
func (w *world) dying(n int, done bool) (l *Lake, died func() bool) {
	l = w.open()
	var errDead = errors.New("dead")
	step := func() error {
		if n--; n < 0 {
			return errDead
		}
		return nil
	}
	w.rest.Fault = func(*http.Request) (int, bool) {
		if step() != nil {
			return http.StatusInternalServerError, done && n == -1
		}
		return 0, false
	}
	was := *l.target
	l.target.Put = func(ctx context.Context, name string, r io.Reader, size int64) error {
		if err := step(); err != nil {
			return err
		}
		return was.Put(ctx, name, r, size)
	}
	l.target.Remove = func(ctx context.Context, name string) error {
		if err := step(); err != nil {
			return err
		}
		return was.Remove(ctx, name)
	}
	return l, func() bool { w.rest.Fault = nil; return n < 0 }
}

// TestKilledAnywhere kills a committer at any step. Meanwhile one machine is forgotten,
// another grows and a third is new. The next committer must leave each row once, no
// byte of the forgotten machine, and no unused file.
func TestKilledAnywhere(t *testing.T) {
	every := 7 // only some steps; all of them take a minute
	if os.Getenv("HINDSQL_EVERY_STEP") != "" {
		every = 1
	}
	for n, died := 0, true; died; n += every {
		w := newWorld(t)
		w.land("m1", one("2026-11-20", planted, "first"))
		w.land("m2", one("2026-11-20", "before"))
		w.commit()
		w.compact("messages")
		w.tombstone("m1", "")
		w.land("m2", days{"messages": {"2026-11-20": one("2026-11-20", "before", "after")["messages"]["2026-11-20"], "2026-11-21": one("2026-11-21", "next")["messages"]["2026-11-21"]}})
		w.columns["record_kinds"] = append(toy["record_kinds"], landing.Column{Name: "grown", Type: "INTEGER"})
		w.land("m3", days{"record_kinds": {landing.Undated: {{"toy", "line", int64(3), int32(1)}}}})
		l, over := w.dying(n, n%2 == 1)
		_, err := l.Commit(context.Background())
		if died = over(); died == (err == nil) {
			t.Fatalf("step %d: %v", n, err)
		}
		w.commit()
		what := fmt.Sprintf("died at step %d", n)
		if got := fmt.Sprint(w.rows("messages", "text"), w.rows("record_kinds", "kind", "grown")); got != "[after before next] [line 1]" {
			t.Errorf("%s: %s", what, got)
		}
		w.now = w.now.Add(2 * grace)
		l, over = w.dying(n%20, n%2 == 1)
		_, _ = l.Expire(context.Background(), 0)
		over()
		w.now = w.now.Add(leaseTime)
		_, err = w.open().Expire(context.Background(), 0)
		w.must(err)
		if found := w.findText(planted); len(found) != 0 {
			t.Errorf("%s: still in %v", what, found)
		}
		w.noBounds("messages")
		if got := fmt.Sprint(w.rows("messages", "text"), w.rows("record_kinds", "kind", "grown")); got != "[after before next] [line 1]" {
			t.Errorf("%s, and expired: %s", what, got)
		}
		if e, err := w.open().Expire(context.Background(), 0); err != nil || e.Files != 0 {
			t.Errorf("%s: expire leaves %+v %v", what, e, err)
		}
		if r := w.commit(); len(r.Changes) != 0 {
			t.Errorf("%s: nothing changed, and %+v", what, r)
		}
	}
}
