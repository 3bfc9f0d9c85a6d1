package lake

import (
	"context"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"hindsql/engine/fleet/landing"
)

// TestBucket checks a landing and tables in a bucket instead of a folder.
func TestBucket(t *testing.T) {
	w := newWorld(t)
	backend := s3mem.New()
	w.must(backend.CreateBucket("lake"))
	api := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(api.Close)
	keys := map[string]string{"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"}
	w.config.Source = "s3://lake/pushed"
	w.config.Landing = landing.Options{Endpoint: api.URL, Region: "us-east-1", Getenv: func(name string) string { return keys[name] }}
	w.rest.Warehouse, w.rest.Files = "s3://lake/warehouse", w.config.properties()
	upload := func(part string) {
		t.Helper()
		target, err := landing.Open(w.config.Source, w.config.Landing)
		w.must(err)
		w.must(filepath.WalkDir(w.dir, func(p string, e os.DirEntry, err error) error {
			if err != nil || e.IsDir() || !strings.Contains(p, part) {
				return err
			}
			f, err := os.Open(p)
			w.must(err)
			defer f.Close()
			info, err := f.Stat()
			w.must(err)
			name, err := filepath.Rel(w.dir, p)
			w.must(err)
			return target.Put(context.Background(), filepath.ToSlash(name), f, info.Size())
		}))
	}
	objects := func() (names []string) {
		list, err := backend.ListBucket("lake", nil, gofakes3.ListBucketPage{})
		w.must(err)
		for _, o := range list.Contents {
			names = append(names, o.Key)
		}
		return names
	}
	w.land("m1", one("2026-11-20", planted))
	w.land("m2", one("2026-11-21", "other"))
	upload("")
	if r := w.commit(); len(r.Changes) != 1 || r.Changes[0].Added != 2 {
		t.Errorf("%+v", r)
	}
	w.want("messages", text, planted, "other")
	w.tombstone("m1", "")
	upload(landing.TombstoneName)
	w.commit()
	w.want("messages", text, "other")
	for _, name := range objects() {
		if strings.Contains(name, "/m1/") && !strings.HasSuffix(name, landing.TombstoneName) {
			t.Errorf("%s is left", name)
		}
	}
	orphan := "warehouse/hindsql_with_copies/messages/data/lost.parquet"
	_, err := backend.PutObject("lake", orphan, nil, strings.NewReader("lost"), 4, nil)
	w.must(err)
	w.now = w.now.Add(2 * grace)
	e, err := w.open().Expire(context.Background(), 0)
	w.must(err)
	if e.Files != 1 || e.Bytes != 4 || slices.Contains(objects(), orphan) {
		t.Errorf("%+v, and of %v", e, objects())
	}
	w.want("messages", text, "other")
}
