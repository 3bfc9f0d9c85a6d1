//go:build unix

package readers

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	gocmp "github.com/google/go-cmp/cmp"

	"hindsql/tables"
)

// TestSearchLeavesOthersAlone: Search reports pipes, sockets and devices without
// opening them. Opening a pipe without a writer would block.
func TestSearchLeavesOthersAlone(t *testing.T) {
	root := t.TempDir()
	in := func(name string) string { return filepath.Join(root, "logs", name) }
	socket := func() error {
		t.Chdir(filepath.Join(root, "logs")) // a socket's path must be short
		l, err := net.Listen("unix", "socket.log")
		if err == nil {
			t.Cleanup(func() { l.Close() })
		}
		return err
	}
	for _, err := range []error{
		os.MkdirAll(in("folder.log"), 0o700),
		os.WriteFile(in("folder.log/a.log"), nil, 0o600),
		syscall.Mkfifo(in("pipe.log"), 0o600),
		syscall.Mkfifo(in("other"), 0o600),
		os.Symlink(in("pipe.log"), in("to-pipe.log")),
		os.Symlink("/dev/null", in("null.log")),
		os.Symlink("nowhere", in("nowhere.log")),
		os.Symlink("round.log", in("round.log")),
		os.Symlink("b", in("a")), os.Symlink("a", in("b")),
		socket(),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	r := &Reader{Under: []string{"logs"}, IsLog: func(rel string) bool { return strings.HasSuffix(rel, ".log") }}
	logs, odd, err := r.Search([]Place{{Path: root}})
	if len(logs) != 1 || logs[0].Rel != "logs/folder.log/a.log" {
		t.Errorf("logs %v", logs)
	}
	var got []string
	for _, l := range odd {
		got = append(got, strings.ReplaceAll(l.Err.Error(), root, ""))
	}
	want := []string{
		"/logs/a: a circle of symbolic links, or too many of them",
		"/logs/b: a circle of symbolic links, or too many of them",
		"/logs/null.log: a device, not a log; left alone",
		"/logs/pipe.log: a named pipe, not a log; left alone",
		"/logs/round.log: a circle of symbolic links, or too many of them",
		"/logs/socket.log: a socket, not a log; left alone",
		"/logs/to-pipe.log: a named pipe, not a log; left alone",
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Error("odd (-want +got)\n" + diff)
	}
	if err == nil || strings.Count(err.Error(), "circle") != 3 {
		t.Errorf("error %v", err)
	}
}

// TestOpenFile: OpenFile doesn't wait for a pipe that replaced a file.
func TestOpenFile(t *testing.T) {
	dir := t.TempDir()
	pipe, file := filepath.Join(dir, "pipe"), filepath.Join(dir, "file")
	if err := errors.Join(syscall.Mkfifo(pipe, 0o600), os.WriteFile(file, []byte("text"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, dir, "/dev/zero"} {
		if _, err := OpenFile(path); !errors.As(err, new(*NotAFile)) {
			t.Errorf("%s: error %v", path, err)
		}
	}
	f, err := OpenFile(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if text, err := io.ReadAll(f); string(text) != "text" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
}

// TestTryLoadReportsTheDisk: if a log can't be read to its end, TryLoad returns an Unread
// error, even if the reader ignores the failure. A missing file isn't an Unread error.
func TestTryLoadReportsTheDisk(t *testing.T) {
	files := map[string]error{"/r/log": nil, "/r/denied": fs.ErrPermission, "/r/cut": nil}
	open := func(path string) (io.ReadCloser, error) {
		err, ok := files[path]
		if !ok {
			err = fs.ErrNotExist
		}
		if err != nil {
			return nil, &fs.PathError{Op: "open", Path: path, Err: err}
		}
		if path == "/r/cut" {
			return io.NopCloser(io.MultiReader(bytes.NewReader([]byte("text")), iotest.ErrReader(syscall.EIO))), nil
		}
		return io.NopCloser(strings.NewReader("text")), nil
	}
	reads := func(in *Input) error { // takes any read error for the end of the log
		if f, err := in.Open(); err == nil {
			_, _ = io.ReadAll(f)
		}
		return nil
	}
	for path, want := range map[string]string{"/r/log": "", "/r/denied": "open /r/denied: permission denied", "/r/cut": "input/output error", "/r/none": ""} {
		r := &Reader{Open: open, Read: reads}
		f, unread := r.TryLoad(Log{Root: "/r", Rel: path[3:], Path: path}, tables.Source{Path: path})
		if text := errorText(unread); text != want || f.Problems() != 0 {
			t.Errorf("%s: unread %q, want %q, %d problems", path, text, want, f.Problems())
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
