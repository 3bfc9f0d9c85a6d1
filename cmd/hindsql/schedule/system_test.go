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

	"github.com/google/go-cmp/cmp"

	"hindsql/cmd/hindsql/schedule"
)

// fakeSystem is a fake system. It records each program call in calls, and keeps a crontab.
// Calls that begin with fails return an error.
type fakeSystem struct {
	schedule.System
	calls          []string
	missing        []string // programs
	crontab, fails string
}

func newMadeUp(t *testing.T) *fakeSystem {
	home := filepath.Join(t.TempDir(), "it's [a] 100% home")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	m := &fakeSystem{}
	m.System = schedule.System{
		Home: home, Config: filepath.Join(home, ".config"), UID: 7, Run: m.run,
		Has: func(program string) bool { return !slices.Contains(m.missing, program) },
	}
	return m
}

func (m *fakeSystem) run(_ context.Context, input, program string, args ...string) (string, error) {
	call := strings.Join(append([]string{program}, args...), " ")
	switch {
	case m.fails != "" && strings.HasPrefix(call, m.fails):
		return "", errors.New(call + ": no")
	case call == "crontab -l" && m.crontab == "":
		return "", errors.New("crontab -l: exit status 1: no crontab for me")
	case call == "crontab -l":
		return m.crontab, nil
	}
	if program == "crontab" {
		m.crontab = input
	}
	m.calls = append(m.calls, strings.ReplaceAll(call, m.Home, "~"))
	return "", nil
}

// has lists the files below the home folder.
func (m *fakeSystem) has(t *testing.T) (paths []string) {
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

func installed(t *testing.T, m *fakeSystem) map[string]schedule.Entry {
	t.Helper()
	entries, err := m.Installed(t.Context())
	if err != nil {
		t.Error(err)
	}
	return entries
}

// TestUnreadableCrontab: a crontab that can't be read isn't taken for an empty one.
func TestUnreadableCrontab(t *testing.T) {
	m := newMadeUp(t)
	m.fails = "crontab -l"
	if entries, err := m.Installed(t.Context()); err == nil {
		t.Errorf("no error, but %v", entries)
	}
}

// TestSchedulers: Install of each scheduler makes the expected calls and files, a second
// Install of the name replaces the first, and Remove undoes them. A failed Install leaves
// nothing.
func TestSchedulers(t *testing.T) {
	const unit, service = ".config/systemd/user/hindsql-weekly.timer", ".config/systemd/user/hindsql-weekly.service"
	const plist, task = "Library/LaunchAgents/hindsql.weekly.plist", ".config/hindsql/tasks/weekly.xml"
	at := func(path string) string { return filepath.Join("~", filepath.FromSlash(path)) }
	for _, c := range []struct {
		name               string
		files, calls, undo []string
		fails              string
	}{
		{"systemd", []string{service, unit}, []string{"systemctl --user daemon-reload", "systemctl --user enable --now hindsql-weekly.timer"},
			[]string{"systemctl --user disable --now hindsql-weekly.timer"}, "systemctl --user enable"},
		{"launchd", []string{plist}, []string{"launchctl bootstrap gui/7 " + at(plist)}, []string{"launchctl bootout gui/7/hindsql.weekly"}, "launchctl bootstrap"},
		{"schtasks", []string{task}, []string{`schtasks /Create /TN hindsql\weekly /XML ` + at(task) + " /F"}, []string{`schtasks /Delete /TN hindsql\weekly /F`}, "schtasks /Create"},
		{"cron", nil, []string{"crontab -"}, []string{"crontab -r"}, "crontab -"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMadeUp(t)
			s := named(t, c.name)
			m.fails = c.fails
			if _, err := m.Install(t.Context(), s, odd); err == nil || len(m.has(t)) > 0 || m.crontab != "" {
				t.Errorf("it failed: %v, and left %v, crontab %q", err, m.has(t), m.crontab)
			}
			m.fails, m.calls = "", nil
			removed, err := m.Install(t.Context(), s, odd)
			if diff := cmp.Diff(c.calls, m.calls); diff != "" || err != nil || len(removed) > 0 {
				t.Errorf("%v, removed %v %s", err, removed, diff)
			}
			if diff := cmp.Diff(c.files, m.has(t)); diff != "" {
				t.Error(diff)
			}
			again := odd
			again.When = mustParse("every 6h")
			if _, err := m.Install(t.Context(), s, again); err != nil {
				t.Error(err)
			}
			want := map[string]schedule.Entry{"weekly": {Schedule: "every 6h", Scheduler: c.name}}
			if diff := cmp.Diff(want, installed(t, m)); diff != "" || strings.Count(m.crontab, "\n") > 1 {
				t.Errorf("%s%s", diff, m.crontab)
			}
			m.calls = nil
			removed, err = m.Remove(t.Context(), "weekly")
			if diff := cmp.Diff(c.undo, m.calls); diff != "" || err != nil || len(removed) != max(1, len(c.files)) || len(m.has(t)) > 0 {
				t.Errorf("%v, removed %v, left %v %s", err, removed, m.has(t), diff)
			}
		})
	}
}

