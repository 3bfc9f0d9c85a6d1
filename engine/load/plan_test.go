package load

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hindsql/tables"
)

func TestPlan(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 1, 0, 0, 0, 1234567, time.UTC) // stores keep microseconds
	disk := func(id, size int64, version int) foundLog {
		return foundLog{id: id, source: tables.Source{Size: size, ModifiedAt: at, ReaderVersion: version}}
	}
	store := func(id, size int64) storedLog {
		return storedLog{id: id, machine: "here", path: "a", size: size, modifiedAt: at.UnixMicro(), readerVersion: 1}
	}
	gone := func(l storedLog) storedLog { l.gone = true; return l }
	elsewhere := func(l storedLog) storedLog { l.machine = "there"; return l }
	stillThere := func(l storedLog) storedLog { l.path = "outside the roots"; return l }
	near := func(l storedLog, n ...tables.Neighbour) storedLog { l.neighbours = n; return l }
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
	touched := func(f foundLog) foundLog { f.source.ModifiedAt = at.Add(time.Microsecond); return f }

	type ids = []int64
	for name, c := range map[string]struct {
		disk             []foundLog
		store            []storedLog
		load, gone, back ids
		unchanged        int
	}{
		"nothing at all":          {},
		"first":                   {disk: []foundLog{disk(1, 5, 1), disk(2, 5, 1)}, load: ids{1, 2}},
		"unchanged":               {disk: []foundLog{disk(1, 5, 1)}, store: []storedLog{store(1, 5)}, unchanged: 1},
		"grew":                    {disk: []foundLog{disk(1, 6, 1)}, store: []storedLog{store(1, 5)}, load: ids{1}},
		"shrank":                  {disk: []foundLog{disk(1, 4, 1)}, store: []storedLog{store(1, 5)}, load: ids{1}},
		"touched":                 {disk: []foundLog{touched(disk(1, 5, 1))}, store: []storedLog{store(1, 5)}, load: ids{1}},
		"newer reader":            {disk: []foundLog{disk(1, 5, 2)}, store: []storedLog{store(1, 5)}, load: ids{1}},
		"vanished":                {store: []storedLog{store(1, 5), store(2, 5)}, gone: ids{1, 2}},
		"vanished before":         {store: []storedLog{gone(store(1, 5))}},
		"vanished elsewhere":      {store: []storedLog{elsewhere(store(1, 5))}},
		"its id has another's":    {disk: []foundLog{disk(1, 5, 1)}, store: []storedLog{elsewhere(store(1, 5))}, load: ids{1}},
		"outside of the roots":    {store: []storedLog{stillThere(store(1, 5))}},
		"came back":               {disk: []foundLog{disk(1, 5, 1)}, store: []storedLog{gone(store(1, 5))}, back: ids{1}, unchanged: 1},
		"came back, and grew":     {disk: []foundLog{disk(1, 6, 1)}, store: []storedLog{gone(store(1, 5))}, load: ids{1}},
		"moved":                   {disk: []foundLog{disk(2, 5, 1)}, store: []storedLog{store(1, 5)}, load: ids{2}, gone: ids{1}},
		"neighbours as they were": {disk: []foundLog{disk(1, 5, 1)}, store: []storedLog{near(store(1, 5), there("n", 7), tables.Neighbour{Path: "none"})}, unchanged: 1},
		"a neighbour grew":        {disk: []foundLog{disk(1, 5, 1)}, store: []storedLog{near(store(1, 5), there("n", 6))}, load: ids{1}},
		"a neighbour was touched": {disk: []foundLog{disk(1, 5, 1)}, store: []storedLog{near(store(1, 5), later)}, load: ids{1}},
		"a neighbour vanished":    {disk: []foundLog{disk(1, 5, 1)}, store: []storedLog{near(store(1, 5), there("none", 7))}, load: ids{1}},
		"a neighbour came":        {disk: []foundLog{disk(1, 5, 1)}, store: []storedLog{near(store(1, 5), tables.Neighbour{Path: "n"})}, load: ids{1}},
		"one asked for only grew": {disk: []foundLog{disk(1, 5, 1)}, store: []storedLog{near(store(1, 5), tables.Neighbour{Path: "n", Exists: true, Size: 1})}, unchanged: 1},
		"of a vanished log":       {store: []storedLog{near(gone(store(1, 5)), there("n", 6))}},
		"each of its own fortune": {disk: []foundLog{disk(1, 5, 1), disk(2, 9, 1), disk(3, 5, 1)}, store: []storedLog{store(1, 5), store(2, 5), gone(store(3, 5)), store(4, 5)}, load: ids{2}, gone: ids{4}, back: ids{3}, unchanged: 2},
	} {
		p := makePlan(c.disk, c.store, "here", diskState{
			opens:        (*foundLog).opens,
			exists:       func(path string) bool { return path == "outside the roots" },
			unresponsive: func(*foundLog) bool { return false },
			mayHide:      func(string) bool { return false },
			look:         func(path string) (tables.Neighbour, bool) { return besideNow(path), true },
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
		if want := len(c.load)+len(c.gone)+len(c.back) == 0; (p.work() == noWork) != want {
			t.Errorf("%s: the work is %v", name, p.work())
		}
	}
}

func TestACutOffSyncIsWork(t *testing.T) {
	t.Parallel()
	if p := (plan{unlinked: true}); p.work() == noWork {
		t.Error("rows were loaded and not linked, and that is nothing to do")
	}
}

// TestPlanLoadsMost: a sync makes the store anew if it loads most logs, unless there is
// little to load, or the store holds much more that the search doesn't find.
func TestPlanLoadsMost(t *testing.T) {
	t.Parallel()
	const few, many = leastAnew / 8, leastAnew
	log := func(id, size int64, version int) foundLog {
		return foundLog{id: id, source: tables.Source{Size: size, ReaderVersion: version}}
	}
	was := func(id, size int64, machine string) storedLog {
		return storedLog{id: id, machine: machine, path: "a", size: size, modifiedAt: time.Time{}.UnixMicro(), readerVersion: 1}
	}
	for name, c := range map[string]struct {
		disk  []foundLog
		store []storedLog
		want  bool
	}{
		"unchanged":            {[]foundLog{log(1, many, 1)}, []storedLog{was(1, many, "here")}, false},
		"newer reader":         {[]foundLog{log(1, many, 2), log(2, few, 1)}, []storedLog{was(1, many, "here"), was(2, few, "here")}, true},
		"newer, of few bytes":  {[]foundLog{log(1, few, 2)}, []storedLog{was(1, few, "here")}, false},
		"newer, of some bytes": {[]foundLog{log(1, many, 2), log(2, many, 1)}, []storedLog{was(1, many, "here"), was(2, many, "here")}, false},
		"other machine's id":   {[]foundLog{log(1, many, 1)}, []storedLog{was(3, many, "there")}, true},
		"many other machines":  {[]foundLog{log(1, many, 1)}, []storedLog{was(3, 3*many, "there")}, false},
	} {
		p := makePlan(c.disk, c.store, "here", diskState{
			opens: func(*foundLog) bool { return true }, exists: func(string) bool { return true },
			unresponsive: func(*foundLog) bool { return false }, mayHide: func(string) bool { return false },
		})
		if got := p.loadsMost(); got != c.want {
			t.Errorf("%s: %t, loads %d of %d bytes", name, got, bytesOf(p.load), p.bytes)
		}
	}
}

// TestDecide: the action follows from the store, the plan's work, and a full sync.
func TestDecide(t *testing.T) {
	t.Parallel()
	type actions [3]action // by work
	all := func(a action) actions { return actions{a, a, a} }
	for f, want := range map[fitness]struct{ usual, full actions }{
		fit:      {actions{doNothing, doUpdate, doRebuild}, all(doRebuild)},
		missing:  {all(doCreate), all(doCreate)},
		damaged:  {all(doSalvage), all(doSalvage)},
		foreign:  {all(doRebuild), all(doRebuild)},
		tampered: {all(doHeal), all(doHeal)},
		relisted: {all(doRebuild), all(doRebuild)},
	} {
		for _, w := range []work{noWork, workOnSome, workOnMost} {
			if got := decide(f, w, false); got != want.usual[w] {
				t.Errorf("fitness %d, work %d: action %d, want %d", f, w, got, want.usual[w])
			}
			if got := decide(f, w, true); got != want.full[w] {
				t.Errorf("fitness %d, work %d, full: action %d, want %d", f, w, got, want.full[w])
			}
		}
	}
}
