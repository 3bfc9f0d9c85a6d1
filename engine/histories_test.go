package engine_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"hindsql/engine"
	"hindsql/engine/enginetest"
	"hindsql/internal/whole"
)

// TestAnyHistoryLikeClean: logs grow, are written anew, vanish and come back, some at a
// time, with every kind of tie between logs. Linking all logs again then changes
// nothing, and the store equals a clean load of the same logs. A link step can mark a
// plan as granted or set a prompt's project, but can't undo either. Therefore only
// homes with growing logs have lines with these effects.
func TestAnyHistoryLikeClean(t *testing.T) {
	whole.Test(t, "syncs dozens of times")
	t.Parallel()
	for seed := range histories {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			w := &world{home: newHome(t), rand: rand.New(rand.NewPCG(uint64(seed), 11)), logs: map[string][]string{}, gone: map[string][]string{}, grows: seed%3 == 2}
			w.safe = open(t, safely(w.Config(), engine.Safe{}))
			for range 6 {
				w.step()
				if t.Failed() {
					t.FailNow()
				}
			}
		})
	}
}

// histories is the number of histories to try; $HINDSQL_HISTORIES overrides it.
var histories = func() int {
	if n, err := strconv.Atoi(os.Getenv("HINDSQL_HISTORIES")); err == nil {
		return n
	}
	return 3
}()

// world is a home whose logs change at random.
type world struct {
	*home
	safe  face // a safe Store's session with the same rows, kept up to date
	rand  *rand.Rand
	grows bool                // the logs only grow
	logs  map[string][]string // by name, the present logs
	gone  map[string][]string // by name, the removed logs
}

// step syncs a few times, after a few changes each, and checks the store.
func (w *world) step() {
	w.T.Helper()
	for range 1 + w.rand.IntN(3) {
		for range 1 + w.rand.IntN(3) {
			w.change()
		}
		w.Sync()
	}
	enginetest.WantShown(w.T, w.safe, enginetest.Shown(w.T, w.Open()))
	w.wantLinked()
	w.Want(`SELECT count(*) FROM (SELECT unnest([uuid, message_id]) AS id, * FROM with_copies.messages) m
		ANTI JOIN store.hindsql_internal.message_keys ON id_hash = (hash(agent, id) >> 33)::INTEGER AND source_tag = source_id & 1048575 WHERE id IS NOT NULL`, "0")
	if w.rand.IntN(2) == 0 {
		_, _, err := w.Open().Prune(context.Background(), "")
		must(w.T, err)
		w.LikeClean()
	}
}

// change changes one log. Most changes make a log grow.
func (w *world) change() {
	w.T.Helper()
	names := slices.Sorted(maps.Keys(w.logs))
	pick := func(list []string) string { return list[w.rand.IntN(len(list))] }
	gone := slices.Sorted(maps.Keys(w.gone))
	switch n := w.rand.IntN(10); {
	case len(names) == 0:
		w.begin(w.name(), nil)
	case n < 2:
		w.begin(w.name(), w.logs[pick(names)])
	case n < 6 || w.grows:
		w.grow(pick(names))
	case n < 8:
		name := pick(names)
		w.gone[name] = w.logs[name]
		delete(w.logs, name)
		w.Remove(name)
	case len(gone) > 0:
		name := pick(gone)
		w.logs[name] = w.gone[name]
		delete(w.gone, name)
		w.grow(name)
	default:
		w.begin(pick(names), nil)
	}
}

func (w *world) name() string {
	name := fmt.Sprintf("s%d.jsonl", w.rand.IntN(8))
	if w.rand.IntN(4) == 0 {
		name = "moved/" + name // the same session in another folder
	}
	return name
}

// begin writes a log that copies the beginning of another log. In a home whose logs
// only grow, a present log is not replaced.
func (w *world) begin(name string, other []string) {
	w.T.Helper()
	if !w.grows || w.logs[name] == nil {
		w.logs[name] = []string{w.head(name)}
		if len(other) > 1 {
			w.logs[name] = append(w.logs[name], other[1:1+w.rand.IntN(len(other))]...)
		}
	}
	delete(w.gone, name)
	w.grow(name)
}

