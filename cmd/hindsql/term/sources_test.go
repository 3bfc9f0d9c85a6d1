package term

import (
	"os"
	"path/filepath"
	"testing"

	"hindsql/cmd/hindsql/ask"
	"hindsql/engine"
	"hindsql/readers"
	"hindsql/readers/all"
	"hindsql/readers/sample"
)

// TestOlderReaders: olderReaders counts logs that this build's reader would read
// differently, and that a sync can't load again.
func TestOlderReaders(t *testing.T) {
	home, err := sample.Write(filepath.Join(t.TempDir(), "sample"))
	if err != nil {
		t.Fatal(err)
	}
	st, err := ask.Open(t.Context(), engine.Config{
		Store: filepath.Join(t.TempDir(), "x.duckdb"), Readers: all.Readers(), Host: readers.Host{Home: home, Getenv: func(string) string { return "" }},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	s, err := st.Session(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Sync(t.Context(), engine.SyncOptions{}); err != nil {
		t.Fatal(err)
	}
	v := &View{Session: s, Err: os.Stderr}
	set, err := v.Collect(t.Context(), "SELECT count(*), max(reader_version) FROM sources WHERE agent = 'claude'", nil)
	if err != nil {
		t.Fatal(err)
	}
	logs, version := set.Rows[0][0].(int64), set.Rows[0][1].(int64)
	for newest, want := range map[int64]int64{version: 0, version + 1: logs} {
		if older, err := olderReaders(t.Context(), v.Session, map[string]int64{"claude": newest}); older != want || err != nil || logs == 0 {
			t.Errorf("%d of %d logs by a reader older than %d, %v", older, logs, newest, err)
		}
	}
}
