package engine_test

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"hindsql/engine/push"
	"hindsql/landing"
)

// writeOnly is a machine that may write to its bucket, and read nothing there, while
// forbid is set.
func writeOnly(t *testing.T) (p *pusher, forbid *bool) {
	forbid = new(bool)
	f := newBucket(t, func(w http.ResponseWriter, r *http.Request) bool {
		if *forbid && r.Method == http.MethodGet {
			w.WriteHeader(http.StatusForbidden)
			_, _ = w.Write([]byte("<Error><Code>AccessDenied</Code></Error>"))
		}
		return *forbid && r.Method == http.MethodGet
	})
	p = f.machine("m1")
	p.write("a.jsonl", talk("a", "/work/a", 1, 4)...)
	*forbid = true
	p.push()
	return p, forbid
}

func (p *pusher) consent() {
	p.t.Helper()
	_, err := p.tryPush(func(o *push.Options) { o.Consent = true })
	must(p.t, err)
}

func (p *pusher) loseState() {
	p.t.Helper()
	must(p.t, os.RemoveAll(p.state))
	must(p.t, os.MkdirAll(p.state, 0o700))
}

// TestForgetWhereNothingMayBeRead: after its state is lost, too, a machine is
// forgotten, and gets in again by a consent.
func TestForgetWhereNothingMayBeRead(t *testing.T) {
	t.Parallel()
	p, forbid := writeOnly(t)
	want := func(when string, refused bool) {
		t.Helper()
		*forbid = false
		found := landing.Find(t.Context(), p.options().Target, "m1")
		if *forbid = true; found.Refused() != refused {
			t.Errorf("%s: refused %v, %+v, tombstone %+v", when, found.Refused(), found.Manifest, found.Tombstone)
		}
	}
	want("pushed", false)
	must(t, p.forget())
	want("forgotten", true)
	p.consent()
	want("consented", false)
	p.loseState()
	must(t, p.forget())
	want("forgotten with the state lost", true)
	p.loseState()
	_, _ = p.tryPush(nil) // it may not know
	p.consent()
	want("consented with the state lost", false)
}

// TestTidyUnchanged: what was superseded a day ago goes, though nothing is new.
func TestTidyUnchanged(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	p := f.machine("m1")
	secret := filepath.Join(p.dir, "secret")
	must(t, os.MkdirAll(secret, 0o700))
	p.write("a.jsonl", talk("a", "/work/a", 1, 4)...)
	p.write("s.jsonl", talk("s-secret", secret, 1, 4)...)
	p.push()
	must(t, os.WriteFile(filepath.Join(secret, push.Marker), nil, 0o600))
	p.push()
	live, left := map[string]bool{}, 0
	for _, file := range f.wantWhole("m1").Files {
		live[file.Path] = true
	}
	old := time.Now().Add(-48 * time.Hour)
	for name := range f.files("m1") {
		if filepath.Ext(name) == ".parquet" && !live[name] {
			left++
			must(t, os.Chtimes(filepath.Join(f.dir, "landing", "v1", "m1", filepath.FromSlash(name)), old, old))
		}
	}
	for _, at := range []struct {
		later   time.Duration
		removed int
	}{{time.Hour, 0}, {25 * time.Hour, left}, {26 * time.Hour, 0}} {
		report, err := p.tryPush(func(o *push.Options) { o.Now = func() time.Time { return time.Now().Add(at.later) } })
		must(t, err)
		if !report.Unchanged || report.Removed != at.removed || left == 0 {
			t.Errorf("%v later: %+v; want %d removed", at.later, report, at.removed)
		}
	}
}
