package landing

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hindsql/internal/posix"
)

func example() *Manifest {
	return &Manifest{
		Version: Version, Machine: "m1", Name: "desk", Generation: 1, WrittenAt: time.Unix(1, 0).UTC(), Schema: "s", Texts: Redacted, Users: "plain",
		Files: []File{{Path: FileName("messages", false, "2026-11-21", "0123456789abcdef"), Table: "messages", Day: "2026-11-21", Rows: 1, Bytes: 2, Sum: strings.Repeat("0", 64)}},
		Logs:  []Log{{SourceID: 1, Agent: "toy", Fingerprint: "f", Files: []int{0}}},
	}
}

// TestManifest: a written manifest can be read. A manifest that was cut off anywhere is
// refused.
func TestManifest(t *testing.T) {
	text, err := example().Encode()
	if err != nil {
		t.Fatal(err)
	}
	if m, err := Parse(text); err != nil || m.Files[0].Path != "messages/2026-11-21.0123456789abcdef.parquet" {
		t.Errorf("%v %v", m, err)
	}
	for i := range text {
		if _, err := Parse(text[:i]); err == nil {
			t.Fatalf("torn after %d bytes, it is read", i)
		}
	}
}

// TestManifestOfOthers: a manifest can name only row files of its own machine.
func TestManifestOfOthers(t *testing.T) {
	for name, change := range map[string]func(*Manifest){
		"another version": func(m *Manifest) { m.Version = 2 },
		"no machine":      func(m *Manifest) { m.Machine = "../m2" },
		"a way out":       func(m *Manifest) { m.Files[0].Path = "../m2/messages/2026-11-21.0123456789abcdef.parquet" },
		"another table":   func(m *Manifest) { m.Files[0].Table = "sessions" },
		"beside":          func(m *Manifest) { m.Files[0].Beside = true },
		"twice":           func(m *Manifest) { m.Files = append(m.Files, m.Files[0]) },
		"a log twice":     func(m *Manifest) { m.Logs = append(m.Logs, m.Logs[0]) },
		"no such file":    func(m *Manifest) { m.Logs[0].Files = []int{1} },
		"live and not":    func(m *Manifest) { m.Superseded = []Former{{Path: m.Files[0].Path}} },
		"its manifest":    func(m *Manifest) { m.Superseded = []Former{{Path: ManifestName}} },
	} {
		m := example()
		change(m)
		if _, err := m.Encode(); err == nil && m.Version == Version {
			t.Errorf("%s: is written", name)
		}
	}
}

