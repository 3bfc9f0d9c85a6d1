package fleet_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"hindsql/engine/fleet/landing"
	"hindsql/engine/fleet/push"
	"hindsql/internal/whole"
)

// newBucket returns machines that push to a bucket. answer may handle an API request
// itself.
func newBucket(t testing.TB, answer func(http.ResponseWriter, *http.Request) bool) *fleet {
	backend := s3mem.New()
	must(t, backend.CreateBucket("lake"))
	api := gofakes3.New(backend).Server()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !answer(w, r) {
			api.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	env := map[string]string{"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"}
	o := landing.Options{Endpoint: server.URL, Region: "eu-central-1", Getenv: func(name string) string { return env[name] }}
	return &fleet{t: t, target: func() (*landing.Target, error) { return landing.Open("s3://lake/team", o) }}
}

// TestBucketOfATeam: two machines push to a bucket and a third machine pulls, while the
// API is unavailable from time to time. If the API refuses a push half-way, the former
// files stay the valid ones.
func TestBucketOfATeam(t *testing.T) {
	whole.Test(t, "has three machines push and pull by a bucket that fails now and then")
	t.Parallel()
	var requests, puts atomic.Int64
	var refuse atomic.Bool
	f := newBucket(t, func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPut && refuse.Load() && puts.Add(1) > 2 {
			w.WriteHeader(http.StatusForbidden)
			_, _ = w.Write([]byte("<Error><Code>AccessDenied</Code></Error>"))
			return true
		}
		if requests.Add(1)%7 == 0 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		}
		return false
	})
	one, two, three := f.machine("m1"), f.machine("m2"), f.machine("m3")
	one.Write("a.jsonl", talk("a", "/work/a", 1, 4)...)
	two.Write("b.jsonl", talk("b", "/work/b", 2, 4)...)
	one.push()
	two.push()
	three.pull()
	texts := "SELECT string_agg(text, ',' ORDER BY text) FROM messages"
	full := "said a 0,said a 1,said a 2,said a 3,said b 0,said b 1,said b 2,said b 3"
	if got := three.rows(texts); !slices.Equal(got, []string{full}) {
		t.Errorf("%v", got)
	}
	one.Append("a.jsonl", talk("a", "/work/a", 3, 6)[5:]...)
	refuse.Store(true)
	if _, err := one.tryPush(nil); err == nil || !strings.Contains(err.Error(), "what was pushed there before counts still") {
		t.Errorf("%v", err)
	}
	three.pull()
	if got := three.rows(texts); !slices.Equal(got, []string{full}) {
		t.Errorf("after half a push %v", got)
	}
	refuse.Store(false)
	one.push()
	three.pull()
	if got := three.rows(texts); !slices.Equal(got, []string{strings.Replace(full, "said b 0", "said a 4,said a 5,said b 0", 1)}) {
		t.Errorf("%v", got)
	}
}

// TestCutOffLongAgo: a push was cut off before its manifest, and the machine then slept
// for days. The next push doesn't continue the old push: a committer has deleted its
// files, because no manifest named them for a day. The new manifest names only existing
// files, whether or not the machine can read manifests.
func TestCutOffLongAgo(t *testing.T) {
	t.Parallel()
	for _, writeOnly := range []bool{false, true}[:whole.Or(2, 1)] {
		var forbid atomic.Bool
		f := newBucket(t, func(w http.ResponseWriter, r *http.Request) bool {
			if forbid.Load() && r.Method == http.MethodGet {
				w.WriteHeader(http.StatusForbidden)
				_, _ = w.Write([]byte("<Error><Code>AccessDenied</Code></Error>"))
				return true
			}
			return false
		})
		p := f.machine("m1")
		p.Write("a.jsonl", talk("a", "/work/a", 1, 4)...)
		p.push()
		p.Write("b.jsonl", talk("b", "/work/b", 2, 4)...)
		forbid.Store(writeOnly)
		_, err := p.tryPush(func(o *push.Options) {
			put := o.Target.Put
			target := *o.Target
			target.Put = func(ctx context.Context, name string, r io.Reader, size int64) error {
				if strings.HasSuffix(name, landing.ManifestName) {
					return errors.New("the lid was shut")
				}
				return put(ctx, name, r, size)
			}
			o.Target = &target
		})
		if err == nil {
			t.Fatal("no error")
		}
		forbid.Store(false)
		target := p.options().Target
		named := func() map[string]bool {
			found := landing.Find(t.Context(), target, "m1")
			must(t, found.Err)
			list := map[string]bool{landing.Root + "/m1/" + landing.ManifestName: true}
			for _, file := range found.Manifest.Files {
				list[landing.Root+"/m1/"+file.Path] = true
			}
			return list
		}
		there := func() map[string]bool {
			list := map[string]bool{}
			must(t, target.List(t.Context(), landing.Root+"/m1", func(e landing.Entry) error { list[e.Name] = true; return nil }))
			return list
		}
		live := named()
		for name := range there() {
			if !live[name] {
				must(t, target.Remove(t.Context(), name)) // as hindsql-lake expire does
			}
		}
		forbid.Store(writeOnly)
		_, err = p.tryPush(func(o *push.Options) { o.Now = func() time.Time { return time.Now().Add(48 * time.Hour) } })
		must(t, err)
		forbid.Store(false)
		has := there()
		for name := range named() {
			if !has[name] {
				t.Errorf("write only %t: %s is named, and isn't there", writeOnly, name)
			}
		}
		q := f.machine("m2")
		q.pull()
		if got := q.rows("SELECT count(*) FROM messages"); !slices.Equal(got, []string{"8"}) {
			t.Errorf("write only %t: %v", writeOnly, got)
		}
	}
}
