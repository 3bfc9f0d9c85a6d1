package fleet_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hindsql/engine"
	"hindsql/engine/fleet/push"
	"hindsql/internal/whole"
	"hindsql/tables"
)

// TestPublic: a safe store with the scope of public rows has nothing of a private
// project in any table, nor by raw, also after the store grew. It has the rest, and
// other machines' rows.
func TestPublic(t *testing.T) {
	whole.Test(t, "pushes, pulls and asks again and again, 3 s of processor time")
	t.Parallel()
	f := newFleet(t)
	other, p := f.machine("m2"), f.machine("m1")
	say := func(name string) string {
		return fmt.Sprintf(`{"id":"%s","at":"2026-03-01T10:00:00Z","text":"planted-%[1]s."}`+"\n", name)
	}
	other.Write("there.jsonl", append(talk("s-there", "/open", 1, 2), say("there"))...)
	other.Write("theirs.jsonl", append(talk("s-theirs", "/clients/x", 1, 2), say("theirs"))...)
	other.push()
	private := filepath.Join(p.Dir, "private")
	must(t, os.MkdirAll(private, 0o700))
	p.Write("marked.jsonl", append(talk("s-marked", filepath.Join(private, "below"), 1, 2), say("marked"))...)
	p.Write("sub.jsonl", `{"session":"s-sub","project":"/open","kind":"subagent","parent":"s-marked"}`+"\n", say("sub"))
	p.Write("unnamed.jsonl", `{"session":"s-unnamed"}`+"\n", say("unnamed"))
	p.Write("mixed.jsonl", append(append(talk("s-mixed", "/open", 1, 2), say("mixed")), `{"shared":"prompt","of":"s-marked","text":"planted-typed."}`+"\n")...)
	p.Write("open.jsonl", append(talk("s-open", "/open", 1, 2), say("open"))...)
	p.pull()

	c := p.Config()
	c.Machine, c.Hostname = "m1", "host-of-m1"
	ask := func(leaveOut ...string) (face, string) {
		safe := c
		safe.Safe = &engine.Safe{Scope: &push.Public{State: filepath.Join(p.state, "push"), Home: p.Dir, LeaveOut: leaveOut}}
		s := open(t, safe)
		return s, everything(t, s)
	}
	if _, all := ask(); !strings.Contains(all, "planted-marked.") || !strings.Contains(all, "planted-unnamed.") {
		t.Error("nothing is private, and something is left out")
	}
	must(t, os.WriteFile(filepath.Join(private, push.Marker), nil, 0o600))
	s, all := ask("/clients")
	for _, name := range []string{"marked", "sub", "unnamed", "typed", "theirs", "late"} {
		if strings.Contains(all, "planted-"+name+".") || strings.Contains(all, "s-"+name) || strings.Contains(all, name+".jsonl") {
			t.Errorf("%s is there", name)
		}
	}
	for _, name := range []string{"open", "mixed", "there"} {
		if !strings.Contains(all, "planted-"+name+".") {
			t.Errorf("%s isn't there", name)
		}
	}
	p.Write("late.jsonl", append(talk("s-late", private, 1, 2), say("late"))...)
	_, err := s.Sync(context.Background(), engine.SyncOptions{})
	must(t, err)
	if all := everything(t, s); strings.Contains(all, "planted-late.") || !strings.Contains(all, "planted-open.") {
		t.Error("after a sync private rows are there, or others aren't")
	}
	if got := rows(t, s, "SELECT count(*) FROM (SELECT source_id, raw(source_id, 1) AS line FROM messages) WHERE contains(line, 's-mixed')"); got[0] != "0" {
		t.Error("raw gives lines of a log that also holds private rows")
	}
}

// everything returns all rows of all tables that a statement may name, and all lines of
// their logs.
func everything(t *testing.T, s face) string {
	t.Helper()
	var all []string
	for _, table := range tables.Shown() {
		all = append(all, rows(t, s, "SELECT t::VARCHAR FROM "+table.Name+" AS t")...)
	}
	all = append(all, rows(t, s, "SELECT raw(source_id, n) FROM range(1, 6) AS r(n), (SELECT DISTINCT source_id FROM messages) WHERE raw(source_id, n) IS NOT NULL")...)
	return strings.Join(all, "\n")
}
