package engine_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"hindsql/engine"
	"hindsql/readers/sample"
)

// loadedSample is the sample in a temporary folder, with a store of it beside
// it: both are made once, for all tests. TestMain removes the folder.
var loadedSample = sync.OnceValues(func() (folder string, err error) {
	if folder, err = os.MkdirTemp("", "hindsql-sample-"); err != nil {
		return "", err
	}
	sampleFolder = folder
	home, err := sample.Write(filepath.Join(folder, "home"))
	if err != nil {
		return "", err
	}
	return folder, syncTree(home, filepath.Join(folder, "h.duckdb"))
})

// sampleFolder is empty until a test needs the loaded sample.
var sampleFolder string

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
