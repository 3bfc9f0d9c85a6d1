//go:build unix

package engine_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"hindsql/engine"
	"hindsql/internal/whole"
	"hindsql/readers"
	"hindsql/tables"
)

// failAt makes the reader's disk fail for files by name: after the given number of
// bytes, or at once if the number is 0.
func failAt(h *home, at map[string]int) {
	h.Reader.Open = func(path string) (io.ReadCloser, error) {
		n, fails := at[filepath.Base(path)]
		switch {
		case !fails:
			return readers.OpenFile(path)
		case n == 0:
			return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrPermission}
		}
		data, err := os.ReadFile(path)
		bad := &fs.PathError{Op: "read", Path: path, Err: syscall.EIO}
		return io.NopCloser(io.MultiReader(bytes.NewReader(data[:n]), iotest.ErrReader(bad))), err
	}
}

const (
	textsOf   = "SELECT session_id, text FROM messages ORDER BY ALL"
	whatIsBad = `SELECT regexp_replace(regexp_replace(what, '[0-9-]+ [0-9:]+ UTC', 'T'), ' /[^ ]*/', ' ') FROM problems ORDER BY ALL`
	since     = `SELECT regexp_extract(what, '[0-9-]+ [0-9:]+ UTC'), strftime(unread_since, '%Y-%m-%d %H:%M:%S UTC') FROM problems JOIN sources USING (source_id)`
)

// TestUnreadKeepsRows: an unreadable log keeps its rows. Each sync tries the log again,
// even if the log did not change. One problem says since when the log is unreadable.
func TestUnreadKeepsRows(t *testing.T) {
	whole.Test(t, "loads stores again and again, 1.5 s of processor time")
	t.Parallel()
	for name, sound := range map[string]int{"opening fails": 0, "reading fails": 60} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if sound == 0 {
				whole.Test(t, "syncs six times, as the other does")
			}
			h := newHome(t)
			h.Write("a.jsonl", line(1, ""), line(2, ""))
			h.Write("b.jsonl", line(3, ""))
			h.Sync()
			why := "open a.jsonl: permission denied"
			if sound > 0 {
				why = "read a.jsonl: input/output error"
			}
			failAt(h, map[string]int{"a.jsonl": sound})
			h.Write("a.jsonl", line(1, ""), line(4, ""))
			for range 2 {
				h.Sync()
				h.Want(textsOf, "a|text 1", "a|text 2", "b|text 3")
				h.Want(whatIsBad, "can't be read since T: "+why+"; its rows are those of before")
			}
			first := h.Rows(since)
			if f := strings.Split(first[0], "|"); f[0] != f[1] {
				t.Errorf("since %s", first)
			}
			time.Sleep(1100 * time.Millisecond) // the text has seconds
			h.Append("a.jsonl", line(5, ""))
			h.Append("b.jsonl", line(6, ""))
			h.Sync()
			h.SyncWith(true)
			h.Want(textsOf, "a|text 1", "a|text 2", "b|text 3", "b|text 6")
			h.Want(since, first...)
			h.Want("SELECT sum(problems) FROM sources", "1")
			failAt(h, nil)
			if report := h.Sync(); report.Loaded != 1 {
				t.Errorf("%d loaded", report.Loaded)
			}
			h.Want("SELECT count(*) FROM problems", "0")
			h.LikeClean()
			if report := h.Sync(); report.Loaded != 0 || report.Unchanged != 2 {
				t.Errorf("%+v", report)
			}
		})
	}
}

