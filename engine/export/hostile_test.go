package export_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"hindsql/engine/export"
	"hindsql/internal/posix"
)

const exportManifest = ".hindsql-export.json"

// TestHostileManifest: anyone may write a manifest. An export removes only files of
// exports inside its folder, whatever the manifest names.
func TestHostileManifest(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", line(1, ""))
	h.Sync()
	for name, files := range map[string]string{
		"parent":        `{"": {"files": ["../mine.parquet"]}}`,
		"through":       `{"": {"files": ["messages/../../mine.parquet"]}}`,
		"absolute":      `{"": {"files": ["ABS"]}}`,
		"own file":      `{"": {"files": ["notes.txt"]}}`,
		"pattern":       `{"": {"files": ["messages*.parquet"]}}`,
		"no files":      `{"": null}`,
		"other's table": `{"": {"files": ["tool_calls.parquet"]}}`,
	} {
		out := t.TempDir()
		mine, notes, dir := filepath.Join(out, "mine.parquet"), filepath.Join(out, "ex", "notes.txt"), filepath.Join(out, "ex")
		must(t, os.Mkdir(dir, 0o755))
		for _, f := range []string{mine, notes} {
			must(t, os.WriteFile(f, []byte("mine"), 0o644))
		}
		text := `{"tables": {"messages": {"options": {"format": "csv", "timezone": "UTC"}, "schema": "x", "partitions": ` + strings.ReplaceAll(files, "ABS", mine) + `}}}`
		must(t, os.WriteFile(filepath.Join(dir, exportManifest), []byte(text), 0o600))
		s := h.Open()
		_, err := export.Run(context.Background(), s.Session, export.Options{Dir: dir, Format: export.CSV, Tables: []string{"messages"}})
		if err == nil || !strings.Contains(err.Error(), exportManifest) {
			t.Errorf("%s: error %v", name, err)
		}
		for _, f := range []string{mine, notes} {
			if text, err := os.ReadFile(f); err != nil || string(text) != "mine" {
				t.Errorf("%s: %s: %q, %v", name, f, text, err)
			}
		}
	}
}

// TestLinksOutOfAnExport: an export follows no link out of its folder.
func TestLinksOutOfAnExport(t *testing.T) {
	posix.Links(t)
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", line(1, ""))
	h.Sync()
	s := h.Open()
	o := export.Options{Format: export.Parquet, PartitionBy: byDay}
	for _, name := range []string{"messages", ".hindsql-export.tmp", exportManifest} {
		out, dir := t.TempDir(), t.TempDir()
		target := out
		if name == exportManifest {
			target = filepath.Join(out, "manifest")
			must(t, os.WriteFile(target, []byte("{}"), 0o600))
		}
		must(t, os.Symlink(target, filepath.Join(dir, name)))
		o.Dir = dir
		_, err := export.Run(context.Background(), s.Session, o)
		if (err == nil) != (name == ".hindsql-export.tmp") {
			t.Errorf("%s: error %v", name, err)
		}
		left, err := os.ReadDir(out)
		must(t, err)
		if len(left) > 0 && name != exportManifest || len(left) > 1 {
			t.Errorf("%s: %v came out of the folder", name, left)
		}
	}
}

// TestKilledExportToStdout: an export to standard output removes the temporary folder
// of a killed export, but not of a running export.
func TestKilledExportToStdout(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	h := newHome(t)
	h.Write("a.jsonl", line(1, ""))
	h.Sync()
	killed, living := filepath.Join(os.TempDir(), "hindsql-export-1"), filepath.Join(os.TempDir(), "hindsql-export-2")
	for _, dir := range []string{killed, living} {
		must(t, os.Mkdir(dir, 0o700))
		must(t, os.WriteFile(filepath.Join(dir, "rows"), nil, 0o600))
		must(t, os.WriteFile(filepath.Join(dir, "lock"), nil, 0o600))
		old := time.Now().Add(-time.Hour)
		must(t, os.Chtimes(filepath.Join(dir, "lock"), old, old))
	}
	lock := flock.New(filepath.Join(living, "lock"))
	if ok, err := lock.TryLock(); !ok || err != nil {
		t.Fatal(ok, err)
	}
	defer lock.Unlock()
	var out strings.Builder
	if _, err := export.Run(context.Background(), h.Open().Session, export.Options{Dir: export.Stdout, Out: &out, Format: export.CSV, Tables: []string{"messages"}}); err != nil || out.Len() == 0 {
		t.Error(out.String(), err)
	}
	left, err := filepath.Glob(filepath.Join(os.TempDir(), "hindsql-export-*"))
	must(t, err)
	if len(left) != 1 || left[0] != living {
		t.Errorf("left: %v", left)
	}
}
