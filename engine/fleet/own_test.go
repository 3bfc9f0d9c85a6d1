package fleet_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hindsql/internal/whole"
	"hindsql/readers/sample"
	"hindsql/tables"
)

// likeSample returns a machine with the sample's home. Some logs are missing, some end
// early, and some lie in two folders.
func likeSample(t *testing.T, f *fleet, name string, turn int) *pusher {
	t.Helper()
	from, err := sample.Write(filepath.Join(t.TempDir(), "home"))
	must(t, err)
	m := f.machine(name)
	m.Reader = nil // use the agents' own readers
	n := 0
	must(t, filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		must(t, err)
		rel, err := filepath.Rel(from, path)
		must(t, err)
		n++
		isLines := filepath.Ext(path) == ".jsonl"
		lines := bytes.SplitAfter(text, []byte("\n"))
		switch {
		case isLines && n%6 == turn:
			return nil
		case isLines && n%4 == turn:
			text = bytes.Join(lines[:(len(lines)+1)/2], nil)
		case isLines && n%5 == turn:
			m.putOld(filepath.Join(filepath.Dir(rel), "moved", filepath.Base(rel)), text)
		}
		m.putOld(rel, text)
		return nil
	}))
	m.sync(false)
	return m
}

// putOld writes a file with a modification time two days ago.
func (m *pusher) putOld(rel string, text []byte) {
	m.T.Helper()
	path := filepath.Join(m.Dir, rel)
	must(m.T, os.MkdirAll(filepath.Dir(path), 0o755))
	must(m.T, os.WriteFile(path, text, 0o644))
	old := time.Now().Add(-48 * time.Hour) // beside a young log, a reader looks for files that may still appear
	must(m.T, os.Chtimes(path, old, old))
}

// own returns all rows of the machine itself.
func (m *pusher) own() map[string][]string {
	m.T.Helper()
	s := m.open()
	defer s.Close()
	var pieces []string
	for _, t := range tables.All() {
		if t.View != "" || t.Name == "message_keys" || !hasColumn(t, "source_id") {
			continue
		}
		where := "source_id IN (SELECT source_id FROM store.hindsql_internal.sources WHERE machine = '" + m.name + "')"
		if hasColumn(t, "other_source_id") {
			where += " AND other_" + where
		}
		columns := "*"
		if t.Name == "sources" {
			columns = "* EXCLUDE (loaded_at)"
		}
		pieces = append(pieces, fmt.Sprintf("SELECT '%[1]s', left(r, 600) || ' ' || md5(r) FROM (SELECT CAST(t AS VARCHAR) AS r FROM (SELECT %[2]s FROM store.hindsql_internal.%[1]s WHERE %[3]s) t)", t.Name, columns, where))
	}
	all := map[string][]string{}
	for _, row := range rows(m.T, s, strings.Join(pieces, " UNION ALL ")+" ORDER BY ALL") {
		name, text, _ := strings.Cut(row, "|")
		all[name] = append(all[name], text)
	}
	return all
}

func hasColumn(t *tables.Table, name string) bool {
	for _, c := range t.Columns {
		if c.Name == name {
			return true
		}
	}
	return false
}

// TestOwnRowsAreOnesOwn: a machine's own rows don't change when other machines' rows
// arrive, in any order, or go. The other machines share sessions, forks, clears and
// histories with this machine.
func TestOwnRowsAreOnesOwn(t *testing.T) {
	whole.Test(t, "loads the sample on three machines, and pulls it in both orders")
	t.Parallel()
	here := likeSample(t, newFleet(t), "here", 1)
	before, own := here.Dump(), here.own()
	var shared map[string][]string
	b, c := likeSample(t, newFleet(t), "b", 2), likeSample(t, newFleet(t), "c", 3)
	b.pushAll()
	c.pushAll()
	for _, order := range [][]*pusher{{b, c}, {c, b}} {
		for i, from := range order {
			here.pullFrom(from)
			if diff := cmp.Diff(own, here.own()); diff != "" {
				t.Fatalf("with the rows of %d machines, %s's last: (-want +got)\n%.6000s", i+1, from.name, diff)
			}
		}
		here.Want("SELECT count(*) FROM (SELECT uuid FROM messages WHERE uuid IS NOT NULL GROUP BY agent, uuid HAVING count(*) > 1)", "0")
		if shared == nil {
			shared = here.Dump()
			here.Want("SELECT count(*) > 5, count(*) FILTER (is_copy) > 5 FROM with_copies.sessions WHERE contains(session_id, '@') AND machine <> 'here'", "true|true")
			here.Want("SELECT count(*) FROM with_copies.sessions WHERE is_copy AND message_count > 0", "0")
		} else {
			here.WantSame(shared)
		}
		here.sync(true)
		here.WantSame(shared)
		for _, name := range []string{"b", "c"} {
			_, _, err := here.open().Prune(context.Background(), name)
			must(t, err)
		}
		here.WantSame(before)
	}
}

// TestLongestHolds: if two other machines have the same session, the longer file counts
// as a whole, and the shorter file is a copy.
func TestLongestHolds(t *testing.T) {
	whole.Test(t, "pulls from two machines in both orders")
	t.Parallel()
	desk, attic, here := newFleet(t).machine("desk"), newFleet(t).machine("attic"), newFleet(t).machine("here")
	session := []string{`{"session":"s"}` + "\n", line(1, ""), line(2, `,"tokens":10`), line(3, `,"call":"c1"`), line(4, `,"tokens":7`), line(5, "")}
	desk.Write("z/a.jsonl", session...)
	attic.Write("a.jsonl", session[:4]...)
	desk.pushAll()
	attic.pushAll()
	want := desk.Rows("SELECT session_id, message_count, tool_call_count, output_tokens FROM sessions")
	for _, order := range [][]*pusher{{desk, attic}, {attic, desk}} {
		for _, from := range order {
			here.pullFrom(from)
		}
		here.Want("SELECT session_id, message_count, tool_call_count, output_tokens FROM sessions", want...)
		here.Want("SELECT machine, count(*) FROM messages GROUP BY ALL", "desk|5")
		here.Want("SELECT count(*), count(*) FILTER (is_copy) FROM with_copies.sessions", "2|1")
		for _, from := range order {
			_, _, err := here.open().Prune(context.Background(), from.name)
			must(t, err)
		}
		here.Want("SELECT count(*) FROM with_copies.sessions", "0")
	}
}

// TestPulledTail: this machine has the beginning of a session, and two other machines
// have longer logs. Their messages become one additional session of the machine with
// the longest log. Each message counts once.
func TestPulledTail(t *testing.T) {
	whole.Test(t, "pulls from three machines")
	t.Parallel()
	f := newFleet(t)
	here := f.machine("m1")
	for name, messages := range map[string]int{"m1": 2, "m2": 6, "m3": 4} {
		p := here
		if name != "m1" {
			p = f.machine(name)
		}
		p.Write("s.jsonl", talk("s", "/work/s", 1, messages)...)
		p.push()
	}
	here.pull()
	here.Want("SELECT machine, message_count FROM sessions ORDER BY ALL", "m1|2", "m2|4")
	here.Want("SELECT count(*), sum(output_tokens), (SELECT count(*) FROM tool_calls) FROM messages", "6|75|6")
}
