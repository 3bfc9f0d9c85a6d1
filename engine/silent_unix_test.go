//go:build unix

package engine_test

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"hindsql/engine"
	"hindsql/internal/whole"
	"hindsql/readers"
)

// silent is a home whose disk gives no answer for files of a set name.
type silent struct {
	*home
	name  atomic.Value // string; empty: all answer
	opens atomic.Int64
	end   chan struct{}
}

func newSilent(t *testing.T) *silent {
	s := &silent{home: newHome(t), end: make(chan struct{})}
	t.Cleanup(func() { close(s.end) })
	s.name.Store("")
	s.Reader.Open = func(path string) (io.ReadCloser, error) {
		s.opens.Add(1)
		if name := s.name.Load(); name != "" && filepath.Base(path) == name {
			<-s.end
			return nil, os.ErrClosed
		}
		return readers.OpenFile(path)
	}
	return s
}

// load syncs and returns the report.
func (s *silent) load(o engine.SyncOptions) engine.SyncReport {
	s.T.Helper()
	c := s.Config()
	c.Answers = 600 * time.Millisecond
	st := open(s.T, c)
	defer st.Close()
	report, err := st.Sync(context.Background(), o)
	must(s.T, err)
	return report
}

func (s *silent) remembered() string { return s.Store + ".silent" }

const (
	unreadNow = "SELECT parse_filename(path), reader_version FROM sources WHERE unread_since IS NOT NULL ORDER BY ALL"
	noAnswers = "SELECT parse_filename(path), contains(what, 'no answer in 600ms') FROM problems ORDER BY ALL"
)

// TestSilentDisk: a log that gives no answer costs the sync its time limit. All logs
// below the root count as unread, keep their rows, and share one problem. Later syncs
// leave them alone unless Retry is set.
func TestSilentDisk(t *testing.T) {
	whole.Test(t, "loads stores again and again, 1.3 s of processor time")
	t.Parallel()
	s := newSilent(t)
	s.Write("a.jsonl", line(1, ""))
	s.Write("b.jsonl", line(2, ""))
	s.load(engine.SyncOptions{})
	s.name.Store("b.jsonl")
	s.Append("b.jsonl", line(3, ""))
	root := filepath.Base(s.Dir)
	for _, retry := range []bool{false, true, false} {
		before := s.opens.Load()
		report := s.load(engine.SyncOptions{Retry: retry})
		if len(report.Warnings) != 1 || !strings.Contains(report.Warnings[0].Error(), "b.jsonl: no answer") || report.Gone != 0 {
			t.Errorf("retry %v: %+v", retry, report)
		}
		s.Want(textsOf, "a|text 1", "b|text 2")
		s.Want(unreadNow, sorted(root+"|0", "a.jsonl|1", "b.jsonl|1")...)
		s.Want(noAnswers, root+"|true")
		if opened := s.opens.Load() - before; opened > 0 && before > 3 && !retry {
			t.Errorf("%d logs were opened", opened)
		}
	}
	s.name.Store("")
	if report := s.load(engine.SyncOptions{}); report.Loaded > 0 {
		t.Errorf("tried within five minutes: %+v", report)
	}
	if report := s.load(engine.SyncOptions{Retry: true}); report.Loaded != 1 || len(report.Warnings) > 0 {
		t.Errorf("%+v", report)
	}
	s.LikeClean()
	s.Want(unreadNow)
	if _, err := os.Stat(s.remembered()); err == nil {
		t.Error("it is remembered still")
	}
}

func sorted(list ...string) []string {
	slices.Sort(list)
	return list
}

// TestSilentFromTheFirst: a first load loads all logs except those on the silent disk.
// The unread logs have a source, and get rows as soon as the disk answers.
func TestSilentFromTheFirst(t *testing.T) {
	t.Parallel()
	s := newSilent(t)
	other := s.T.TempDir()
	s.Reader.Roots = func(h readers.Host) []string { return []string{h.Home, other} }
	must(t, os.MkdirAll(filepath.Join(other, "logs"), 0o755))
	must(t, os.WriteFile(filepath.Join(other, "logs", "c.jsonl"), []byte(line(3, "")), 0o644))
	s.Write("b.jsonl", line(2, ""))
	s.name.Store("b.jsonl")
	s.load(engine.SyncOptions{})
	s.Want(textsOf, "c|text 3")
	s.Want(unreadNow, sorted(filepath.Base(s.Dir)+"|0", "b.jsonl|-1")...)
	s.Want(noAnswers, filepath.Base(s.Dir)+"|true")
	s.load(engine.SyncOptions{Full: true})
	s.Want(textsOf, "c|text 3")
	s.Want("SELECT count(*) FROM problems", "1")
	s.name.Store("")
	s.load(engine.SyncOptions{Retry: true})
	s.Want(textsOf, "b|text 2", "c|text 3")
	s.Want("SELECT count(*) FROM problems", "0")
	s.Want(unreadNow)
}

// TestSilenceIsForgotten: hindsql forgets a silence after five minutes, and if the
// clock was set back.
func TestSilenceIsForgotten(t *testing.T) {
	whole.Test(t, "loads stores again and again, 1.5 s of processor time")
	t.Parallel()
	s := newSilent(t)
	s.Write("a.jsonl", line(1, ""))
	s.load(engine.SyncOptions{})
	s.name.Store("a.jsonl")
	s.Append("a.jsonl", line(2, ""))
	s.load(engine.SyncOptions{})
	s.name.Store("")
	text, err := os.ReadFile(s.remembered())
	must(t, err)
	var list []readers.UnresponsiveDisk
	must(t, json.Unmarshal(text, &list))
	for age, tried := range map[time.Duration]bool{time.Minute: false, 6 * time.Minute: true, -time.Minute: true} {
		list[0].At = time.Now().Add(-age)
		text, err := json.Marshal(list)
		must(t, err)
		must(t, os.WriteFile(s.remembered(), text, 0o600))
		s.Append("a.jsonl", line(3, ""))
		before := s.opens.Load()
		if report := s.load(engine.SyncOptions{}); s.opens.Load() > before != tried {
			t.Errorf("noted %v ago: %+v", age, report)
		}
	}
	must(t, os.WriteFile(s.remembered(), []byte("{torn"), 0o600))
	s.load(engine.SyncOptions{})
	s.LikeClean()
}
