package export

import (
	"os"
	"path/filepath"
	"testing"

	"hindsql/internal/posix"
)

var manifests = []string{
	`{"tables":{"sessions":{"schema":"x","partitions":{"":{"rows":1,"hash":"h","files":["sessions.parquet"]}}}}}`,
	`{"tables":{"sessions":{"partitions":{"agent=a/":{"files":["sessions/agent=a/data_0.parquet"]}}}}}`,
	`{"tables":{"sessions":{"partitions":{"":{"files":["../outside.parquet"]}}}}}`,
	`{"tables":{"sessions":{"partitions":{"":{"files":["sessions/../../outside.parquet","/etc/passwd"]}}}}}`,
	`{"tables":{"sessions":{"partitions":{"":{"files":["sessions/link.parquet"]}}}}}`,
	`{"tables":{"sessions":{"partitions":{"":null}}}}`,
	`{"tables":{"..":{"partitions":{"":{"files":["../outside.parquet"]}}}}}`,
	`{"tables":{"":{"partitions":{"":{"files":["x.parquet"]}}}}}`,
	`{"tables":{"sessions":{"partitions":{"":{"files":["sessions.*"]}}}}}`,
	`{"tables":null}`, `{"tables":[]}`, "", "{", "\x00",
}

// exportFolder makes a folder with some files of an export, a link that leads out, and
// a file beside the folder.
func exportFolder(f *testing.F) string {
	f.Helper()
	above := f.TempDir()
	dir := filepath.Join(above, "export")
	for _, name := range []string{"outside.parquet", "export/sessions.parquet", "export/sessions/agent=a/data_0.parquet"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(above, name)), 0o700); err != nil {
			f.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(above, name), nil, 0o600); err != nil {
			f.Fatal(err)
		}
	}
	posix.Links(f)
	if err := os.Symlink(filepath.Join(above, "outside.parquet"), filepath.Join(dir, "sessions", "link.parquet")); err != nil {
		f.Fatal(err)
	}
	return dir
}

// FuzzManifest: every file of an accepted manifest lies in the folder, under the name
// of its table. An invalid manifest doesn't break an export.
func FuzzManifest(f *testing.F) {
	dir := exportFolder(f)
	for _, text := range manifests {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.WriteFile(filepath.Join(dir, manifestName), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		var m manifest
		if readManifest(root, manifestName, &m) != nil {
			return
		}
		for file := range m.files() {
			if !filepath.IsLocal(file) || filepath.Clean(file) != file {
				t.Errorf("%q is taken for a file of the export", file)
			}
		}
		for name, had := range m.Tables {
			now := entryWhileMoving(had, exportedTable{Partitions: map[string]*exportedPartition{"": {1, "h", []string{name + "." + Parquet}}}})
			if now.Partitions[""] == nil || len(now.Partitions) < len(had.Partitions) {
				t.Errorf("%s: %v came of %v", name, now, had)
			}
		}
	})
}
