package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"hindsql/engine"
	"hindsql/readers/all"
)

// testFolder holds files shared by many tests. It is deleted after the tests.
var testFolder string

// within runs the tests, and deletes testFolder afterwards.
type within struct{ *testing.M }

func (w within) Run() int {
	var err error
	if testFolder, err = os.MkdirTemp("", "hindsql-tests"); err != nil {
		panic(err)
	}
	defer os.RemoveAll(testFolder)
	return w.M.Run()
}

// sampleCache is a cache folder with the sample's store, loaded once and open until the
// tests end. Commands with this cache load no logs, and start no DuckDB.
var sampleCache = sync.OnceValue(func() string {
	cache := filepath.Join(testFolder, "sample")
	var said strings.Builder
	env := environment{
		args:      []string{"--sample", "--timezone", "UTC", "sync"},
		streams:   streams{stdin: strings.NewReader(""), stdout: &said, stderr: &said},
		variables: variables{getenv: cachedIn(cache)},
		identity:  identity{os: "linux", home: testFolder, hostname: "test"},
		readers:   all.Readers(),
	}
	if code := execute(context.Background(), env); code != exitOK {
		panic(said.String())
	}
	stores, err := filepath.Glob(filepath.Join(cache, "hindsql", "*", "hindsql.duckdb"))
	if err != nil || len(stores) != 1 {
		panic("one store of the sample expected in " + cache)
	}
	if _, err := engine.Open(context.Background(), engine.Config{Store: stores[0]}); err != nil {
		panic(err)
	}
	return cache
})

// keepOpen holds a home's store open until the test ends. Commands in the home then
// share one DuckDB.
func keepOpen(t *testing.T, home string) {
	t.Helper()
	st, err := engine.Open(context.Background(), engine.Config{Store: filepath.Join(home, ".local", "share", "hindsql", "hindsql.duckdb")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
}
