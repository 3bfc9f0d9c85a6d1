package landing

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
)

func example() *Manifest {
	return &Manifest{
		Version: Version, Machine: "m1", Name: "desk", Generation: 1, WrittenAt: time.Unix(1, 0).UTC(), Schema: "s", Texts: Redacted, Users: "plain",
		Files: []File{{Path: FileName("messages", false, "2026-11-21", "0123456789abcdef"), Table: "messages", Day: "2026-11-21", Rows: 1, Bytes: 2, Sum: strings.Repeat("0", 64)}},
		Logs:  []Log{{SourceID: 1, Agent: "toy", Fingerprint: "f", Files: []int{0}}},
	}
}

// TestManifest: what is written is read, and no part of it is.
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

// TestManifestOfOthers: a manifest leads to no file but rows of its machine.
func TestManifestOfOthers(t *testing.T) {
	for name, change := range map[string]func(*Manifest){
		"another version": func(m *Manifest) { m.Version = 2 },
		"no machine":      func(m *Manifest) { m.Machine = "../m2" },
		"a way out":       func(m *Manifest) { m.Files[0].Path = "../m2/messages/2026-11-21.0123456789abcdef.parquet" },
		"another table":   func(m *Manifest) { m.Files[0].Table = "sessions" },
		"beside":          func(m *Manifest) { m.Files[0].Beside = true },
		"twice":           func(m *Manifest) { m.Files = append(m.Files, m.Files[0]) },
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
	must(target.Remove(ctx, Root+"/m2/a/b"))
	must(target.Remove(ctx, Root+"/m2/a/b"))
	if _, err := target.Get(ctx, Root+"/m2/a/b"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