// TestUnreadFromTheFirst: a log whose first reading fails has rows of the part that was
// read. It has all rows as soon as it is readable, even if unchanged.
func TestUnreadFromTheFirst(t *testing.T) {
	whole.Test(t, "loads stores again and again, 1.1 s of processor time")
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", line(1, ""), line(2, ""))
	h.Write("b.jsonl", line(3, ""))
	h.Write("c.jsonl", line(4, ""))
	failAt(h, map[string]int{"a.jsonl": len(line(1, "")) + 5, "b.jsonl": 0})
	for range 3 {
		h.Sync()
		h.Want(textsOf, "a|text 1", "c|text 4")
		h.Want(whatIsBad, "can't be read since T: open b.jsonl: permission denied", "can't be read since T: read a.jsonl: input/output error")
	}
	failAt(h, map[string]int{"b.jsonl": 0})
	h.Sync()
	h.Want(textsOf, "a|text 1", "a|text 2", "c|text 4")
	h.Remove("b.jsonl")
	h.Sync()
	h.Want("SELECT count(*) FROM problems", "0")
	h.Want("SELECT count(*) FROM sources WHERE unread_since IS NULL AND gone_at IS NOT NULL", "1")
	failAt(h, nil)
	h.Write("b.jsonl", line(3, ""))
	h.Sync()
	h.LikeClean()
}

// TestUnreadNeighbour: a log with an unreadable neighbour also keeps its rows. If the
// rows were loaded without the neighbour, new rows take their place.
func TestUnreadNeighbour(t *testing.T) {
	whole.Test(t, "syncs seven times")
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", line(1, ""), `{"beside":"logs/note"}`+"\n")
	h.Write("note", "the note")
	h.Sync()
	failAt(h, map[string]int{"note": 0})
	h.Append("a.jsonl", line(2, ""))
	h.Sync()
	h.Want(textsOf, "a|text 1", "a|the note")
	h.Want(whatIsBad, "can't be read since T: open note: permission denied; its rows are those of before")

	other := h.Clean()
	other.Sync()
	other.Want(textsOf, "a|none", "a|text 1", "a|text 2")
	h.Append("a.jsonl", line(3, ""))
	other.Sync()
	h.Sync()
	other.Want("SELECT count(*) FROM problems", "1")
	failAt(h, nil)
	h.Sync()
	other.Sync()
	h.Want(textsOf, "a|text 1", "a|text 2", "a|text 3", "a|the note")
	h.WantSame(other.Dump())
}

// TestNoLogs: a pipe in a log's place is not opened. One problem reports the pipe while
// it exists. The rows of a former file of the same name stay.
func TestNoLogs(t *testing.T) {
	whole.Test(t, "loads stores again and again, 1.2 s of processor time")
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", line(1, ""))
	must(t, syscall.Mkfifo(h.Path("pipe.jsonl"), 0o600))
	for _, full := range []bool{false, false, true, false} {
		if report := h.SyncWith(full); report.Found != 1 || len(report.Warnings) > 0 {
			t.Errorf("%+v", report)
		}
		h.Want(whatIsBad, "can't be read since T: pipe.jsonl: a named pipe, not a log; left alone")
	}
	h.Remove("a.jsonl")
	must(t, syscall.Mkfifo(h.Path("a.jsonl"), 0o600))
	h.Sync()
	h.Want(textsOf, "a|text 1")
	h.Want("SELECT count(*) FROM problems", "2")
	h.Remove("a.jsonl")
	h.Remove("pipe.jsonl")
	h.Write("a.jsonl", line(2, ""))
	h.Sync()
	h.LikeClean()
}

// TestUnlistedFolder: logs in an unlistable folder don't vanish.
func TestUnlistedFolder(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root lists every folder; unread.txtar shows it as another user")
	}
	t.Parallel()
	h := newHome(t)
	h.Write("in/a.jsonl", line(1, ""))
	h.Sync()
	must(t, os.Chmod(h.Path("in"), 0))
	t.Cleanup(func() { must(t, os.Chmod(h.Path("in"), 0o700)) })
	h.Sync()
	h.Want("SELECT count(*) FROM sources WHERE gone_at IS NOT NULL", "0")
	h.Want("SELECT count(*) FROM problems", "1")
	must(t, os.Chmod(h.Path("in"), 0o700))
	h.Sync()
	h.LikeClean()
}