func (w *world) grow(name string) {
	w.T.Helper()
	for range 1 + w.rand.IntN(5) {
		w.logs[name] = append(w.logs[name], w.line())
	}
	w.Write(name, w.logs[name]...)
}

func (w *world) session() string { return fmt.Sprintf("s%d", w.rand.IntN(8)) }

func (w *world) project() string { return fmt.Sprintf("/p%d", w.rand.IntN(3)) }

// head is the first line of a log, with its session. A subagent's parent has a lower
// number.
func (w *world) head(name string) string {
	id := filepath.Base(name[:len(name)-len(".jsonl")])
	more := fmt.Sprintf(`,"project":%q`, w.project())
	var number int
	fmt.Sscanf(id, "s%d", &number)
	switch w.rand.IntN(8) {
	case 0:
		more += `,"kind":"compaction_helper"`
	case 1, 2:
		more += `,"kind":"subagent"`
		if number > 0 && w.rand.IntN(2) == 0 {
			more += fmt.Sprintf(`,"parent":"s%d"`, w.rand.IntN(number))
		}
	case 3:
		more += fmt.Sprintf(`,"forked":%q`, w.session())
	}
	return fmt.Sprintf(`{"session":%q%s}`+"\n", id, more)
}

// line returns one of few possible lines, to give logs common lines.
func (w *world) line() string {
	n := w.rand.IntN(40)
	at := fmt.Sprintf("2026-01-01T00:00:%02dZ", n)
	call := func(more string) string { return line(n, fmt.Sprintf(`,"call":"t%d"%s`, n, more)) }
	switch w.rand.IntN(16) {
	case 0:
		return call("")
	case 1:
		return call(fmt.Sprintf(`,"refused":"t%d"`, n))
	case 2:
		return call(fmt.Sprintf(`,"started":%q`, w.session()))
	case 3:
		if !w.grows {
			return call(`,"plan":true`)
		}
		return call(fmt.Sprintf(`,"plan":true,"refused":"t%d","reason":""`, n))
	case 4, 5:
		return line(n, fmt.Sprintf(`,"message_id":"msg_%020d","tokens":%d,"started":%v`, n%7, 1+n, n%2 == 0))
	case 6:
		return fmt.Sprintf(`{"cleared":%q,"next":%q,"id":"u%d","at":%q}`+"\n", w.session(), w.session(), n, at)
	case 7:
		return fmt.Sprintf(`{"made":%q,"at":%q}`+"\n", w.session(), at)
	case 8:
		return fmt.Sprintf(`{"planned":%q,"project":%q,"id":"u%d","at":%q}`+"\n", w.session(), w.project(), n, at)
	case 9, 10, 11, 12:
		kind := []string{"clear", "began", "title", "prompt"}[w.rand.IntN(4)]
		if kind == "prompt" && !w.grows {
			break
		}
		return fmt.Sprintf(`{"shared":%q,"of":%q,"project":%q,"at":%q,"text":"text %d"}`+"\n", kind, w.session(), w.project(), at, n)
	}
	return line(n, "")
}

// wantLinked links every log of a copy of the store, and checks that no row changes.
func (w *world) wantLinked() {
	w.T.Helper()
	linked := *w.home
	linked.Store = filepath.Join(w.T.TempDir(), "linked.duckdb")
	copyFile(w.T, linked.Store, w.Store)
	linked.Tamper("INSERT INTO pending_links SELECT source_id FROM sources")
	linked.Sync()
	w.WantSame(linked.Dump())
}

func copyFile(t testing.TB, to, from string) {
	t.Helper()
	in, err := os.Open(from)
	must(t, err)
	defer in.Close()
	out, err := os.Create(to)
	must(t, err)
	_, err = io.Copy(out, in)
	must(t, err)
	must(t, out.Close())
}
