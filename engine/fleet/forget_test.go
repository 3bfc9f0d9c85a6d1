package fleet_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"hindsql/engine/fleet/landing"
	"hindsql/engine/forget"
	"hindsql/engine/prune"
	"hindsql/internal/sqltext"
	"hindsql/internal/whole"
)

func (p *pusher) forgetSession(id string) {
	p.T.Helper()
	s := p.open()
	defer s.Close()
	must(p.T, prune.Forget(context.Background(), s.Store, []forget.Name{{Agent: "toy", SessionID: id}}))
	p.sync(false)
}

// named returns the literals of the table's files that the machine's manifest names.
func (p *pusher) named(table string) (list []string) {
	for _, f := range p.fleet.wantWhole(p.name).Files {
		if strings.Contains(f.Path, table+"/") {
			list = append(list, sqltext.Literal(filepath.Join(p.fleet.dir, filepath.FromSlash(landing.Root), p.name, f.Path)))
		}
	}
	return list
}

// TestForgottenSessionsLeaveAPush: the push after a forgetting writes the days and the
// manifest without the session, and a pull drops its rows.
func TestForgottenSessionsLeaveAPush(t *testing.T) {
	whole.Test(t, "loads several stores, 3 s of processor time")
	t.Parallel()
	here, there := twoMachines(t)
	there.Write("secret.jsonl", `{"session":"secret"}`+"\n", line(31, ""), line(32, ""))
	there.Write("copy.jsonl", `{"session":"copy"}`+"\n", line(32, ""), line(33, ""))
	there.sync(false)
	there.pushAll()
	here.pull()
	here.Want("SELECT text FROM messages WHERE text LIKE 'text 3_' ORDER BY ALL", "text 31", "text 32", "text 33")
	there.forgetSession("secret")
	there.pushAll()
	if named := len(there.fleet.wantWhole("there").Logs); named != 3 {
		t.Errorf("the manifest names %d logs, want 3", named)
	}
	there.Want("SELECT count(*) FROM read_parquet(["+strings.Join(there.named("messages"), ", ")+"]) WHERE text IN ('text 31', 'text 32')", "0")
	here.pull()
	here.Want("SELECT text FROM with_copies.messages WHERE text LIKE 'text 3_' ORDER BY ALL", "text 33")
	here.Want("SELECT count(*) FROM sources WHERE path LIKE '%secret%'", "0")
}

// TestForgottenSessionsStayOutOfAPull: rows that another machine pushes pass this
// machine's list.
func TestForgottenSessionsStayOutOfAPull(t *testing.T) {
	whole.Test(t, "loads several stores, 3 s of processor time")
	t.Parallel()
	here, there := twoMachines(t)
	there.Write("fork.jsonl", `{"session":"fork"}`+"\n", line(1, ""), line(2, `,"tokens":10`), line(3, `,"call":"c1"`), line(4, ""), line(41, ""))
	there.Write("sub.jsonl", `{"session":"sub","kind":"subagent","parent":"s1"}`+"\n", line(51, ""))
	there.Write("history.jsonl", `{"shared":"prompt","of":"s1","text":"typed"}`+"\n", `{"shared":"title","of":"s1","text":"titled"}`+"\n", `{"shared":"prompt","of":"fork","text":"typed, too"}`+"\n")
	there.sync(false)
	there.pushAll()
	here.forgetSession("s1") // before the first pull
	want := func() {
		t.Helper()
		here.Want("SELECT text FROM with_copies.messages ORDER BY ALL", "text 11", "text 21", "text 41")
		here.Want("SELECT text FROM prompts", "typed, too")
		here.Want("SELECT DISTINCT session_id FROM with_copies.sessions ORDER BY ALL", "fork", "h1", "history", "t1")
		here.Want("SELECT count(*) FROM sources WHERE path LIKE '%shared.jsonl' OR path LIKE '%sub.jsonl'", "0")
	}
	here.pull()
	want()
	here.sync(true)
	want()
	here.Tamper("UPDATE store_info SET schema_hash = 'older'")
	here.sync(false)
	want()
	there.Append("moved/shared.jsonl", line(5, ""))
	there.sync(false)
	there.pushAll()
	here.pull()
	want()

	s := here.open()
	_, err := prune.Remember(context.Background(), s.Store, "s1")
	must(t, err)
	must(t, s.Close())
	here.pull()
	here.Want("SELECT DISTINCT text FROM with_copies.messages WHERE text NOT LIKE 'text _' ORDER BY ALL", "text 11", "text 21", "text 41", "text 51")
	here.Want("SELECT count(DISTINCT text) FROM with_copies.messages WHERE text LIKE 'text _'", "5")
	here.forgetSession("s1") // after the pull
	want()
}
