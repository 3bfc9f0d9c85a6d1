package schedule_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hindsql/cmd/hindsql/schedule"
)

// madeUp is a fake system. It records each program call in calls, and keeps a crontab
// and a task of Windows.
// Calls that begin with fails return an error.
type madeUp struct {
	schedule.System
	calls                []string
	crontab, task, fails string
}

func newMadeUp(t *testing.T) *madeUp {
	home := t.TempDir()
	m := &madeUp{fails: "systemctl --user show-environment"}
	m.System = schedule.System{
		OS: "linux", Home: home, Config: filepath.Join(home, ".config"), UID: 7, Run: m.run,
		Has: func(program string) bool { return program != "launchctl" || m.OS == "darwin" },
	}
	return m
}

func (m *madeUp) run(_ context.Context, input, program string, args ...string) (string, error) {
	call := strings.Join(append([]string{program}, args...), " ")
	switch {
	case m.fails != "" && strings.HasPrefix(call, m.fails):
		return "", errors.New(call + ": no")
	case call == "crontab -l":
		return m.crontab, nil
	}
	if program == "crontab" {
		m.crontab = input
	}
	m.calls = append(m.calls, strings.ReplaceAll(call, m.Home, "~"))
	if program == "schtasks" {
		return m.schtasks(args)
	}
	return "", nil
}

// schtasks fakes Windows' program: it keeps one task.
func (m *madeUp) schtasks(args []string) (string, error) {
	switch args[0] {
	case "/Create":
		text, err := os.ReadFile(args[4])
		m.task, m.calls[len(m.calls)-1] = string(text), "schtasks /Create"
		return "", err
	case "/Delete":
		m.task = ""
	case "/Query":
		m.calls = m.calls[:len(m.calls)-1]
		if m.task == "" {
			return "", errors.New("ERROR: The system cannot find the file specified.")
		}
	}
	return m.task, nil
}

// has lists the files below the home folder.
func (m *madeUp) has(t *testing.T) (paths []string) {
	t.Helper()
	err := filepath.WalkDir(m.Home, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			path, err = filepath.Rel(m.Home, path)
			paths = append(paths, filepath.ToSlash(path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// texts returns the files' contents by path.
func (m *madeUp) texts(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, name := range m.has(t) {
		text, err := os.ReadFile(filepath.Join(m.Home, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(text)
	}
	return texts
}

var oneJob = []schedule.Job{{Name: "weekly", Schedule: "hourly", Since: time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)}}

// TestSchedulers: Install of each scheduler makes the expected calls and files, and
// Remove undoes them. A failed install leaves the earlier install unchanged.
func TestSchedulers(t *testing.T) {
	const service, plist = ".config/systemd/user/hindsql-report.service", "Library/LaunchAgents/hindsql.report.plist"
	const unit = ".config/systemd/user/hindsql-report.timer"
	for _, c := range []struct {
		name, os    string
		files       []string
		calls, undo []string
		fails       string
	}{
		{"systemd", "linux", []string{service, unit}, []string{"systemctl --user daemon-reload", "systemctl --user enable --now hindsql-report.timer"},
			[]string{"systemctl --user disable --now hindsql-report.timer", "systemctl --user daemon-reload"}, "systemctl --user enable"},
		{"launchd", "darwin", []string{plist}, []string{"launchctl bootstrap gui/7 ~" + filepath.FromSlash("/"+plist)}, []string{"launchctl bootout gui/7/hindsql.report"}, "launchctl bootstrap"},
		{"schtasks", "windows", nil, []string{"schtasks /Create"}, []string{"schtasks /Delete /TN hindsql report /F"}, "schtasks /Create"},
		{"cron", "linux", nil, []string{"crontab -"}, []string{"crontab -r"}, "crontab -"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMadeUp(t)
			m.OS = c.os
			path := filepath.Join(m.Home, "schedule.toml")
			s, err := m.Scheduler(t.Context(), c.name)
			if err != nil {
				t.Fatal(err)
			}
			m.fails = c.fails
			if _, err := m.Install(t.Context(), path, oneJob, s, odd); err == nil || len(m.has(t)) > 0 || m.crontab+m.task != "" {
				t.Errorf("it failed: %v, and left %v, crontab %q", err, m.has(t), m.crontab)
			}
			m.fails, m.calls = "", nil
			removed, err := m.Install(t.Context(), path, oneJob, s, odd)
			if diff := cmp.Diff(c.calls, m.calls); diff != "" || err != nil || len(removed) > 0 {
				t.Errorf("%v, removed %v %s", err, removed, diff)
			}
			if diff := cmp.Diff(append(slices.Clone(c.files), "schedule.toml"), m.has(t)); diff != "" {
				t.Error(diff)
			}
			texts, tab := m.texts(t), m.crontab+m.task
			m.fails = c.fails
			other := schedule.Timer{Command: []string{"/other/hindsql", "report", "due"}}
			if _, err := m.Install(t.Context(), path, oneJob, s, other); err == nil || m.crontab+m.task != tab {
				t.Errorf("the second failed: %v, and left crontab %q", err, m.crontab)
			}
			if diff := cmp.Diff(texts, m.texts(t)); diff != "" {
				t.Errorf("the second failed, and changed %s", diff)
			}
			m.fails, m.calls = "", nil
			removed, err = m.Remove(t.Context(), nil)
			if diff := cmp.Diff(c.undo, m.calls); diff != "" || err != nil || len(removed) != max(1, len(c.files)) || len(m.has(t)) != 1 {
				t.Errorf("%v, removed %v, left %v %s", err, removed, m.has(t), diff)
			}
		})
	}
}

// TestWhichScheduler: systemd if the user has a manager, otherwise the system's own.
func TestWhichScheduler(t *testing.T) {
	m := newMadeUp(t)
	kind := func(name string) string {
		s, err := m.Scheduler(t.Context(), name)
		if err != nil {
			return err.Error()
		}
		steps, err := s.Plan(t.Context(), odd)
		if err != nil {
			t.Fatal(err)
		}
		return filepath.Base(steps[0].File)
	}
	got := []string{kind(""), kind("launchd"), kind("at")}
	m.OS = "darwin"
	got = append(got, kind(""))
	m.fails = ""
	got = append(got, kind(""))
	m.fails, m.Has = "systemctl", func(string) bool { return false }
	got = append(got, kind(""))
	want := []string{".", "launchctl: not found on this system", "at: unknown; systemd, launchd, schtasks or cron", "hindsql.report.plist", "hindsql-report.service", schedule.ErrNoScheduler.Error()}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestForeignUnit: a file that hindsql didn't write stays unchanged.
func TestForeignUnit(t *testing.T) {
	m := newMadeUp(t)
	m.fails = ""
	path := filepath.Join(m.Config, "systemd", "user", "hindsql-report.timer")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := m.Scheduler(t.Context(), "systemd")
	if err != nil {
		t.Fatal(err)
	}
	_, planned := s.Plan(t.Context(), odd)
	_, removed := m.Remove(t.Context(), nil)
	for _, err := range []error{planned, s.Install(t.Context(), odd), removed} {
		if err == nil || !strings.Contains(err.Error(), "left as it is") {
			t.Errorf("%v: want an error", err)
		}
	}
	if text, err := os.ReadFile(path); string(text) != "mine" || err != nil || len(m.has(t)) != 1 {
		t.Errorf("%q %v, beside %v", text, err, m.has(t))
	}
}
