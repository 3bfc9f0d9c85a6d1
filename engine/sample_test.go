package engine_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"hindsql/engine"
	"hindsql/readers/sample"
)

// shared is a temporary folder for what several tests use. TestMain removes it.
var shared = sync.OnceValue(func() string {
	folder, err := os.MkdirTemp("", "hindsql-test-")
	if err != nil {
		panic(err)
	}
	return folder
})

// loadedSample is the sample, with a store of it beside it: both are made once,
// for all tests.
var loadedSample = sync.OnceValues(func() (folder string, err error) {
	folder = filepath.Join(shared(), "sample")
	home, err := sample.Write(filepath.Join(folder, "home"))
	if err != nil {
		return "", err
	}
	return folder, syncTree(home, filepath.Join(folder, "h.duckdb"))
})

// sampleHome is the sample's home with a loaded store that is the test's own.
// The home is shared: no test writes to it.
func sampleHome(t testing.TB) engine.Config {
	t.Helper()
	folder, err := loadedSample()
	must(t, err)
	store := filepath.Join(t.TempDir(), "h.duckdb")
	data, err := os.ReadFile(filepath.Join(folder, "h.duckdb"))
	must(t, err)
	must(t, os.WriteFile(store, data, 0o600))
	return realConfig(filepath.Join(folder, "home"), store)
}
