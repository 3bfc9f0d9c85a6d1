package landing

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// api is an S3 API with the bucket "lake". answer may handle a request first.
func api(t *testing.T, answer func(http.ResponseWriter, *http.Request) bool) Options {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket("lake"); err != nil {
		t.Fatal(err)
	}
	s3 := gofakes3.New(backend).Server()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if answer == nil || !answer(w, r) {
			s3.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	env := map[string]string{"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "eu-central-1"}
	return Options{Endpoint: server.URL, Getenv: func(name string) string { return env[name] }}
}

func TestBucket(t *testing.T) {
	ctx := context.Background()
	o := api(t, nil)
	for _, url := range []string{"s3://lake", "s3://lake/a/b"} {
		target, err := Open(url, o)
		if err != nil {
			t.Fatal(err)
		}
		names := []string{Root + "/m1/" + ManifestName, Root + "/m2/messages/x.parquet"}
		for _, name := range append(names, names[0]) {
			if err := target.Put(ctx, name, strings.NewReader("text"), 4); err != nil {
				t.Fatal(err)
			}
		}
		var found []string
		if err := target.List(ctx, Root, func(e Entry) error { found = append(found, e.Name); return nil }); err != nil || !slices.Equal(found, names) {
			t.Errorf("%s: lists %v, %v", url, found, err)
		}
		if folders, err := target.Folders(ctx, Root); err != nil || !slices.Equal(folders, []string{"m1", "m2"}) {
			t.Errorf("%s: folders %v, %v", url, folders, err)
		}
		r, err := target.Get(ctx, names[0])
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(r); string(text) != "text" || err != nil {
			t.Errorf("%s: %q %v", url, text, err)
		}
		for range 2 {
			if err := target.Remove(ctx, names[1]); err != nil {
				t.Error(err)
			}
		}
		if _, err := target.Get(ctx, names[1]); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", url, err)
		}
		for _, name := range []string{"", "../x", "/x", "a//b", "a/../b"} {
			if target.Put(ctx, name, strings.NewReader("x"), 1) == nil {
				t.Errorf("%q is written", name)
			}
		}
	}
}

// TestBucketForbidden: a file forbidden by a policy gives another error than a missing
// file.
func TestBucketForbidden(t *testing.T) {
	o := api(t, func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodGet {
			return false
		}
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, `<?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>no</Message></Error>`)
		return true
	})
	target, err := Open("s3://lake/p", o)
	if err != nil {
		t.Fatal(err)
	}
	if err := target.Put(context.Background(), "x", strings.NewReader("text"), 4); err != nil {
		t.Error(err)
	}
	if _, err := target.Get(context.Background(), "x"); !errors.Is(err, fs.ErrPermission) || !strings.HasPrefix(err.Error(), "s3://lake/p/x: ") {
		t.Errorf("%v", err)
	}
}

func TestTargetsThatAreNone(t *testing.T) {
	o := api(t, nil)
	none := func(string) string { return "" }
	home := t.TempDir()
	for _, test := range []struct {
		url  string
		o    Options
		want string
	}{
		{"", o, "no target"},
		{"ftp://x/y", o, "no target"},
		{"s3://", o, "no target"},
		{"s3://lake/../x", o, "no prefix"},
		{"s3://lake", Options{Endpoint: "lake.example.org", Getenv: o.Getenv}, "no URL of an S3 API"},
		{"s3://lake", Options{Getenv: none}, "no region; name the bucket's with --region"},
		{"s3://lake", Options{Getenv: none, Region: "eu-central-1", Home: home}, "no keys; set AWS_ACCESS_KEY_ID"},
	} {
		if _, err := Open(test.url, test.o); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want one with %q", test.url, err, test.want)
		}
	}
	if err := os.MkdirAll(filepath.Join(home, ".aws"), 0o700); err != nil {
		t.Fatal(err)
	}
	text := "[default]\naws_access_key_id = key\naws_secret_access_key = secret\n"
	if err := os.WriteFile(filepath.Join(home, ".aws", "credentials"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if target, err := Open("gs://lake", Options{Getenv: none, Home: home}); err != nil || target.URL != "gs://lake" {
		t.Errorf("%v", err)
	}
}
