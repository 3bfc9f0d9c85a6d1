package readers

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"hindsql/internal/posix"
	"hindsql/tables"
)

// short is a Watchdog limit for tests, longer than any healthy call on a busy machine.
const short = 300 * time.Millisecond

// silentAt returns a Watchdog whose calls to a path, and to everything below it, get no
// answer until the test ends. calls counts these calls.
func silentAt(t *testing.T, path string, known ...UnresponsiveDisk) (dog *Watchdog, calls *atomic.Int64) {
	t.Helper()
	end := make(chan struct{})
	t.Cleanup(func() { close(end) })
	calls = &atomic.Int64{}
	dog = NewWatchdog(short, known)
	dog.wait = func(p string) {
		if isBelow(path, p) {
			calls.Add(1)
			<-end
		}
	}
	return dog, calls
}

// logsIn creates logs and returns their root without links.
func logsIn(t *testing.T, names ...string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("text"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

var anyLog = &Reader{Agent: "any", Under: []string{"in", "logs"}, IsLog: func(rel string) bool { return strings.HasSuffix(rel, ".log") }}

func rels(logs []Log) string {
	var list []string
	for _, l := range logs {
		list = append(list, l.Rel)
	}
	return strings.Join(list, " ")
}

// TestSearchOfSilentFolder: if the disk doesn't answer for one folder, the search still
// finds the other logs. It reports the root once. Later calls below the root on this
// device return an error without touching the disk.
func TestSearchOfSilentFolder(t *testing.T) {
	t.Parallel()
	root, other := logsIn(t, "in/a.log", "logs/b.log", "logs/dead/c.log", "logs/dead/deeper/d.log"), logsIn(t, "logs/e.log")
	dead := filepath.Join(root, "logs", "dead")
	dog, calls := silentAt(t, dead)
	logs, odd, err := dog.Search(anyLog, []Place{{Path: root}, {Path: other}})
	if rels(logs) == "" || !strings.Contains(rels(logs), "logs/e.log") || strings.Contains(rels(logs), "dead") || err != nil {
		t.Errorf("logs %s, %v", rels(logs), err)
	}
	var silent *NoAnswer
	if len(odd) != 1 || odd[0].Path != root || !errors.As(odd[0].Err, &silent) || silent.Path != dead || silent.Root != root || !silent.Fresh {
		t.Errorf("odd %+v", odd)
	}
	if !dog.MayMissLogs(filepath.Join(dead, "deeper", "d.log")) || dog.MayMissLogs(filepath.Join(other, "logs", "e.log")) {
		t.Error("hides other paths")
	}
	before := calls.Load()
	if _, err := dog.TryLoad(anyLog, Log{Root: root, Path: filepath.Join(root, "in", "a.log")}, tables.Source{}); !errors.As(err, new(*NoAnswer)) {
		t.Errorf("a log below the root: %v", err)
	}
	again, odd, _ := dog.Search(anyLog, []Place{{Path: root}})
	if len(again) > 0 || len(odd) != 1 || calls.Load() != before {
		t.Errorf("again: %v, %v, %d calls", again, odd, calls.Load()-before)
	}
}

// TestSearchOfKnownSilence: a root that didn't answer earlier isn't touched. Another
// root is searched.
func TestSearchOfKnownSilence(t *testing.T) {
	t.Parallel()
	root, other := logsIn(t, "logs/a.log"), logsIn(t, "logs/b.log")
	dog, calls := silentAt(t, root)
	known := UnresponsiveDisk{Root: root, Path: root, Device: dog.device(root)}
	dog.list = []UnresponsiveDisk{known}
	dog.any.Store(true)
	logs, odd, err := dog.Search(anyLog, []Place{{Path: root}, {Path: other}})
	if rels(logs) != "logs/b.log" || len(odd) != 1 || err != nil || calls.Load() > 0 {
		t.Errorf("%s, %v, %v, %d calls", rels(logs), odd, err, calls.Load())
	}
	if list := dog.UnresponsiveDisks(); len(list) != 1 || list[0].Fresh {
		t.Errorf("%+v", list)
	}
}

// blocking is a file whose Read works at first and then never returns.
type blocking struct {
	begin io.Reader
	end   chan struct{}
}

func (b blocking) Read(p []byte) (int, error) {
	if n, err := b.begin.Read(p); err == nil {
		return n, nil
	}
	<-b.end
	return 0, io.EOF
}

func (b blocking) Close() error { return nil }

// TestTryOfSilentLog: if reading a log gets no answer, the log is given up. Events that
// its reader emits later are dropped.
func TestTryOfSilentLog(t *testing.T) {
	t.Parallel()
	end, read := make(chan struct{}), make(chan error, 1)
	r := &Reader{
		Open: func(string) (io.ReadCloser, error) { return blocking{strings.NewReader("text"), end}, nil },
		Read: func(in *Input) error {
			f, err := in.Open()
			if err == nil {
				_, err = io.ReadAll(f)
			}
			if err == nil {
				_, err = in.Open()
			}
			in.Emit(&tables.Problem{What: "late"})
			read <- err
			return err
		},
	}
	log := Log{Root: "/r", Rel: "log", Path: "/r/log"}
	rows, err := NewWatchdog(short, nil).TryLoad(r, log, tables.Source{Path: log.Path})
	var silent *NoAnswer
	if rows != nil || !errors.As(err, &silent) || silent.Path != "/r/log" || silent.Root != "/r" || silent.Limit != short {
		t.Errorf("%v, %v", rows, err)
	}
	close(end)
	if err := <-read; !errors.Is(err, errAbandoned) {
		t.Errorf("it went on reading: %v", err)
	}
}

// slow returns one byte a call, each within the limit.
type slow struct{ rest int }

func (s *slow) Read(p []byte) (int, error) {
	if s.rest--; s.rest < 0 {
		return 0, io.EOF
	}
	time.Sleep(short / 5)
	p[0] = 'x'
	return 1, nil
}

func (s *slow) Close() error { return nil }

// TestSlowIsNotSilent: the Watchdog waits as long as the disk returns a byte now and
// then, or the reader computes, even if the whole takes longer than its limit.
func TestSlowIsNotSilent(t *testing.T) {
	t.Parallel()
	var got []byte
	r := &Reader{
		Open: func(string) (io.ReadCloser, error) { return &slow{10}, nil },
		Read: func(in *Input) (err error) {
			f, err := in.Open()
			if err == nil {
				got, err = io.ReadAll(f)
			}
			time.Sleep(short * 3 / 2)
			return err
		},
	}
	if _, err := NewWatchdog(short, nil).TryLoad(r, Log{Root: "/r", Path: "/r/log"}, tables.Source{}); err != nil || len(got) != 10 {
		t.Errorf("%q, %v", got, err)
	}
}

// TestLookAllOfSilentPath: if one of several paths gets no answer, the others are still
// looked at, and the path counts as existing.
func TestLookAllOfSilentPath(t *testing.T) {
	t.Parallel()
	root := logsIn(t, "a", "b", "dead/c", "d", "e", "f", "g", "h", "i")
	var paths []string
	for _, name := range []string{"a", "b", "dead/c", "d", "e", "f", "g", "h", "i", "none"} {
		paths = append(paths, filepath.Join(root, filepath.FromSlash(name)))
	}
	dog, _ := silentAt(t, filepath.Join(root, "dead"))
	for i, now := range dog.StatAll(paths) {
		if i == 2 && now.Known || now.Known && now.Exists != (i != 9) {
			t.Errorf("%s: %+v", paths[i], now)
		}
	}
	if !dog.MayExist(paths[2]) || dog.MayExist(paths[9]) {
		t.Error("what isn't known is gone")
	}
	if dog.SurelyExists(paths[2]) || dog.SurelyExists(paths[9]) || !dog.SurelyExists(paths[0]) {
		t.Error("what isn't known is found, or what is there isn't")
	}
	if all := NewWatchdog(short, nil).StatAll(paths); !all[2].Known || !all[8].Exists || all[9].Exists {
		t.Errorf("%+v", all)
	}
}

// TestFileThatFallsSilent: if a call to an open file gets no answer, it returns an
// error. The next call returns an error without touching the disk.
func TestFileThatFallsSilent(t *testing.T) {
	t.Parallel()
	end := make(chan struct{})
	defer close(end)
	dog := NewWatchdog(short, nil)
	r := &Reader{Open: func(string) (io.ReadCloser, error) { return blocking{strings.NewReader("text"), end}, nil }}
	f, err := dog.Open(r, posix.Path("/r/log"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(f)
	if string(text) != "text" || !errors.As(err, new(*NoAnswer)) {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := dog.Open(r, posix.Path("/r/other")); !errors.As(err, new(*NoAnswer)) {
		t.Errorf("%v", err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

// TestDevices: of several mount points above a path, the longest names the device. Of
// several mounts on one point, the last does.
func TestDevices(t *testing.T) {
	posix.Only(t, "volumes take the place of mount points")
	device := deviceIn([]mount{{"/", "1"}, {"/mnt/a", "2"}, {"/mnt", "3"}, {"/mnt/a", "4"}, {"/mnt/a b", "5"}})
	for path, want := range map[string]string{"/": "1", "/x": "1", "/mnt": "3", "/mnt/ab": "3", "/mnt/a": "4", "/mnt/a/b": "4", "/mnt/a b/c": "5"} {
		if got := device(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	if got := deviceIn(nil)("/x"); got != "" {
		t.Error(got)
	}
}
