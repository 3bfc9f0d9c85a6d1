package readers

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
)

// listed returns a folder's entries sorted by name, and the error.
func listed(folder string, how func(*lane, string, func(string) bool) ([]entry, error)) (lines []string, err error) {
	entries, err := how(nil, folder, func(name string) bool { return strings.HasSuffix(name, ".log") })
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.name, b.name) })
	for _, e := range entries {
		kind := "other"
		switch {
		case e.kind.IsDir():
			kind = "folder"
		case e.kind&fs.ModeSymlink != 0:
			kind = "link"
		case e.kind.IsRegular():
			kind = fmt.Sprintf("file of %d at %v", e.size, e.modifiedAt.UTC())
		}
		lines = append(lines, fmt.Sprintf("%q: %s, error %v", e.name, kind, e.err))
	}
	return lines, err
}

// TestListIsThePortableOne: list, which asks Linux directly, returns the same entries
// as listPortably.
func TestListIsThePortableOne(t *testing.T) {
	folder := t.TempDir()
	in := func(name string) string { return filepath.Join(folder, name) }
	for i := range 3000 { // more than one buffer of names
		name := fmt.Sprintf("%d-%s.log", i, strings.Repeat("x", i%200))
		if err := os.WriteFile(in(name), make([]byte, i%7), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, err := range []error{
		os.WriteFile(in("not wanted.txt"), nil, 0o600),
		os.WriteFile(in("\xff\n ü.log"), []byte("odd"), 0o600),
		os.WriteFile(in("..log"), []byte("hidden"), 0o600),
		os.WriteFile(in("old.log"), nil, 0o600),
		os.Chtimes(in("old.log"), time.Time{}, time.Unix(-5, 7)),
		os.Mkdir(in("folder.log"), 0o700),
		os.Mkdir(in("folder"), 0o700),
		os.Symlink("folder", in("link")),
		os.Symlink("nowhere", in("link.log")),
		syscall.Mkfifo(in("pipe.log"), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{folder, in("folder"), in("nowhere")} {
		got, gotErr := listed(path, list)
		want, wantErr := listed(path, listPortably)
		if diff := gocmp.Diff(want, got); diff != "" || fmt.Sprint(gotErr) != fmt.Sprint(wantErr) {
			t.Errorf("%s: error %v, want %v (-want +got)\n%.3000s", path, gotErr, wantErr, diff)
		}
	}
}

// BenchmarkFind walks 10,000 files in 100 folders.
func BenchmarkFind(b *testing.B) {
	root := b.TempDir()
	for i := range 10000 {
		folder := filepath.Join(root, "logs", fmt.Sprint("project-", i%100))
		if err := os.MkdirAll(folder, 0o700); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%032d.jsonl", i)), nil, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	r := &Reader{Under: []string{"logs"}, IsLog: func(rel string) bool { return strings.HasSuffix(rel, ".jsonl") }}
	for b.Loop() {
		if logs, err := r.Find([]Place{{Path: root}}); len(logs) != 10000 || err != nil {
			b.Fatal(len(logs), err)
		}
	}
}
