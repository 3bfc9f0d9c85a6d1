package atomicfile_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"hindsql/internal/atomicfile"
	"hindsql/internal/posix"
)

func content(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestWhole checks that the old file stays until the new file is complete, and that no
// temporary file is left.
func TestWhole(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a.txt")
	if err := atomicfile.Write(path, []byte("first")); err != nil {
		t.Fatal(err)
	}
	for _, commit := range []bool{false, true} {
		f, err := atomicfile.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		f.WriteString("second")
		if got := content(t, path); got != "first" {
			t.Errorf("%q is there before the file is complete", got)
		}
		want := "first"
		if commit {
			want = "second"
			if err := f.Commit(); err != nil {
				t.Fatal(err)
			}
		}
		f.Abandon()
		if got := content(t, path); got != want {
			t.Errorf("commit %t: %q, want %q", commit, got, want)
		}
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 {
		t.Errorf("%v %v: want a.txt alone", entries, err)
	}
}

// TestInPlace checks that a link stays a link, and a device a device.
func TestInPlace(t *testing.T) {
	posix.Links(t)
	posix.Only(t, "it has no /dev/null")
	folder := t.TempDir()
	link, target := filepath.Join(folder, "link"), filepath.Join(folder, "target")
	if err := os.WriteFile(target, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Write(link, []byte("x")); err != nil {
		t.Fatal(err)
	}
	if to, err := os.Readlink(link); err != nil || to != target || content(t, target) != "x" {
		t.Errorf("the link leads to %q (%v), which holds %q", to, err, content(t, target))
	}
	if err := atomicfile.Write(os.DevNull, []byte("x")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Errorf("%s is now %v (%v)", os.DevNull, info.Mode(), err)
	}
}

// TestNoFolder checks that the error names the user's path.
func TestNoFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "no", "a.txt")
	if err := atomicfile.Write(path, nil); err == nil || err.Error() != path+": no such file or directory" && runtime.GOOS != "windows" {
		t.Error(err)
	}
}

func TestTilde(t *testing.T) {
	home := filepath.Join(string(filepath.Separator), "home", "ada")
	below := filepath.Join(home, "x")
	for _, c := range []struct{ got, want string }{
		{atomicfile.Short(home, below), filepath.Join("~", "x")}, {atomicfile.Short(home, home+"x"), home + "x"}, {atomicfile.Short("", below), below},
		{atomicfile.Long(home, "~"), home}, {atomicfile.Long(home, filepath.Join("~", "x")), below},
		{atomicfile.Long(home, "~bob"), "~bob"}, {atomicfile.Long("", "~"), "~"}, {atomicfile.Long(home, below), below},
	} {
		if c.got != c.want {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
}

// TestLeftByKilledProcesses checks that creating a file removes only the temporary
// files of killed processes.
func TestLeftByKilledProcesses(t *testing.T) {
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	for _, name := range []string{".hindsql-123", ".hindsql-export.json", "mine.txt"} {
		if err := os.WriteFile(at(name), []byte("text"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	living, err := atomicfile.Create(at("a.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer living.Abandon()
	if err := atomicfile.Write(at("b.txt"), []byte("b")); err != nil {
		t.Fatal(err)
	}
	if err := living.Commit(); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(folder)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if want := []string{".hindsql-export.json", "a.txt", "b.txt", "mine.txt"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("%v %v, want %v", names, err, want)
	}
}
