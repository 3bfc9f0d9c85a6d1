package moves

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"hindsql/internal/logstart"
	"hindsql/tables"
)

// log is a log of the store: the text that the store loaded from a path, under the id of
// the path idOf.
type log struct{ idOf, path, text string }

func (l *log) id() int64 { return (&tables.Source{Agent: "toy", Path: cmp.Or(l.idOf, l.path)}).ID() }

func packed(text string) string {
	var out bytes.Buffer
	w, err := zstd.NewWriter(&out)
	if err != nil {
		panic(err)
	}
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return out.String()
}

func TestResolve(t *testing.T) {
	t.Parallel()
	const a, b = "{\"a\"}\n{\"1\"}\n", "{\"b\"}\n{\"1\"}\n"
	long := a + strings.Repeat("{\"line\"}\n", logstart.Most)
	for name, c := range map[string]struct {
		store []log
		disk  map[string]string // texts by path, as found
		lies  []string          // paths that exist and weren't found
		want  map[string]string // by found path: path of the log in the store that it is; new for none
		ids   map[string]string // by found path: path whose id it has; the log's if not listed
	}{
		"unchanged":              {store: []log{{"", "A", a}}, disk: map[string]string{"A": a}, want: map[string]string{"A": "A"}},
		"changed":                {store: []log{{"", "A", a}}, disk: map[string]string{"A": b}, want: map[string]string{"A": "A"}},
		"new":                    {store: []log{{"", "A", a}}, disk: map[string]string{"A": a, "B": b}, want: map[string]string{"A": "A", "B": "new"}},
		"moved":                  {store: []log{{"", "A", a}}, disk: map[string]string{"B": a}, want: map[string]string{"B": "A"}},
		"moved, and grown":       {store: []log{{"", "A", a}}, disk: map[string]string{"B": a + b}, want: map[string]string{"B": "A"}},
		"moved, long, and grown": {store: []log{{"", "A", long}}, disk: map[string]string{"B": long + b}, want: map[string]string{"B": "A"}},
		"moved, and cut":         {store: []log{{"", "A", long}}, disk: map[string]string{"B": long[:len(long)-9]}, want: map[string]string{"B": "new"}},
		"moved, and shorter":     {store: []log{{"", "A", a}}, disk: map[string]string{"B": "{\"a\"}\n"}, want: map[string]string{"B": "new"}},
		"moved, and rewritten":   {store: []log{{"", "A", a}}, disk: map[string]string{"B": "{\"a\"}\n{\"2\"}\n"}, want: map[string]string{"B": "new"}},
		"two found":              {store: []log{{"", "A", a}}, disk: map[string]string{"B": a, "C": a}, want: map[string]string{"B": "new", "C": "new"}},
		"two gone":               {store: []log{{"", "A", a}, {"", "B", a}}, disk: map[string]string{"C": a}, want: map[string]string{"C": "new"}},
		"two of both":            {store: []log{{"", "A", a}, {"", "B", a}}, disk: map[string]string{"C": a, "D": a}, want: map[string]string{"C": "new", "D": "new"}},
		"two of other lengths":   {store: []log{{"", "A", a}, {"", "B", a + b}}, disk: map[string]string{"C": a + b}, want: map[string]string{"C": "new"}},
		"two with other ends":    {store: []log{{"", "A", a + a}, {"", "B", a + b}}, disk: map[string]string{"C": a + b, "D": a + a}, want: map[string]string{"C": "B", "D": "A"}},
		"copied":                 {store: []log{{"", "A", a}}, disk: map[string]string{"A": a, "B": a}, want: map[string]string{"A": "A", "B": "new"}},
		"copied, out of sight":   {store: []log{{"", "A", a}}, disk: map[string]string{"B": a}, lies: []string{"A"}, want: map[string]string{"B": "new"}},
		"back":                   {store: []log{{"A", "B", a}}, disk: map[string]string{"A": a}, want: map[string]string{"A": "B"}},
		"moved before":           {store: []log{{"A", "B", a}}, disk: map[string]string{"B": a}, want: map[string]string{"B": "B"}},
		"swapped":                {store: []log{{"", "A", a}, {"", "B", b}}, disk: map[string]string{"A": b, "B": a}, want: map[string]string{"A": "A", "B": "B"}},
		"moved over another":     {store: []log{{"", "A", a}, {"", "B", b}}, disk: map[string]string{"B": a}, want: map[string]string{"B": "B"}},
		"another in its place": {store: []log{{"A", "B", a}}, disk: map[string]string{"A": b, "B": a},
			want: map[string]string{"A": "new", "B": "B"}, ids: map[string]string{"A": "A, the second"}},
		"both moved on": {store: []log{{"A", "B", a}, {"A, the second", "A", b}}, disk: map[string]string{"C": b, "A": a},
			want: map[string]string{"A": "A", "C": "new"}},
		"another in its place, and both moved": {store: []log{{"A", "B", a}, {"A, the second", "A", b}}, disk: map[string]string{"C": b, "D": a},
			want: map[string]string{"C": "A", "D": "B"}},
		"a third in its place": {store: []log{{"A", "B", a}, {"A, the second", "C", b}}, disk: map[string]string{"A": long, "B": a, "C": b},
			want: map[string]string{"A": "new", "B": "B", "C": "C"}, ids: map[string]string{"A": "A, the third"}},
		"moved, and a new one in its place": {store: []log{{"", "A", a}}, disk: map[string]string{"A": b, "B": a}, want: map[string]string{"A": "A", "B": "new"}},
		"compressed":                        {store: []log{{"", "A", long}}, disk: map[string]string{"A.zst": packed(long)}, want: map[string]string{"A.zst": "A"}},
		"compressed, and moved":             {store: []log{{"", "A", long}}, disk: map[string]string{"B.zst": packed(long)}, want: map[string]string{"B.zst": "A"}},
		"compressed, and cut":               {store: []log{{"", "A", long}}, disk: map[string]string{"A.zst": packed(long[:logstart.Most])}, want: map[string]string{"A.zst": "new"}},
		"compressed, and damaged":           {store: []log{{"", "A", long}}, disk: map[string]string{"A.zst": packed(long)[:60]}, want: map[string]string{"A.zst": "new"}},
		"unpacked again":                    {store: []log{{"A", "A.zst", long}}, disk: map[string]string{"A": long}, want: map[string]string{"A": "A.zst"}},
		"being unpacked":                    {store: []log{{"A", "A.zst", long}}, disk: map[string]string{"A": long + a}, lies: []string{"A.zst"}, want: map[string]string{"A": "A.zst"}},
		"without a complete line":           {store: []log{{"", "A", "{"}}, disk: map[string]string{"B": "{"}, want: map[string]string{"B": "new"}},
		"not valid UTF-8":                   {store: []log{{"\xff", "\uFFFD", a}}, disk: map[string]string{"\xff": a}, want: map[string]string{"\xff": "\uFFFD"}},
	} {
		var files []File
		paths := slices.Sorted(maps.Keys(c.disk))
		for _, path := range paths {
			text := c.disk[path]
			files = append(files, File{Source: &tables.Source{Agent: "toy", Path: path, Size: int64(len(text))}, ID: (&log{path: path}).id(), Packed: ".zst",
				Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }})
		}
		named := map[string]int64{"A, the second": (&tables.Source{Agent: "toy", Path: "A"}).FreeID(func(id int64) bool { return id == (&log{path: "A"}).id() })}
		named["A, the third"] = (&tables.Source{Agent: "toy", Path: "A"}).FreeID(func(id int64) bool { return id == (&log{path: "A"}).id() || id == named["A, the second"] })
		idOf := func(path string) int64 {
			if id := named[path]; id != 0 {
				return id
			}
			return (&log{path: path}).id()
		}
		var logs []Log
		for _, l := range c.store {
			size := int64(len(l.text))
			if isPacked(l.path) {
				size = int64(len(packed(l.text)))
			}
			logs = append(logs, Log{ID: idOf(cmp.Or(l.idOf, l.path)), Agent: "toy", Path: l.path, Size: size})
		}
		m := Compare(files, logs)
		marks := map[int64]string{}
		for i, l := range c.store {
			marks[logs[i].ID] = logstart.Of([]byte(l.text[:min(len(l.text), logstart.Most)])).String()
		}
		m.SetMarks(marks)
		r := m.Resolve(func(at int) bool { return !slices.Contains(c.lies, logs[at].Path) && c.disk[logs[at].Path] == "" })
		got := map[string]string{}
		for i, path := range paths {
			got[path] = "new"
			for _, l := range logs {
				if l.ID == r.IDs[i] {
					got[path] = l.Path
				}
			}
			if want := c.ids[path]; want != "" && r.IDs[i] != idOf(want) {
				t.Errorf("%s: %s has id %d, want that of %s", name, path, r.IDs[i], want)
			}
		}
		if diff := gocmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
		moved := 0
		for path, is := range c.want {
			if is != "new" && is != strings.ToValidUTF8(path, "\uFFFD") {
				moved++
			}
		}
		if len(r.Moves) != moved || len(r.Unpacked) > 0 {
			t.Errorf("%s: moves %v, want %d; unpacked %v", name, r.Moves, moved, r.Unpacked)
		}
	}
}

