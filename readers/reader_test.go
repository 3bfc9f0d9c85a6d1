package readers_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"testing"

	"hindsql/readers"
	"hindsql/tables"
)

func TestLoadMakesFailuresProblems(t *testing.T) {
	for name, test := range map[string]struct {
		read func(*readers.Input) error
		want string
	}{
		"error":    {func(*readers.Input) error { return errors.New("bad disk") }, "bad disk"},
		"vanished": {func(*readers.Input) error { return &fs.PathError{Op: "open", Path: "x", Err: fs.ErrNotExist} }, "vanished while it was read"},
		"panic":    {func(in *readers.Input) error { in.Emit(&tables.Message{}); return nil }, "reader panicked: "},
		"fine":     {func(*readers.Input) error { return nil }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			what := ""
			r := &readers.Reader{Agent: "toy", Read: test.read}
			r.LoadFrom(readers.Input{Emit: func(e tables.Event) {
				if p, ok := e.(*tables.Problem); ok {
					what += p.What
				}
			}}, tables.Source{})
			if !strings.HasPrefix(what, test.want) || (test.want == "") != (what == "") {
				t.Errorf("problem %q, want %q", what, test.want)
			}
		})
	}
}

func TestBesideStaysBelowTheRoot(t *testing.T) {
	base := tree(t, map[string]string{"root/logs/1.jsonl": "x", "root/meta/1.txt": "beside", "secret.txt": "secret"})
	r := finder()
	got := map[string]string{}
	r.Read = func(in *readers.Input) error {
		for _, rel := range []string{"meta/1.txt", "../secret.txt", "meta/../../secret.txt", base + "/secret.txt", "gone.txt", ""} {
			data, err := in.ReadFile(rel)
			if err != nil && rel != "" && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: %v, want fs.ErrNotExist", rel, err)
			}
			got[rel] = string(data)
		}
		f, err := in.Open()
		if err != nil {
			return err
		}
		defer f.Close()
		data, err := io.ReadAll(f)
		got["log"] = string(data)
		return err
	}
	logs, err := r.Find([]readers.Place{{Path: base + "/root"}})
	if err != nil || len(logs) != 1 {
		t.Fatal(logs, err)
	}
	r.Load(logs[0], tables.Source{})
	for rel, text := range got {
		if want := map[string]string{"meta/1.txt": "beside", "log": "x"}[rel]; text != want {
			t.Errorf("%s: %q, want %q", rel, text, want)
		}
	}
	if _, err := os.Stat(base + "/secret.txt"); err != nil {
		t.Error(err)
	}
}
