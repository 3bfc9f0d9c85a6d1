package engine_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"hindsql/landing"
)

// newBucket are machines that push to a bucket, whose API may answer a request by
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

// TestBucketOfATeam: two machines push to a bucket and a third pulls, while the API
// is unavailable now and then; a push that it refuses half-way leaves what was there.
func TestBucketOfATeam(t *testing.T) {
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
	one.write("a.jsonl", talk("a", "/work/a", 1, 4)...)
	two.write("b.jsonl", talk("b", "/work/b", 2, 4)...)
	one.push()
	two.push()
	three.pull()
	texts := "SELECT string_agg(text, ',' ORDER BY text) FROM messages"
	whole := "said a 0,said a 1,said a 2,said a 3,said b 0,said b 1,said b 2,said b 3"
	if got := three.rows(texts); !slices.Equal(got, []string{whole}) {
		t.Errorf("%v", got)
	}
	one.append("a.jsonl", talk("a", "/work/a", 3, 6)[5:]...)
	refuse.Store(true)
	if _, err := one.tryPush(nil); err == nil || !strings.Contains(err.Error(), "what was pushed there before counts still") {
		t.Errorf("%v", err)
	}
	three.pull()
	if got := three.rows(texts); !slices.Equal(got, []string{whole}) {
		t.Errorf("after half a push %v", got)
	}
	refuse.Store(false)
	one.push()
	three.pull()
	if got := three.rows(texts); !slices.Equal(got, []string{strings.Replace(whole, "said b 0", "said a 4,said a 5,said b 0", 1)}) {
		t.Errorf("%v", got)
	}
}
