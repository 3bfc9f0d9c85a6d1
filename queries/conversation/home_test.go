package conversation_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"hindsql/engine"
	"hindsql/internal/corpus"
	"hindsql/internal/result"
	"hindsql/internal/whole"
	"hindsql/queries/conversation"
	"hindsql/readers"
	"hindsql/readers/all"
	"hindsql/readers/sample"
)

// folder returns a temporary folder shared by several tests. TestMain removes the
// folder.
var folder = sync.OnceValue(func() string {
	folder, err := os.MkdirTemp("", "hindsql-test-")
	if err != nil {
		panic(err)
	}
	return folder
})

var sampleHome = sync.OnceValues(func() (string, error) { return sample.Write(filepath.Join(folder(), "sample")) })

func TestMain(m *testing.M) {
	code := m.Run()
	os.RemoveAll(folder())
	os.Exit(code)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// opened syncs a home folder's logs and returns a session's Run.
func opened(t testing.TB, home string) conversation.Run {
	t.Helper()
	store, err := engine.Open(t.Context(), engine.Config{
		Store: filepath.Join(t.TempDir(), "h.duckdb"), Readers: all.Readers(), Hostname: "here", Timezone: "UTC",
		Host: readers.Host{OS: "linux", Home: home, Getenv: func(string) string { return "" }},
	})
	must(t, err)
	t.Cleanup(func() { store.Close() })
	session, err := store.Session(t.Context())
	must(t, err)
	t.Cleanup(func() { session.Close() })
	_, err = session.Sync(t.Context(), engine.SyncOptions{})
	must(t, err)
	return func(ctx context.Context, sql string, args map[string]any) (set result.Set, err error) {
		err = session.Query(ctx, sql, args, func(rows *result.Rows) (err error) {
			set, err = result.Collect(rows)
			return err
		})
		return set, err
	}
}

func ofSample(t testing.TB) conversation.Run {
	t.Helper()
	home, err := sampleHome()
	must(t, err)
	return opened(t, home)
}

// onBoth runs a test on the sample, and on real logs if the machine has any.
func onBoth(t *testing.T, test func(t *testing.T, run conversation.Run)) {
	t.Run("sample", func(t *testing.T) { test(t, ofSample(t)) })
	t.Run("corpus", func(t *testing.T) {
		whole.Test(t, "loads real logs")
		home := filepath.Join(t.TempDir(), "home")
		must(t, os.CopyFS(home, os.DirFS(corpus.Home(t, "home"))))
		test(t, opened(t, home))
	})
}

// rows returns the rows of a statement.
func rows(t testing.TB, run conversation.Run, sql string, args map[string]any) [][]any {
	t.Helper()
	set, err := run(t.Context(), sql, args)
	must(t, err)
	return set.Rows
}
