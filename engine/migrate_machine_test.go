package engine_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hindsql/engine"
	"hindsql/engine/enginetest"
	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// beforeMachines turns the store into the store of a build that knew machines by name.
func beforeMachines(h *home) {
	h.T.Helper()
	statements := []string{"UPDATE store_info SET schema_hash = 'older'"}
	for _, t := range tables.All() {
		for _, c := range t.Columns {
			if t.View == "" && tables.IsOrigin(c.Name) && (c.Name != "host" || t.Name != "sources" && t.Name != "sessions") {
				statements = append(statements, "ALTER TABLE "+t.Name+" DROP COLUMN "+sqltext.Identifier(c.Name))
			}
		}
	}
	h.Tamper(statements...)
}

// TestStoresOfNamedMachines carries over a store whose machines had no ids. Rows with
// this machine's name are its own, whether their log is gone or not, and no row stands
// twice.
func TestStoresOfNamedMachines(t *testing.T) {
	t.Parallel()
	here, there := newHome(t), newHome(t)
	for name, m := range map[string]*home{"here": here, "there": there} {
		m.Write("a.jsonl", `{"session":"s"}`+"\n", line(1, ""), line(2, long(2)), line(3, `,"call":"c1","refused":"c1"`))
		m.Write("gone/a.jsonl", `{"session":"s"}`+"\n", line(21, ""), line(22, `,"call":"c2","refused":"c2"`))
		c := m.Config()
		c.Hostname = name
		s := open(t, c)
		_, err := s.Sync(context.Background(), engine.SyncOptions{})
		must(t, err)
		must(t, s.Close())
	}
	must(t, os.Rename(here.Path("gone"), filepath.Join(here.Dir, "away")))
	here.Sync()
	before := here.Open()
	enginetest.Import(t, before, there.Store, "there", "desk")
	must(t, before.Close())
	beforeMachines(here)

	c := here.Config()
	c.Machine, c.User = "m1", "ann"
	s := open(t, c)
	for range 2 {
		if _, err := s.Sync(context.Background(), engine.SyncOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	want := func(query string, want ...string) {
		t.Helper()
		if got := rows(t, s, query); strings.Join(got, ";") != strings.Join(want, ";") {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	want(`SELECT machine, user, host, gone_at IS NOT NULL, count(*) FROM sources GROUP BY ALL ORDER BY ALL`,
		"desk|NULL|desk|false|2", "m1|ann|here|false|1", "m1|ann|here|true|1")
	want(`SELECT machine, user, host, count(*), count(DISTINCT source_id) FROM with_copies.messages GROUP BY ALL ORDER BY ALL`,
		"desk|NULL|desk|5|2", "m1|ann|here|5|2")
	want(`SELECT count(*) FROM with_copies.messages ANTI JOIN sources USING (source_id, machine)`, "0")
	// The present log gets the plain id before the deleted log.
	want(`SELECT session_id, machine FROM sessions WHERE NOT contains(session_id, '@')`, "s|m1")
	want(`SELECT count(*) FROM sessions WHERE contains(session_id, '@') AND split_part(session_id, '@', 2) <> format('{:x}', source_id)`, "0")

	must(t, os.Rename(filepath.Join(here.Dir, "away"), here.Path("gone")))
	if _, err := s.Sync(context.Background(), engine.SyncOptions{}); err != nil {
		t.Fatal(err)
	}
	want(`SELECT machine, count(*), count(gone_at) FROM sources GROUP BY ALL ORDER BY ALL`, "desk|2|0", "m1|2|0")
	files, _, err := s.Prune(context.Background(), "desk")
	if must(t, err); files != 2 {
		t.Errorf("%d logs of desk, want 2", files)
	}
}

// TestRenamedHost: a renamed machine keeps its logs and their rows.
func TestRenamedHost(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.Write("a.jsonl", `{"session":"s"}`+"\n", line(1, ""))
	c := h.Config()
	c.Machine = "m1"
	if _, err := open(t, c).Sync(context.Background(), engine.SyncOptions{}); err != nil {
		t.Fatal(err)
	}
	c.Hostname = "renamed"
	report, err := open(t, c).Sync(context.Background(), engine.SyncOptions{})
	if must(t, err); report.Unchanged != 1 || report.Loaded != 0 {
		t.Errorf("%+v", report)
	}
}