// TestOthers: a log of another agent or machine, or a part of a log, is never a found file.
func TestOthers(t *testing.T) {
	t.Parallel()
	const text = "{\"a\"}\n"
	for name, l := range map[string]Log{
		"another agent's":        {ID: 1, Agent: "other", Path: "A"},
		"of another machine":     {ID: 1, Agent: "toy", Path: "A", Elsewhere: true},
		"of another machine, at": {ID: 1, Agent: "toy", Path: "B", Elsewhere: true},
	} {
		file := File{Source: &tables.Source{Agent: "toy", Path: "B", Size: 6}, ID: (&log{path: "B"}).id(), Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
		m := Compare([]File{file}, []Log{l})
		m.SetMarks(map[int64]string{1: logstart.Of([]byte(text)).String()})
		if r := m.Resolve(func(int) bool { return true }); len(r.Moves) > 0 || r.IDs[0] != file.ID {
			t.Errorf("%s: moves %v, id %d", name, r.Moves, r.IDs[0])
		}
	}
}

// TestUnread: a file that can't be opened is no log that moved, and neither is an odd
// entry. If no log is gone, no file is opened.
func TestUnread(t *testing.T) {
	t.Parallel()
	opened := 0
	file := func(odd bool) []File {
		return []File{{Source: &tables.Source{Agent: "toy", Path: "B", Size: 6}, Odd: odd, Open: func() (io.ReadCloser, error) { opened++; return nil, fs.ErrPermission }}}
	}
	log := Log{ID: 1, Agent: "toy", Path: "A"}
	for i, m := range []*Match{Compare(file(true), []Log{log}), Compare(file(false), nil), Compare(file(false), []Log{log})} {
		m.SetMarks(map[int64]string{1: logstart.Of([]byte("{\"a\"}\n")).String()})
		if r := m.Resolve(func(int) bool { return true }); len(r.Moves) > 0 || opened != i/2 {
			t.Errorf("match %d: moves %v, %d files opened", i, r.Moves, opened)
		}
	}
}

// TestUnpacked: a compressed log that no unknown file is, and whose uncompressed log lies
// beside it, is named.
func TestUnpacked(t *testing.T) {
	t.Parallel()
	file := File{Source: &tables.Source{Agent: "toy", Path: "A"}, ID: (&log{path: "A"}).id(), Packed: ".zst"}
	logs := []Log{{ID: file.ID, Agent: "toy", Path: "A"}, {ID: 2, Agent: "toy", Path: "A.zst"}, {ID: 3, Agent: "toy", Path: "B.zst"}}
	if r := Compare([]File{file}, logs).Resolve(func(int) bool { return false }); !slices.Equal(r.Unpacked, []int{1}) {
		t.Errorf("unpacked are %v, want log 1", r.Unpacked)
	}
}

func TestFolders(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ was, now, path, want string }{
		{"/h/.claude/p/A/x", "/h/.config/claude/p/A/x", "/h/.claude/settings", "/h/.config/claude/settings"},
		{"/h/.claude/p/A/x", "/h/.claude/p/B/x", "/h/.claude/p/A/x/subagents", "/h/.claude/p/B/x/subagents"},
		{"/h/.claude/p/A/x", "/h/.claude/p/B/x", "/h/.claude/p/AB/x", "/h/.claude/p/AB/x"},
		{"/h/.claude/p/A/x", "/h/.claude/p/B/x", "/h/.claude/settings", "/h/.claude/settings"},
		{"/h/p/x", "/h/p/y", "/h/p/z", "/h/p/z"},
		{"/h/p/x", "/h/q/r/x", "/h/p", "/h/q/r"},
	} {
		slash := filepath.FromSlash
		if got := foldersOf(slash(c.was), slash(c.now)).Moved(slash(c.path)); got != slash(c.want) {
			t.Errorf("%s to %s: %s lies at %s, want %s", c.was, c.now, c.path, got, c.want)
		}
	}
}

func BenchmarkCompare(b *testing.B) {
	var files []File
	var logs []Log
	for i := range 10_000 {
		src := &tables.Source{Agent: "toy", Path: fmt.Sprintf("/home/user/.toy/projects/-home-user-work/%032d.jsonl", i)}
		files = append(files, File{Source: src, ID: src.ID()})
		logs = append(logs, Log{ID: src.ID(), Agent: "toy", Path: src.Path})
	}
	for b.Loop() {
		Compare(files, logs)
	}
}
