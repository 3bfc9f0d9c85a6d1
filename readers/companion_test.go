package readers_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hindsql/readers"
	"hindsql/tables"
)

// TestCompanionAndUnwatched: files opened by OpenCompanion, and files passed to Watch,
// are recorded with the log: their changes count as changes of the log. Files opened by
// OpenUnwatched aren't recorded. All opened files are files on the disk.
func TestCompanionAndUnwatched(t *testing.T) {
	base := tree(t, map[string]string{"root/logs/1.jsonl": "x", "root/logs/1.jsonl-more": "more", "root/meta/1.txt": "aside", "secret.txt": "secret"})
	r := finder()
	r.Suffixes = []string{"-more", "-none"}
	got := map[string]string{}
	r.Read = func(in *readers.Input) error {
		if time.Since(in.ModifiedAt).Abs() > time.Minute {
			t.Error("changed at", in.ModifiedAt)
		}
		in.Watch("meta/3.txt")
		for name, open := range map[string]func() (io.ReadCloser, error){
			"log":    in.Open,
			"-more":  func() (io.ReadCloser, error) { return in.OpenCompanion("-more") },
			"-none":  func() (io.ReadCloser, error) { return in.OpenCompanion("-none") },
			"aside":  func() (io.ReadCloser, error) { return in.OpenUnwatched("meta/1.txt") },
			"none":   func() (io.ReadCloser, error) { return in.OpenUnwatched("meta/2.txt") },
			"secret": func() (io.ReadCloser, error) { return in.OpenUnwatched("../secret.txt") },
		} {
			f, err := open()
			if err != nil {
				got[name] = fmt.Sprint(errors.Is(err, fs.ErrNotExist))
				continue
			}
			at := f.(interface {
				io.ReaderAt
				Stat() (fs.FileInfo, error)
			})
			data := make([]byte, 10)
			n, _ := at.ReadAt(data, 0)
			info, err := at.Stat()
			got[name] = strings.TrimSpace(fmt.Sprintln(string(data[:n]), info.Size() == int64(n), err, f.Close()))
		}
		return nil
	}
	logs, err := r.Find([]readers.Place{{Path: base + "/root"}})
	if err != nil || len(logs) != 1 {
		t.Fatal(logs, err)
	}
	f, err := r.TryLoad(logs[0], tables.Source{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"log": "x true <nil> <nil>", "-more": "more true <nil> <nil>", "-none": "true", "aside": "aside true <nil> <nil>", "none": "true", "secret": "true"}
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s: %q, want %q", name, got[name], text)
		}
	}
	b := tables.NewBatch(nil)
	defer b.Release()
	f.AppendTo(b)
	noted := map[string]bool{}
	for _, t := range tables.All() {
		if t.Name == "neighbours" {
			for _, row := range b.Rows(t) {
				noted[filepath.Base(fmt.Sprint(row["path"]))] = row["existed"] == true
			}
		}
	}
	if len(noted) != 3 || !noted["1.jsonl-more"] || noted["1.jsonl-none"] || noted["3.txt"] {
		t.Errorf("noted %v", noted)
	}
}

// TestAReaderSaysUnread: if a reader returns Unread, so do TryLoad and List.
func TestAReaderSaysUnread(t *testing.T) {
	base := tree(t, map[string]string{"root/logs/1.jsonl": "x"})
	r := finder()
	busy := fmt.Errorf("1.jsonl: %w", &readers.Unread{Err: os.ErrDeadlineExceeded})
	r.Read = func(*readers.Input) error { return busy }
	r.Parts = func(*readers.Input) ([]readers.Part, error) { return nil, busy }
	logs, err := r.Find([]readers.Place{{Path: base + "/root"}})
	if err != nil {
		t.Fatal(err)
	}
	if f, err := r.TryLoad(logs[0], tables.Source{}); !errors.As(err, new(*readers.Unread)) || f.Problems() != 0 {
		t.Error(err)
	}
	if _, _, err := r.List(logs[0]); !errors.As(err, new(*readers.Unread)) {
		t.Error(err)
	}
}
