package engine_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/engine"
	"hindsql/engine/export"
	"hindsql/engine/result"
	"hindsql/internal/whole"
)

// machine is a home with a name of its own.
type machine struct {
	*home
	name string
}

func newMachine(t testing.TB, name string) *machine { return &machine{newHome(t), name} }

func (m *machine) open() face {
	m.T.Helper()
	c := m.Config()
	c.Hostname = m.name
	return open(m.T, c)
}

func (m *machine) sync(full bool) {
	m.T.Helper()
	_, err := m.open().Sync(context.Background(), engine.SyncOptions{Full: full})
	must(m.T, err)
}

func (m *machine) export(o export.Options) (dir string) {
	m.T.Helper()
	o.Dir = m.T.TempDir()
	mustExport(m.T, m.open(), o)
	return o.Dir
}

func (m *machine) take(dir, host string) export.ImportReport {
	m.T.Helper()
	report, err := export.Import(context.Background(), m.open().Store, export.ImportOptions{Dir: dir, Host: host})
	must(m.T, err)
	return report
}

// TestImportIsTheOtherStore: imported under the name that it has itself, a
// machine's store is the same store.
func TestImportIsTheOtherStore(t *testing.T) {
	t.Parallel()
	from := sampleHome(t)
	other := &home{T: t, Dir: from.Host.Home, Store: from.Store}
	want := other.Dump()
	for name, o := range map[string]export.Options{"whole": {}, "by agent and day": {PartitionBy: byDay}} {
		t.Run(name, func(t *testing.T) {
			o.Dir = t.TempDir()
			mustExport(t, open(t, from), o)
			here := newMachine(t, "there")
			first := here.take(o.Dir, "here")
			here.WantSame(want)
			again := here.take(o.Dir, "here")
			here.WantSame(want)
			if first.Files != len(want["sources"]) || first.Replaced != 0 || again.Replaced != first.Files || again.Rows != first.Rows {
				t.Errorf("reports %+v and %+v of %d sources", first, again, len(want["sources"]))
			}
			must(t, os.Remove(filepath.Join(o.Dir, ".hindsql-export.json"))) // as a copy without hidden files
			here.take(o.Dir, "here")
			here.WantSame(want)
			here.sync(true)
			here.WantSame(want)
		})
	}
}

// twoMachines have a session in common, and one each of their own.
func twoMachines(t testing.TB) (here, there *machine) {
	here, there = newMachine(t, "here"), newMachine(t, "there")
	shared := []string{`{"session":"s1"}` + "\n", line(1, ""), line(2, `,"tokens":10`), line(3, `,"call":"c1"`)}
	here.Write("shared.jsonl", shared...)
	here.Write("h.jsonl", `{"session":"h1"}`+"\n", line(11, ""))
	there.Write("moved/shared.jsonl", append(shared, line(4, ""))...)
	there.Write("t.jsonl", `{"session":"t1"}`+"\n", line(21, ""), `{"fail":"damaged"}`+"\n")
	here.sync(false)
	there.sync(false)
	return here, there
}

// TestImportFindsCopies: a session that lies on two machines counts once; when
// the other machine's rows go, all is as before.
func TestImportFindsCopies(t *testing.T) {
	t.Parallel()
	here, there := twoMachines(t)
	before := here.Dump()
	report := here.take(there.export(export.Options{}), "desk")
	if report.Files != 2 || report.LeftOut != 0 {
		t.Errorf("report %+v", report)
	}
	here.Want("SELECT host, count(*), sum(message_count), sum(tool_call_count), sum(output_tokens) FROM sessions GROUP BY host ORDER BY host",
		"desk|2|2|0|0", "here|2|4|1|10")
	here.Want("SELECT text, count(*), count(*) FILTER (NOT is_copy) FROM with_copies.messages GROUP BY text ORDER BY text",
		"text 1|2|1", "text 11|1|1", "text 2|2|1", "text 21|1|1", "text 3|2|1", "text 4|1|1")
	here.Want("SELECT sources.host, sources.path LIKE '%t.jsonl' FROM sources JOIN problems USING (source_id)", "desk|true")
	here.Want("SELECT count(*), count(DISTINCT session_id), count(native_id) FROM sessions", "4|4|1")
	here.Want("SELECT lines FROM record_kinds", "14")

	there.Append("t.jsonl", line(22, ""))
	there.Remove("moved/shared.jsonl")
	there.sync(false)
	there.sync(false)
	again := here.take(there.export(export.Options{PartitionBy: byDay}), "desk")
	if again.Replaced != 2 {
		t.Errorf("report %+v", again)
	}
	here.Want("SELECT count(*) FILTER (gone_at IS NOT NULL), count(*) FROM sources WHERE host = 'desk'", "1|2")

	// No sync, no prune, no rebuild of this machine touches them.
	imported := here.Dump()
	here.sync(false)
	here.WantSame(imported)
	files, _, err := here.open().Prune(context.Background(), "")
	must(t, err)
	if files != 0 {
		t.Errorf("pruned %d files of another machine", files)
	}
	here.sync(true)
	here.WantSame(imported)
	here.Tamper("UPDATE store_info SET schema_hash = 'older'")
	here.sync(false)
	here.WantSame(imported)

	files, _, err = here.open().Prune(context.Background(), "desk")
	must(t, err)
	if files != 2 {
		t.Errorf("dropped %d files, want 2", files)
	}
	here.WantSame(before)
}