// TestOtherScheduler: an install by another scheduler takes the timer from the first,
// and no other timer.
func TestOtherScheduler(t *testing.T) {
	m := newMadeUp(t)
	other := odd
	other.Name = "weekly-2"
	for _, install := range []struct {
		name  string
		timer schedule.Timer
	}{{"systemd", odd}, {"systemd", other}, {"cron", odd}} {
		if _, err := m.Install(t.Context(), named(t, install.name), install.timer); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]schedule.Entry{"weekly": {"weekly mon 08:00", "cron"}, "weekly-2": {"weekly mon 08:00", "systemd"}}
	if diff := cmp.Diff(want, installed(t, m)); diff != "" {
		t.Error(diff)
	}
	if _, err := m.Install(t.Context(), named(t, "launchd"), odd); err != nil || m.crontab != "" {
		t.Errorf("%v, crontab %q", err, m.crontab)
	}
}

// TestCrontab: other lines of a crontab stay unchanged, hindsql's line as a comment too.
func TestCrontab(t *testing.T) {
	cron := named(t, "cron")
	for _, mine := range []string{"", "MAILTO=me\n0 5 * * * backup\n", "# no end", "\n\n# x\n", "\n", "a\r\n\tb  \n",
		"0 8 * * * x --scheduled  # hindsql weekly-2: daily\n# 0 8 * * * x --scheduled y # hindsql weekly: daily\n0 1 * * * echo ' # hindsql weekly: x'\n"} {
		m := newMadeUp(t)
		m.crontab = mine
		for range 2 {
			if _, err := m.Install(t.Context(), cron, odd); err != nil {
				t.Fatal(err)
			}
		}
		if got, want := m.crontab, planned(t, "cron", odd)[0].Text; strings.Count(got, want) != 1 || !strings.HasPrefix(got, mine) {
			t.Errorf("%q became %q", mine, got)
		}
		_, err := m.Remove(t.Context(), "weekly")
		if err != nil || strings.TrimSuffix(m.crontab, "\n") != strings.TrimSuffix(mine, "\n") {
			t.Errorf("%q became %q, %v", mine, m.crontab, err)
		}
	}
	m := newMadeUp(t)
	m.crontab, m.fails = "0 5 * * * backup\n", "crontab -l"
	if _, err := m.Install(t.Context(), cron, odd); err == nil || m.crontab != "0 5 * * * backup\n" {
		t.Errorf("unreadable, but now %q, %v", m.crontab, err)
	}
}

// TestWhichScheduler: systemd if the user has a manager, otherwise the system's own.
func TestWhichScheduler(t *testing.T) {
	for _, c := range []struct{ name, missing, fails, want string }{
		{"", "launchctl schtasks", "", "systemd"},
		{"", "launchctl schtasks", "systemctl", "cron"},
		{"", "systemctl schtasks", "", "launchd"},
		{"", "systemctl launchctl crontab", "", "schtasks"},
		{"", "systemctl launchctl schtasks crontab", "", schedule.ErrNoScheduler.Error()},
		{"launchd", "launchctl", "", "launchctl: not found on this system"},
		{"cron", "", "", "cron"},
		{"at", "", "", "at: unknown; one of systemd, launchd, schtasks, cron"},
	} {
		m := newMadeUp(t)
		m.missing, m.fails = strings.Fields(c.missing), c.fails
		s, err := m.Scheduler(t.Context(), c.name)
		got := s.Name
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// TestForeignUnit: a file that hindsql didn't write stays unchanged.
func TestForeignUnit(t *testing.T) {
	m := newMadeUp(t)
	path := filepath.Join(m.Config, "systemd", "user", "hindsql-weekly.timer")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, err := m.Plan(named(t, "systemd"), odd)
	_, wrong := m.Install(t.Context(), named(t, "systemd"), odd)
	for _, err := range []error{err, wrong} {
		if err == nil || !strings.Contains(err.Error(), "left as it is") {
			t.Errorf("%v: want an error", err)
		}
	}
	removed, err := m.Remove(t.Context(), "weekly")
	if text, _ := os.ReadFile(path); string(text) != "mine" || err != nil || len(removed) > 0 || len(installed(t, m)) > 0 || len(m.has(t)) != 1 {
		t.Errorf("%q, removed %v, %v, beside %v", text, removed, err, m.has(t))
	}
}
