package fleet_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/engine"
	"hindsql/engine/enginetest"
	"hindsql/engine/fleet/push"
	"hindsql/internal/whole"
)

// TestPullAfterImport: an older version imported a machine's rows. A pull replaces the
// logs pushed by the machine, and keeps its other logs, each log once. A prune removes
// all of the machine's rows; the next pull brings the pushed rows back.
func TestPullAfterImport(t *testing.T) {
	whole.Test(t, "pushes, pulls and prunes two dozen times")
	t.Parallel()
	f, all := newFleet(t), newHome(t)
	desk, here := f.machine("m1"), f.machine("m2")
	shared := talk("both", "/work/both", 9, 5)
	for name, lines := range map[string][]string{
		"a.jsonl":       append(talk("s-a", "/work/a", 1, 3), `{"id":"no","text":"no","refused":"c-s-a-0"}`+"\n", `{"beside":"logs/note.txt"}`+"\n"),
		"fork.jsonl":    append([]string{`{"session":"s-fork","project":"/work/a","forked":"s-a"}` + "\n"}, talk("s-a", "/work/a", 1, 2)[1:]...),
		"private.jsonl": talk("s-private", "/clients/x", 2, 4),
		"shared.jsonl":  shared,
	} {
		desk.Write(name, lines...)
		all.Write(name, lines...)
	}
	here.Write("elsewhere/shared.jsonl", shared...)
	here.Write("own.jsonl", talk("s-own", "/work/own", 3, 2)...)
	all.Write("own.jsonl", talk("s-own", "/work/own", 3, 2)...)
	desk.synced()
	before := here.synced()
	s := here.open()
	enginetest.Import(t, s, desk.Store, "m1", "desk")
	must(t, s.Close())
	here.Want("SELECT machine, host, count(*), (SELECT count(*) FROM store.hindsql_internal.pulled) FROM sources GROUP BY ALL ORDER BY ALL", "m1|desk|4|0", "m2|host-of-m2|2|0")
	all.Sync()
	here.wantTotals(all)

	more := `{"id":"more","at":"2026-03-01T11:00:00Z","text":"one more","tokens":7}` + "\n"
	desk.Append("a.jsonl", more)
	all.Append("a.jsonl", more)
	all.Sync()
	leaveOut := func(o *push.Options) { o.LeaveOut = []string{"/clients"} }
	_, err := desk.tryPush(leaveOut)
	must(t, err)
	for round, logs := range []int{3, 0} {
		if m := here.pull().Machines[0]; m.Err != nil || m.Logs != logs || m.Dropped != 0 || m.Kept != 1 {
			t.Errorf("pull %d: %+v", round, m)
		}
		here.Want("SELECT machine, host, count(*) FROM sources GROUP BY ALL ORDER BY ALL", "m1|desk|1", "m1|host-of-m1|3", "m2|host-of-m2|2")
		here.Want("SELECT count(*) - count(DISTINCT source_id), count(*) - count(DISTINCT (machine, agent, path, part)) FROM sources", "0|0")
		here.Want("SELECT count(*) - count(DISTINCT session_id) FROM sessions", "0")
		here.wantTotals(all)
	}

	desk.Remove("fork.jsonl") // the machine keeps the rows of the removed log, and still pushes them
	all.Sync()
	_, err = desk.tryPush(leaveOut)
	must(t, err)
	if m := here.pull().Machines[0]; m.Err != nil || m.Logs != 1 || m.Kept != 1 {
		t.Errorf("%+v", m)
	}
	here.wantTotals(all)

	all.Remove("private.jsonl")
	all.Sync()
	_, _, err = all.Open().Prune(context.Background(), "")
	must(t, err)
	for _, name := range []string{"desk", "host-of-m1"} {
		other := here.copied()
		s := other.open()
		logs, _, err := s.Prune(context.Background(), name)
		must(t, err)
		must(t, s.Close())
		if logs != 4 {
			t.Errorf("prune of %s drops %d logs, want 4", name, logs)
		}
		other.WantSame(before)
		if m := other.pull().Machines[0]; m.Err != nil || m.Logs != 3 || m.Kept != 0 {
			t.Errorf("after a prune of %s: %+v", name, m)
		}
		other.wantTotals(all)
	}

	must(t, desk.forget())
	if m := here.pull().Machines[0]; !m.Refused || m.Dropped != 3 || m.Kept != 1 {
		t.Errorf("forgotten: %+v", m)
	}
	here.Want("SELECT machine, host, count(*) FROM sources GROUP BY ALL ORDER BY ALL", "m1|desk|1", "m2|host-of-m2|2")
}

// synced syncs, and returns all rows.
func (p *pusher) synced() map[string][]string {
	p.T.Helper()
	s := p.open()
	defer s.Close()
	_, err := s.Sync(context.Background(), engine.SyncOptions{})
	must(p.T, err)
	return enginetest.Dump(p.T, s)
}

// copied returns the same machine with a copy of its store.
func (p *pusher) copied() *pusher {
	p.T.Helper()
	other, h := *p, *p.home
	h.Store = filepath.Join(p.T.TempDir(), "copy.duckdb")
	text, err := os.ReadFile(p.Store)
	must(p.T, err)
	must(p.T, os.WriteFile(h.Store, text, 0o600))
	other.home = &h
	return &other
}

// wantTotals checks that each session, message and call of a home's logs counts once.
func (p *pusher) wantTotals(all *home) {
	p.T.Helper()
	if diff := cmp.Diff(all.Rows(totals), p.rows(totals)); diff != "" {
		p.T.Errorf("(-want +got)\n%s", diff)
	}
}
