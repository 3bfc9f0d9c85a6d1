package machine

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"hindsql/internal/posix"
)

func on(folder, system string) Options {
	return Options{Folder: folder, SystemID: func() string { return system }, Hostname: "laptop", User: "ann"}
}

func load(t *testing.T, o Options) (Machine, string) {
	t.Helper()
	m, notice, err := Load(o)
	if err != nil {
		t.Fatal(err)
	}
	return m, notice
}

// TestMadeOnce: an id of version 7 is made once. It stays even if the system later has
// no id.
func TestMadeOnce(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "config", "hindsql")
	first, _ := load(t, on(dir, "a"))
	if len(first.ID) != 36 || first.ID[14] != '7' || first.MadeAt.IsZero() || strings.Contains(fmt.Sprint(first), "a\n") {
		t.Errorf("%+v", first)
	}
	for _, system := range []string{"a", ""} {
		if m, notice := load(t, on(dir, system)); m.ID != first.ID || notice != "" {
			t.Errorf("system %q: %+v %s", system, m, notice)
		}
	}
	posix.Mode(t, filepath.Join(dir, fileName), 0o600)
	later, _ := load(t, on(t.TempDir(), "a"))
	if later.ID <= first.ID || later.OS == first.OS {
		t.Errorf("%+v after %+v", later, first)
	}
}

// TestCopiedHome: a home copied to another system gets a new id, with one notice. If
// the home returns, the first id returns.
func TestCopiedHome(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, _ := load(t, on(dir, "a"))
	copied, notice := load(t, on(dir, "b"))
	if copied.ID == first.ID || !strings.Contains(notice, "copied") || len(copied.Former) != 1 || copied.Former[0].ID != first.ID {
		t.Errorf("%+v %q", copied, notice)
	}
	if m, notice := load(t, on(dir, "b")); m.ID != copied.ID || notice != "" {
		t.Errorf("%+v %q", m, notice)
	}
	if m, notice := load(t, on(dir, "a")); m.ID != first.ID || notice != "" || len(m.Former) != 1 {
		t.Errorf("%+v %q", m, notice)
	}
	if m, _ := load(t, on(dir, "b")); m.ID != copied.ID {
		t.Errorf("%+v", m)
	}
}

// TestUnknownSystem: an id made on an unknown system stays valid when the system is
// known.
func TestUnknownSystem(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, _ := load(t, on(dir, ""))
	if m, notice := load(t, on(dir, "b")); m.ID != first.ID || notice != "" {
		t.Errorf("%+v %q", m, notice)
	}
}

// TestTorn: a torn file gives an error and no new id.
func TestTorn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	load(t, on(dir, "a"))
	path := filepath.Join(dir, fileName)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	end := strings.Index(string(whole), "made_at")
	for n := range end {
		if err := os.WriteFile(path, whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Load(on(dir, "a")); err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "remove it") {
			t.Fatalf("%d bytes: %v", n, err)
		}
		if text, _ := os.ReadFile(path); len(text) != n {
			t.Fatalf("%d bytes: %s", n, text)
		}
	}
}

// TestNowhereToWrite: the id is the same each time, without an error.
func TestNowhereToWrite(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{filepath.Join(file, "hindsql"), ""} {
		first, _ := load(t, on(dir, "a"))
		again, _ := load(t, on(dir, "a"))
		other, _ := load(t, on(dir, "b"))
		if len(first.ID) != 36 || first.ID != again.ID || first.ID == other.ID {
			t.Errorf("%s %s %s", first.ID, again.ID, other.ID)
		}
	}
}

// TestAtOnce: many simultaneous first processes get one id, in a new home and in a
// copied home.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, system := range []string{"a", "b"} {
		ids := sync.Map{}
		var wait sync.WaitGroup
		for range 40 {
			wait.Go(func() {
				m, _, err := Load(on(dir, system))
				if err != nil {
					t.Error(err)
				}
				ids.Store(m.ID, true)
			})
		}
		for range 4 {
			wait.Go(func() {
				cmd := exec.Command(os.Args[0], "-test.run=^TestChild$")
				cmd.Env = append(os.Environ(), "MACHINE_TEST="+dir+"\n"+system)
				out, err := cmd.Output()
				id, _, _ := strings.Cut(string(out), "\n")
				if err != nil {
					t.Error(err)
				}
				ids.Store(id, true)
			})
		}
		wait.Wait()
		n := 0
		ids.Range(func(any, any) bool { n++; return true })
		if n != 1 {
			t.Errorf("%d ids on %s", n, system)
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("%v %v", left, err)
	}
}

// TestChild is a process of TestAtOnce. Run directly, it does nothing.
func TestChild(t *testing.T) {
	dir, system, isChild := strings.Cut(os.Getenv("MACHINE_TEST"), "\n")
	if !isChild {
		return
	}
	m, _ := load(t, on(dir, system))
	fmt.Println(m.ID)
}

// TestDeadProcess: leftovers of a killed process delay the next process only briefly.
func TestDeadProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	load(t, on(dir, "a"))
	turn := filepath.Join(dir, fileName+".turn")
	if err := os.WriteFile(turn, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(turn, old, old); err != nil {
		t.Fatal(err)
	}
	if m, err := Rename(on(dir, "a"), "desk"); err != nil || m.Name != "desk" {
		t.Errorf("%+v %v", m, err)
	}
	before, _ := load(t, on(dir, "a"))
	after, err := Renew(on(dir, "a"))
	if err != nil || after.ID == before.ID || after.Former[0].ID != before.ID || before.Name != "desk" {
		t.Errorf("%+v %+v %v", before, after, err)
	}
}

// TestSlowSystems: a slow system is asked once a day.
func TestSlowSystems(t *testing.T) {
	t.Parallel()
	dir, asked := t.TempDir(), 0
	o := Options{Folder: dir, IsSlow: true, SystemID: func() string { asked++; return "a" }}
	for range 3 {
		load(t, o)
	}
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
	old := time.Now().Add(-25 * time.Hour)
	if err := os.Chtimes(filepath.Join(dir, fileName), old, old); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		load(t, o)
	}
	if asked != 2 {
		t.Errorf("asked %d times", asked)
	}
}

func TestSystemIDs(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"    \"IOPlatformUUID\" = \"1A2B-3C\"\n    \"model\" = <\"Mac\">\n": "1A2B-3C",
		"no such thing": "",
	} {
		if got := inText(platformID, text); got != want {
			t.Errorf("%q of %q", got, text)
		}
	}
	if got := inText(machineGUID, "HKEY_LOCAL_MACHINE\\SOFTWARE\\Microsoft\\Cryptography\r\n    MachineGuid    REG_SZ    11-22\r\n\r\n"); got != "11-22" {
		t.Errorf("%q", got)
	}
	dir := t.TempDir()
	first, second := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	for path, text := range map[string]string{first: "uninitialized\n", second: "33\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := inFiles(filepath.Join(dir, "none"), first, second); got != "33" {
		t.Errorf("%q", got)
	}
}
