package export

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hindsql/tables"
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

// exportFolder is a folder with some of an export's files, a link out of it, and a
// file beside it.
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
	if err := os.Symlink(filepath.Join(above, "outside.parquet"), filepath.Join(dir, "sessions", "link.parquet")); err != nil {
		f.Skip(err)
	}
	return dir
}

// fuzzManifests calls check with an export's folder whose manifest is taken.
func fuzzManifests(f *testing.F, check func(t *testing.T, dir string, root *os.Root, m manifest)) {
	f.Helper()
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
		check(t, dir, root, m)
	})
}

// FuzzManifest: what a manifest that is taken names lies in the folder, under the
// name of its table, and none that isn't breaks an export.
func FuzzManifest(f *testing.F) {
	fuzzManifests(f, func(t *testing.T, _ string, _ *os.Root, m manifest) {
		for file := range m.files() {
			if !filepath.IsLocal(file) || filepath.Clean(file) != file {
				t.Errorf("%q is taken for a file of the export", file)
			}
		}
		for name, had := range m.Tables {
			now := uncertain(had, exportedTable{Partitions: map[string]*exportedPartition{"": {1, "h", []string{name + "." + Parquet}}}})
			if now.Partitions[""] == nil || len(now.Partitions) < len(had.Partitions) {
				t.Errorf("%s: %v came of %v", name, now, had)
			}
		}
	})
}

// FuzzImport: whatever the manifest says, what is read is a file of the folder.
func FuzzImport(f *testing.F) {
	fuzzManifests(f, func(t *testing.T, dir string, root *os.Root, m manifest) {
		e := &exported{dir: dir, root: root}
		for _, table := range tables.Loaded() {
			for _, name := range []string{itemName(table), copiesName(table)} {
				files, err := e.find(name, m)
				if (err == nil) != (len(files) > 0) {
					t.Errorf("%s: files %q, error %v", name, files, err)
				}
				for _, file := range files {
					inside, err := filepath.EvalSymlinks(e.place(file))
					if err != nil || !strings.HasPrefix(inside, resolved(t, dir)+string(filepath.Separator)) {
						t.Errorf("%s: %q is read, which is %q, %v", name, file, inside, err)
					}
				}
			}
		}
	})
}

func resolved(t *testing.T, dir string) string {
	t.Helper()
	path, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	return path
}
