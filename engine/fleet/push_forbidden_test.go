package fleet_test

import (
	"net/http"
	"os"
	"testing"

	"hindsql/engine/fleet/landing"
	"hindsql/engine/fleet/push"
	"hindsql/internal/whole"
)

// writeOnly returns a machine with write access to its bucket, but without read access
// while forbid is set.
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
	p.Write("a.jsonl", talk("a", "/work/a", 1, 4)...)
	*forbid = true
	p.push()
	return p, forbid
}

func (p *pusher) consent() {
	p.T.Helper()
	_, err := p.tryPush(func(o *push.Options) { o.Consent = true })
	must(p.T, err)
}

func (p *pusher) loseState() {
	p.T.Helper()
	must(p.T, os.RemoveAll(p.state))
	must(p.T, os.MkdirAll(p.state, 0o700))
}

// TestForgetWhereNothingMayBeRead: a machine with a lost state can be forgotten, and
// pushes again after a consent.
func TestForgetWhereNothingMayBeRead(t *testing.T) {
	whole.Test(t, "pushes and forgets in many folders, 1.4 s of processor time")
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
	_, _ = p.tryPush(nil) // without its state, the machine may not know of the tombstone
	p.consent()
	want("consented with the state lost", false)
}
