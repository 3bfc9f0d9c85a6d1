package fleet_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/engine/fleet/landing"
	"hindsql/engine/fleet/pull"
	"hindsql/engine/fleet/push"
	"hindsql/internal/whole"
	"hindsql/tables"
)

// TestPullIsTheOtherStore: a machine without logs pulls from another machine. Its store
// then equals the other machine's, except for the records of pulls and of files beside
// logs.
func TestPullIsTheOtherStore(t *testing.T) {
	whole.Test(t, "loads stores again and again, 4.9 s of processor time")
	t.Parallel()
	f, from := newFleet(t), sampleHome(t)
	s := open(t, from)
	target, err := f.target()
	must(t, err)
	_, err = push.Run(context.Background(), s.Session, push.Options{Target: target, State: t.TempDir(), Texts: landing.Plain, Users: push.UserPlain})
	must(t, err)
	must(t, s.Close())
	all := (&home{T: t, Dir: from.Host.Home, Store: from.Store}).Dump()
	logs := len(all["sources"])
	here := f.machine("there")
	wantSame := func(what string) {
		t.Helper()
		got := here.Dump()
		for _, stays := range []string{tables.Pulled().Name, "neighbours"} {
			delete(got, stays)
			delete(all, stays)
		}
		if diff := cmp.Diff(all, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%.6000s", what, diff)
		}
	}
	for i, want := range []int{logs, 0} {
		if m := here.pull().Machines[0]; m.Err != nil || m.Logs != want || m.Dropped != 0 {
			t.Errorf("%+v of %d logs", m, logs)
		}
		wantSame(fmt.Sprint("pull ", i))
	}
	here.sync(true)
	wantSame("a full sync")
}

// twoMachines returns two machines with a common session and a session of their own
// each.
func twoMachines(t testing.TB) (here, there *pusher) {
	f := newFleet(t)
	here, there = f.machine("here"), f.machine("there")
	shared := []string{`{"session":"s1"}` + "\n", line(1, ""), line(2, `,"tokens":10`), line(3, `,"call":"c1"`)}
	here.Write("shared.jsonl", shared...)
	here.Write("h.jsonl", `{"session":"h1"}`+"\n", line(11, ""))
	there.Write("moved/shared.jsonl", append(shared, line(4, ""))...)
	there.Write("t.jsonl", `{"session":"t1"}`+"\n", line(21, ""), `{"fail":"damaged"}`+"\n")
	here.sync(false)
	there.pushAll()
	return here, there
}

// TestPullFindsCopies: a session found on two machines counts once. After the other
// machine's rows are pruned, the store is as before.
func TestPullFindsCopies(t *testing.T) {
	whole.Test(t, "loads several stores, 3.7 s of processor time")
	t.Parallel()
	here, there := twoMachines(t)
	before := here.Dump()
	if m := here.pull().Machines[0]; m.Logs != 2 {
		t.Errorf("%+v", m)
	}
	here.Want("SELECT machine, count(*), sum(message_count), sum(tool_call_count), sum(output_tokens) FROM sessions GROUP BY machine ORDER BY machine",
		"here|2|4|1|10", "there|2|2|0|0")
	here.Want("SELECT text, count(*), count(*) FILTER (NOT is_copy) FROM with_copies.messages GROUP BY text ORDER BY text",
		"text 1|2|1", "text 11|1|1", "text 2|2|1", "text 21|1|1", "text 3|2|1", "text 4|1|1")
	here.Want("SELECT sources.machine, sources.path LIKE '%t.jsonl' FROM sources JOIN problems USING (source_id)", "there|true")
	here.Want("SELECT count(*), count(DISTINCT session_id), count(native_id) FROM sessions", "4|4|1")
	here.Want("SELECT lines FROM record_kinds", "14")

	there.Append("t.jsonl", line(22, ""))
	there.Remove("moved/shared.jsonl")
	there.sync(false)
	there.pushAll()
	if m := here.pull().Machines[0]; m.Logs != 2 || m.Dropped != 0 {
		t.Errorf("%+v", m)
	}
	here.Want("SELECT count(*) FILTER (gone_at IS NOT NULL), count(*) FROM sources WHERE machine = 'there'", "1|2")

	// Syncs, prunes and rebuilds on this machine keep the other machine's rows.
	pulled := here.Dump()
	here.sync(false)
	here.WantSame(pulled)
	s := here.open()
	files, _, err := s.Prune(context.Background(), "")
	must(t, err)
	must(t, s.Close())
	if files != 0 {
		t.Errorf("pruned %d files of another machine", files)
	}
	here.sync(true)
	here.WantSame(pulled)
	here.Tamper("UPDATE store_info SET schema_hash = 'older'")
	here.sync(false)
	here.WantSame(pulled)

	s = here.open()
	files, _, err = s.Prune(context.Background(), "host-of-there")
	must(t, err)
	must(t, s.Close())
	if files != 2 {
		t.Errorf("dropped %d files, want 2", files)
	}
	here.WantSame(before)
}