func TestFolder(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	target, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	put := func(name, text string) error {
		return target.Put(ctx, name, strings.NewReader(text), int64(len(text)))
	}
	for _, name := range []string{"../x", "/x", "a/../../x", "a//b"} {
		if put(name, "x") == nil {
			t.Errorf("%s: is written", name)
		}
	}
	for _, name := range []string{Root + "/m1/" + ManifestName, Root + "/m1/" + ManifestName, Root + "/m2/a/b"} {
		if err := put(name, "text"); err != nil {
			t.Error(err)
		}
	}
	if err := target.Put(ctx, Root+"/m1/"+ManifestName, strings.NewReader("cut"), 4); err == nil {
		t.Error("a part counts as whole")
	}
	var names []string
	must := func(err error) {
		if err != nil {
			t.Error(err)
		}
	}
	must(target.List(ctx, Root, func(e Entry) error { names = append(names, e.Name); return nil }))
	if !slices.Equal(names, []string{Root + "/m1/" + ManifestName, Root + "/m2/a/b"}) {
		t.Errorf("%v", names)
	}
	if folders, err := target.Folders(ctx, Root); err != nil || !slices.Equal(folders, []string{"m1", "m2"}) {
		t.Errorf("%v %v", folders, err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, Root, "m1", ManifestName)); string(text) != "text" {
		t.Errorf("%s %v", text, err)
	}
	if err := os.Mkdir(filepath.Join(dir, Root, "m1", "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if r, err := target.Get(ctx, Root+"/m1/folder"); err == nil { // a named pipe would never end
		r.Close()
		t.Error("what is no file is read")
	}
	must(target.Remove(ctx, Root+"/m2/a/b"))
	must(target.Remove(ctx, Root+"/m2/a/b"))
	if _, err := target.Get(ctx, Root+"/m2/a/b"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// TestMachines: other folders among the machines' folders are ignored. Machines returns
// an error for a place that can't be a landing.
func TestMachines(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	for _, name := range []string{".stfolder", "@eaDir", "lost+found", "m1 (copy)", "m1", "m2"} {
		if err := os.MkdirAll(filepath.Join(dir, Root, name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, Root, name, ManifestName), []byte("torn"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	target, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	found, err := Machines(ctx, target)
	if err != nil || len(found) != 2 || found[0].Machine != "m1" || found[0].Err == nil {
		t.Errorf("%v %v", found, err)
	}
	for _, name := range []string{filepath.Join(dir, "none"), filepath.Join(dir, Root, "m1", ManifestName)} {
		if target, err = Open(name, Options{}); err != nil {
			t.Fatal(err)
		}
		if _, err := Machines(ctx, target); err == nil || !strings.HasPrefix(err.Error(), name+": ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestCanonical: all spellings of a target give the same URL.
func TestCanonical(t *testing.T) {
	posix.Links(t)
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	if err := os.Symlink(filepath.Join(dir, "sync"), link); err != nil {
		t.Fatal(err)
	}
	keys := Options{Home: dir, Region: "eu", Getenv: func(name string) string { return name }}
	keys.Getenv = func(name string) string {
		return map[string]string{"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}[name]
	}
	for _, same := range [][]string{
		{filepath.Join(dir, "sync"), "~/sync", "~/sync/", "file://" + dir + "/sync", "~/x/../sync"},
		{"s3://b/p", "s3://b/p/"},
	} {
		for _, written := range same {
			target, err := Open(written, keys)
			url, _, err2 := Canonical(written, dir)
			if err != nil || err2 != nil || target.URL != same[0] || url != same[0] {
				t.Errorf("%s: %v, %v, %v, %v", written, target, url, err, err2)
			}
		}
	}
	for _, made := range []bool{false, true} {
		if made {
			if err := os.Mkdir(filepath.Join(dir, "sync"), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		a, _ := Open(filepath.Join(dir, "sync"), Options{})
		if b, err := Open(link, Options{}); err != nil || made && a.Place != b.Place || a.URL == b.URL {
			t.Errorf("%v and %v are two places, %v", a, b, err)
		}
	}
	a, _ := Open("s3://b/p", keys)
	keys.Endpoint = "https://minio.example.org"
	if b, err := Open("s3://b/p", keys); err != nil || a.Place == b.Place || a.URL != b.URL {
		t.Errorf("%v and %v are one place, %v", a, b, err)
	}
}

// TestSharedFolder: if other users may write to a folder, they may also read new files
// and put their own. Otherwise no other user may read or write.
func TestSharedFolder(t *testing.T) {
	posix.Only(t, "it has no such permissions")
	for mode, want := range map[fs.FileMode][3]fs.FileMode{
		0o755: {0o700, 0o700, 0o600}, 0o775: {0o770, 0o750, 0o640}, 0o770 | fs.ModeSetgid: {0o770 | fs.ModeSetgid, 0o750 | fs.ModeSetgid, 0o640}, 0o777: {0o777, 0o755, 0o644},
	} {
		dir := filepath.Join(t.TempDir(), "target")
		if err := errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, mode)); err != nil {
			t.Fatal(err)
		}
		target, err := Open(dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		name := Root + "/m1/" + FileName("messages", true, "2026-11-20", "0123456789abcdef")
		if err := target.Put(t.Context(), name, strings.NewReader("rows"), 4); err != nil {
			t.Fatal(err)
		}
		for i, p := range []string{Root, path.Dir(name), name} {
			info, err := os.Stat(filepath.Join(dir, p))
			if err != nil {
				t.Fatal(err)
			}
			if got := info.Mode() & (fs.ModePerm | fs.ModeSetgid); got != want[i] {
				t.Errorf("target %v: %s has %v, want %v", mode, p, got, want[i])
			}
		}
	}
}
