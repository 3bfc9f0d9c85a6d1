package engine

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hindsql/tables"
)

func TestPlan(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 1, 0, 0, 0, 1234567, time.UTC) // stores keep microseconds
	disk := func(id, size int64, version int) found {
		return found{id: id, source: tables.Source{Size: size, ModifiedAt: at, ReaderVersion: version}}
	}
	store := func(id, size int64) loaded {
		return loaded{id: id, machine: "here", path: "a", size: size, modifiedAt: at.UnixMicro(), readerVersion: 1}
	}
	gone := func(l loaded) loaded { l.gone = true; return l }
	elsewhere := func(l loaded) loaded { l.machine = "there"; return l }
	stillThere := func(l loaded) loaded { l.path = "outside the roots"; return l }
	near := func(l loaded, n ...tables.Neighbour) loaded { l.neighbours = n; return l }
	there := func(path string, size int64) tables.Neighbour {
		return tables.Neighbour{Path: path, WasRead: true, Exists: true, Size: size, ModifiedAt: at.Truncate(time.Microsecond)}
	}
	besideNow := func(path string) tables.Neighbour {
		if path == "none" {
			return tables.Neighbour{Path: path}
		}
		return tables.Neighbour{Path: path, Exists: true, Size: 7, ModifiedAt: at}
	}
	later := there("n", 7)
	later.ModifiedAt = at.Add(-time.Second)
	touched := func(f found) found { f.source.ModifiedAt = at.Add(time.Microsecond); return f }

	type ids = []int64
	for name, c := range map[string]struct {
		disk             []found
		store            []loaded
		load, gone, back ids
		unchanged        int
	}{
		"nothing at all":          {},
		"first":                   {disk: []found{disk(1, 5, 1), disk(2, 5, 1)}, load: ids{1, 2}},
		"unchanged":               {disk: []found{disk(1, 5, 1)}, store: []loaded{store(1, 5)}, unchanged: 1},
		"grew":                    {disk: []found{disk(1, 6, 1)}, store: []loaded{store(1, 5)}, load: ids{1}},
		"shrank":                  {disk: []found{disk(1, 4, 1)}, store: []loaded{store(1, 5)}, load: ids{1}},
		"touched":                 {disk: []found{touched(disk(1, 5, 1))}, store: []loaded{store(1, 5)}, load: ids{1}},
		"newer reader":            {disk: []found{disk(1, 5, 2)}, store: []loaded{store(1, 5)}, load: ids{1}},
		"vanished":                {store: []loaded{store(1, 5), store(2, 5)}, gone: ids{1, 2}},
		"vanished before":         {store: []loaded{gone(store(1, 5))}},
		"vanished elsewhere":      {store: []loaded{elsewhere(store(1, 5))}},
		"its id has another's":    {disk: []found{disk(1, 5, 1)}, store: []loaded{elsewhere(store(1, 5))}, load: ids{1}},
		"outside of the roots":    {store: []loaded{stillThere(store(1, 5))}},
		"came back":               {disk: []found{disk(1, 5, 1)}, store: []loaded{gone(store(1, 5))}, back: ids{1}, unchanged: 1},
		"came back, and grew":     {disk: []found{disk(1, 6, 1)}, store: []loaded{gone(store(1, 5))}, load: ids{1}},
		"moved":                   {disk: []found{disk(2, 5, 1)}, store: []loaded{store(1, 5)}, load: ids{2}, gone: ids{1}},
		"neighbours as they were": {disk: []found{disk(1, 5, 1)}, store: []loaded{near(store(1, 5), there("n", 7), tables.Neighbour{Path: "none"})}, unchanged: 1},
		"a neighbour grew":        {disk: []found{disk(1, 5, 1)}, store: []loaded{near(store(1, 5), there("n", 6))}, load: ids{1}},
		"a neighbour was touched": {disk: []found{disk(1, 5, 1)}, store: []loaded{near(store(1, 5), later)}, load: ids{1}},
		"a neighbour vanished":    {disk: []found{disk(1, 5, 1)}, store: []loaded{near(store(1, 5), there("none", 7))}, load: ids{1}},
		"a neighbour came":        {disk: []found{disk(1, 5, 1)}, store: []loaded{near(store(1, 5), tables.Neighbour{Path: "n"})}, load: ids{1}},
		"one asked for only grew": {disk: []found{disk(1, 5, 1)}, store: []loaded{near(store(1, 5), tables.Neighbour{Path: "n", Exists: true, Size: 1})}, unchanged: 1},
		"of a vanished log":       {store: []loaded{near(gone(store(1, 5)), there("n", 6))}},
		"each of its own fortune": {disk: []found{disk(1, 5, 1), disk(2, 9, 1), disk(3, 5, 1)}, store: []loaded{store(1, 5), store(2, 5), gone(store(3, 5)), store(4, 5)}, load: ids{2}, gone: ids{4}, back: ids{3}, unchanged: 2},
	} {
		p := makePlan(c.disk, c.store, "here", looks{
			opens:  (*found).opens,
			exists: func(path string) bool { return path == "outside the roots" },
			silent: func(*found) bool { return false },
			hides:  func(string) bool { return false },
			look:   func(path string) (tables.Neighbour, bool) { return besideNow(path), true },
		})
		var load ids
		for _, f := range p.load {
			load = append(load, f.id)
		}
		if diff := cmp.Diff([]ids{c.load, c.gone, c.back}, []ids{load, p.gone, p.back}); diff != "" {
			t.Errorf("%s: load, gone, back (-want +got)\n%s", name, diff)
		}
		if p.unchanged != c.unchanged || p.found != len(c.disk) {
			t.Errorf("%s: %d found and %d unchanged, want %d and %d", name, p.found, p.unchanged, len(c.disk), c.unchanged)
		}
		if want := len(c.load)+len(c.gone)+len(c.back) == 0; p.nothing() != want {
			t.Errorf("%s: nothing to do is %v", name, p.nothing())
		}
	}
}