// TestPullLeavesOutOthers: a machine doesn't push rows pulled from other machines, for
// example from this machine.
func TestPullLeavesOutOthers(t *testing.T) {
	whole.Test(t, "loads several stores, 1.7 s of processor time")
	t.Parallel()
	here, there := twoMachines(t)
	here.pushAll()
	there.pull()
	there.pushAll()
	if report := here.pull(); len(report.Machines) != 1 || report.Machines[0].Logs != 2 {
		t.Errorf("%+v", report)
	}
	here.Want("SELECT machine, count(*) FROM sources GROUP BY machine ORDER BY machine", "here|2", "there|2")
}

// pullAgain drops another machine's rows, and pulls the machine again.
func pullAgain(c child, _ *answer) error {
	return c.Session(func(ctx context.Context, s face) error {
		target, err := landing.Open(c.Logs[0], landing.Options{})
		if err != nil {
			return err
		}
		if _, _, err := s.Prune(ctx, "desk"); err != nil {
			return err
		}
		_, err = pull.Run(ctx, s.Session, pull.Options{Target: target})
		return err
	})
}

// TestPullKilled: the store has either all rows of a pull or no rows.
func TestPullKilled(t *testing.T) {
	whole.Test(t, "starts processes, 7.1 s of processor time")
	t.Parallel()
	kills := whole.Or(8, 3)
	f, tree := newFleet(t), makeTree(t, 1)
	desk := realConfig(tree, filepath.Join(t.TempDir(), "from.duckdb"))
	desk.Machine = "desk"
	must(t, pushTree(context.Background(), open(t, desk), desk.Store, f.dir))
	h := &home{T: t, Dir: t.TempDir(), Store: filepath.Join(t.TempDir(), "h.duckdb")}
	again := child{Mode: "pull", Home: h.Dir, Store: h.Store, Logs: []string{f.dir}}
	k := newKiller(t, again, kills)
	must(t, os.Remove(h.Store)) // the first kills interrupt a first pull
	const all = "SELECT count(*), (SELECT count(*) FROM with_copies.messages), (SELECT count(*) FROM messages) FROM sources"
	counts := map[string]int{}
	for i := range kills {
		k.Kill(i)
		counts[strings.Join(h.Rows(all), "")]++
	}
	t.Logf("of %d kills, left behind: %v", kills, counts)
	must(t, pullAgain(again, nil))
	if diff := cmp.Diff(rows(t, open(t, desk), all), h.Rows(all)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if len(counts) > 2 {
		t.Errorf("a pull was left half done: %v", counts)
	}
}

// TestLargeTextsArePulled: DuckDB holds the texts of three logs in memory together,
// which exceed the limit of a load.
func TestLargeTextsArePulled(t *testing.T) {
	whole.Test(t, "240 MB, several times")
	const size, texts = 4 << 20, 20
	f := newFleet(t)
	from, here := f.machine("m1"), f.machine("m2")
	for _, name := range []string{"first", "second", "third"} {
		lines := make([]string, texts)
		for i := range lines {
			lines[i] = fmt.Sprintf(`{"id":"%s-%d","text":"%s"}`+"\n", name, i, strings.Repeat(fmt.Sprintf("%.5s-%02d", name, i), size/8))
		}
		from.Write(name+".jsonl", lines...)
	}
	from.pushAll()
	report, err := here.pullWithin(pull.Unbounded)
	must(t, err)
	if m := report.Machines[0]; m.Err != nil || m.Logs != 3 {
		t.Errorf("%+v", m)
	}
	here.Want("SELECT count(*), count(DISTINCT text), sum(strlen(text)) FROM messages", fmt.Sprintf("%d|%[1]d|%d", 3*texts, 3*texts*size))
}