// TestRowsThatPanic: if hindsql panics while making rows from a log's events, the log
// gets no new rows, and other logs lose no rows.
func TestRowsThatPanic(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", line(1, ""))
	h.Write("b.jsonl", line(2, ""))
	h.Sync()
	h.Append("a.jsonl", line(3, ""))
	h.Append("b.jsonl", line(4, ""), `{"unjoined":true}`+"\n")
	h.Write("c.jsonl", `{"unjoined":true}`+"\n")
	h.Sync()
	h.Want(textsOf, "a|text 1", "a|text 3", "b|text 2")
	h.Want("SELECT count(*) FROM problems WHERE what LIKE 'can''t be stored%joining its events panicked%please report it%'", "2")
}

// TestRefusedRows: a file with rows that DuckDB refuses is set aside, by an update and
// by a first load. All other files are loaded. The file is tried again when it changes,
// and by a full sync.
func TestRefusedRows(t *testing.T) {
	whole.Test(t, "loads several stores, 2.4 s of processor time")
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", line(1, ""))
	h.Write("b.jsonl", line(2, ""))
	h.Write("c.jsonl", line(3, ""))
	bad := tables.Source{Agent: "toy", Host: "here", Path: h.Path("b.jsonl")}
	sync := func(full, refuse bool, loaded int) {
		t.Helper()
		s := h.Open()
		defer s.Close()
		if refuse {
			engine.Refuse(s.Store, bad.ID())
		}
		report, err := s.Sync(context.Background(), engine.SyncOptions{Full: full})
		if err != nil || report.Loaded != loaded || len(report.Warnings) > 0 {
			t.Errorf("%v, %+v", err, report)
		}
	}
	check := func(rows ...string) {
		t.Helper()
		h.Want(textsOf, rows...)
		h.Want(whatIsBad, "can't be stored, and is tried again when it changes: messages: Conversion Error: made up; its rows are those of before")
	}
	sync(false, true, 3)
	h.Want(textsOf, "a|text 1", "c|text 3")
	h.Want(whatIsBad, "can't be stored, and is tried again when it changes: messages: Conversion Error: made up")
	sync(false, true, 0)
	h.Append("b.jsonl", line(4, ""))
	h.Append("a.jsonl", line(5, ""))
	sync(false, false, 2)
	h.LikeClean()
	h.Write("b.jsonl", line(6, ""))
	h.Append("c.jsonl", line(7, ""))
	sync(false, true, 2)
	check("a|text 1", "a|text 5", "b|text 2", "b|text 4", "c|text 3", "c|text 7")
	sync(false, false, 0)
	sync(true, true, 3)
	check("a|text 1", "a|text 5", "b|text 2", "b|text 4", "c|text 3", "c|text 7")
	sync(true, false, 3)
	h.LikeClean()
}

// TestRefusedByDuckDB: DuckDB itself refuses the rows.
func TestRefusedByDuckDB(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", line(1, ""))
	h.Sync()
	h.Tamper("ALTER TABLE messages ALTER COLUMN uuid SET NOT NULL")
	h.Append("a.jsonl", line(2, ""))
	h.Write("b.jsonl", strings.Replace(line(3, ""), `"id":"u3",`, "", 1))
	h.Sync()
	h.Want(textsOf, "a|text 1", "a|text 2")
	h.Want(whatIsBad, "can't be stored, and is tried again when it changes: messages: Constraint Error: NOT NULL constraint failed: messages.uuid")
	h.SyncWith(true)
	h.LikeClean()
}

// TestCancelledIsNotRefused: a cancelled sync sets no file aside.
func TestCancelledIsNotRefused(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", line(1, ""))
	ctx, cancel := context.WithCancel(context.Background())
	h.Reader.Open = func(path string) (io.ReadCloser, error) { cancel(); return readers.OpenFile(path) }
	s := h.Open()
	if _, err := s.Sync(ctx, engine.SyncOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	must(t, s.Close())
	h.Sync()
	h.Want("SELECT count(*) FROM problems", "0")
}