// TestImportLeavesOutOthers: rows that the other machine had imported, this
// one's perhaps, aren't its own.
func TestImportLeavesOutOthers(t *testing.T) {
	t.Parallel()
	here, there := twoMachines(t)
	there.take(here.export(export.Options{}), "laptop")
	report := here.take(there.export(export.Options{}), "desk")
	if report.Files != 2 || report.LeftOut != 2 {
		t.Errorf("report %+v", report)
	}
	here.Want("SELECT host, count(*) FROM sources GROUP BY host ORDER BY host", "desk|2", "here|2")
}

func TestImportRefuses(t *testing.T) {
	t.Parallel()
	here, there := twoMachines(t)
	before := here.Dump()
	whole := there.export(export.Options{})
	older := there.export(export.Options{})
	must(t, tryExec(here.open(), fmt.Sprintf("COPY (FROM '%[1]s/prompts.parquet') TO '%[1]s/p.parquet' (KV_METADATA {'hindsql.schema': 'older'})", older)))
	must(t, os.Rename(filepath.Join(older, "p.parquet"), filepath.Join(older, "prompts.parquet")))
	foreign := there.export(export.Options{})
	must(t, tryExec(here.open(), fmt.Sprintf("COPY (SELECT 1 AS x) TO '%s/prompts.parquet'", foreign)))
	broken := there.export(export.Options{})
	must(t, os.Remove(filepath.Join(broken, "messages.parquet")))
	for _, test := range []struct{ dir, host, want string }{
		{whole, "here", "is this machine's own name"},
		{whole, "HERE", "is this machine's own name"},
		{whole, " ", "empty"},
		{older, "desk", "run the same version of hindsql on both machines"},
		{foreign, "desk", "1 of its files don't say which tables they are"},
		{broken, "desk", "messages.parquet: missing"},
		{there.export(export.Options{Tables: []string{"sessions"}}), "desk", "only a whole export can be imported"},
		{there.export(export.Options{Format: export.CSV}), "desk", "only an export in Parquet can be imported"},
		{t.TempDir(), "desk", "only a whole export can be imported"},
		{filepath.Join(t.TempDir(), "nowhere"), "desk", "only a whole export can be imported"},
	} {
		_, err := export.Import(context.Background(), here.open().Store, export.ImportOptions{Dir: test.dir, Host: test.host})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want one with %q", err, test.want)
		}
	}
	here.WantSame(before)
}

func tryExec(s face, statement string) error {
	return s.Query(context.Background(), statement, nil, func(r *result.Rows) error { return r.Err() })
}

// TestImportKilled: the store has all of an import's rows or none.
func TestImportKilled(t *testing.T) {
	t.Parallel()
	kills := whole.Or(8, 3)
	tree := makeTree(t, 4)
	from := filepath.Join(t.TempDir(), "from.duckdb")
	desk := realConfig(tree, from)
	desk.Machine = "desk"
	_, err := open(t, desk).Sync(context.Background(), engine.SyncOptions{})
	must(t, err)
	dir := t.TempDir()
	mustExport(t, open(t, desk), export.Options{Dir: dir})
	h := &home{T: t, Dir: t.TempDir(), Store: filepath.Join(t.TempDir(), "h.duckdb")}
	k := newKiller(t, child{Mode: "import", Home: h.Dir, Store: h.Store, Logs: []string{dir}}, kills)
	must(t, os.Remove(h.Store)) // the first ones interrupt a first import
	counts := map[string]int{}
	for i := range kills {
		k.Kill(i)
		if err := askAll(context.Background(), h.Open()); err != nil {
			t.Fatalf("kill %d: %v", i, err)
		}
		counts[h.Rows("SELECT count(*) || ' sources, ' || (SELECT count(*) FROM messages) || ' messages' FROM sources WHERE host LIKE 'desk%'")[0]]++
	}
	t.Logf("of %d kills, left behind: %v", kills, counts)
	_, err = export.Import(context.Background(), h.Open().Store, export.ImportOptions{Dir: dir, Host: "desk"})
	must(t, err)
	want := rows(t, open(t, desk), "SELECT count(*), (SELECT count(*) FROM with_copies.messages), (SELECT count(*) FROM messages) FROM sources")
	if diff := cmp.Diff(want, h.Rows("SELECT count(*), (SELECT count(*) FROM with_copies.messages), (SELECT count(*) FROM messages) FROM sources")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if len(counts) > 2 {
		t.Errorf("an import was left half done: %v", counts)
	}
}