func TestACutOffSyncIsWork(t *testing.T) {
	t.Parallel()
	if p := (plan{unlinked: true}); p.nothing() {
		t.Error("rows were loaded and not linked, and that is nothing to do")
	}
}

// TestPlanLoadsMost: a sync makes the store anew if it loads most logs, unless there is
// little to load, or the store holds much more that the search doesn't find.
func TestPlanLoadsMost(t *testing.T) {
	t.Parallel()
	const few, many = leastAnew / 8, leastAnew
	log := func(id, size int64, version int) found {
		return found{id: id, source: tables.Source{Size: size, ReaderVersion: version}}
	}
	was := func(id, size int64, machine string) loaded {
		return loaded{id: id, machine: machine, path: "a", size: size, modifiedAt: time.Time{}.UnixMicro(), readerVersion: 1}
	}
	for name, c := range map[string]struct {
		disk  []found
		store []loaded
		want  bool
	}{
		"unchanged":            {[]found{log(1, many, 1)}, []loaded{was(1, many, "here")}, false},
		"newer reader":         {[]found{log(1, many, 2), log(2, few, 1)}, []loaded{was(1, many, "here"), was(2, few, "here")}, true},
		"newer, of few bytes":  {[]found{log(1, few, 2)}, []loaded{was(1, few, "here")}, false},
		"newer, of some bytes": {[]found{log(1, many, 2), log(2, many, 1)}, []loaded{was(1, many, "here"), was(2, many, "here")}, false},
		"other machine's id":   {[]found{log(1, many, 1)}, []loaded{was(3, many, "there")}, true},
		"many other machines":  {[]found{log(1, many, 1)}, []loaded{was(3, 3*many, "there")}, false},
	} {
		p := makePlan(c.disk, c.store, "here", looks{
			opens: func(*found) bool { return true }, exists: func(string) bool { return true },
			silent: func(*found) bool { return false }, hides: func(string) bool { return false },
		})
		if got := p.loadsMost(); got != c.want {
			t.Errorf("%s: %t, loads %d of %d bytes", name, got, bytesOf(p.load), p.bytes)
		}
	}
}
