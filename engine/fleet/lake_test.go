package fleet_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	diff "github.com/google/go-cmp/cmp"

	"hindsql/engine"
	"hindsql/engine/enginetest"
	"hindsql/engine/fleet/lake"
	"hindsql/engine/fleet/landing"
	"hindsql/engine/fleet/pull"
	"hindsql/engine/fleet/push"
	"hindsql/internal/sqltext"
	"hindsql/internal/whole"
	"hindsql/readers/sample"
	"hindsql/tables"
)

// landed pushes a store's rows into a folder, with plain texts.
func landed(t testing.TB, dir string, s face) {
	t.Helper()
	target, err := landing.Open(dir, landing.Options{})
	must(t, err)
	_, err = push.Run(t.Context(), s.Session, push.Options{Target: target, State: t.TempDir(), Texts: landing.Plain, Users: push.UserNone})
	must(t, err)
}

// older rewrites a machine's files as a version without the column would push them.
func older(t testing.TB, dir, machine, table, column string) {
	t.Helper()
	prefix, err := landing.Prefix(machine)
	must(t, err)
	at := func(name string) string {
		return filepath.Join(dir, filepath.FromSlash(prefix), filepath.FromSlash(name))
	}
	text, err := os.ReadFile(at(landing.ManifestName))
	must(t, err)
	m, err := landing.Parse(text)
	must(t, err)
	s := newHome(t).Open()
	for i := range m.Files {
		f := &m.Files[i]
		if f.Table != table || f.Beside {
			continue
		}
		f.Schema = "older"
		rows(t, s, fmt.Sprintf("COPY (SELECT * EXCLUDE (%s) FROM %s) TO %s (FORMAT parquet)", column, sqltext.Literal(at(f.Path)), sqltext.Literal(at("x"))))
		must(t, os.Rename(at("x"), at(f.Path)))
		text, err := os.ReadFile(at(f.Path))
		must(t, err)
		sum := sha256.Sum256(text)
		f.Bytes, f.Sum = int64(len(text)), hex.EncodeToString(sum[:])
	}
	for i := range m.Tables {
		if about := &m.Tables[i]; about.Name == table && !about.Beside {
			about.Columns = slices.DeleteFunc(about.Columns, func(c landing.Column) bool { return c.Name == column })
		}
	}
	text, err = m.Encode()
	must(t, err)
	must(t, os.WriteFile(at(landing.ManifestName), text, 0o600))
}

// countedLake returns SQL with the same result for a lake as for one store: eleven
// counts and four sums.
func countedLake() []string {
	var list []string
	for _, t := range tables.Pushed() {
		list = append(list, "SELECT '"+t.Name+" ' || count(*) FROM "+t.Name)
	}
	return append(list, "SELECT 'read ' || sum(coalesce(input_tokens, 0) + coalesce(cache_read_tokens, 0)) FROM messages",
		"SELECT 'written ' || sum(output_tokens) FROM messages",
		"SELECT 'text ' || sum(strlen(text)) FROM messages",
		"SELECT 'output ' || sum(strlen(output)) FROM tool_calls")
}

// threeMachines spreads a home folder over three machines that push into a folder. Two
// machines share a session, and the third has an older version. threeMachines returns a
// store that pulled all their rows.
func threeMachines(t *testing.T, home, dir string) face {
	t.Helper()
	homes := []string{t.TempDir(), t.TempDir(), t.TempDir()}
	entries, err := os.ReadDir(home)
	must(t, err)
	for i, e := range entries {
		if e.IsDir() && e.Name() != ".claude" {
			must(t, os.CopyFS(filepath.Join(homes[1+i%2], e.Name()), os.DirFS(filepath.Join(home, e.Name()))))
		}
	}
	must(t, os.CopyFS(filepath.Join(homes[0], ".claude"), os.DirFS(filepath.Join(home, ".claude"))))
	shared := longest(t, filepath.Join(home, ".claude", "projects", "*", "*.jsonl"))
	text, err := os.ReadFile(shared)
	must(t, err)
	rel, err := filepath.Rel(home, shared)
	must(t, err)
	must(t, os.MkdirAll(filepath.Dir(filepath.Join(homes[1], rel)), 0o700))
	must(t, os.WriteFile(filepath.Join(homes[1], rel), text, 0o600))
	for i, h := range homes {
		c := realConfig(h, filepath.Join(t.TempDir(), "h.duckdb"))
		c.Machine, c.Hostname = fmt.Sprintf("m%d", i+1), fmt.Sprintf("host %d", i+1)
		s := open(t, c)
		_, err := s.Sync(t.Context(), engine.SyncOptions{})
		must(t, err)
		landed(t, dir, s)
	}
	older(t, dir, "m3", "messages", "stop_reason")
	older(t, dir, "m3", "sessions", "git_remote")
	target, err := landing.Open(dir, landing.Options{})
	must(t, err)
	c := realConfig(t.TempDir(), filepath.Join(t.TempDir(), "h.duckdb"))
	c.Machine = "m9"
	everything := open(t, c)
	report, err := pull.Run(t.Context(), everything.Session, pull.Options{Target: target})
	must(t, err)
	if len(report.Machines) != 3 || report.Machines[0].Err != nil {
		t.Fatalf("%+v", report)
	}
	return everything
}

// longest returns the largest file that matches the pattern.
func longest(t *testing.T, pattern string) (path string) {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	must(t, err)
	most := int64(-1)
	for _, p := range paths {
		info, err := os.Stat(p)
		must(t, err)
		if info.Size() > most {
			path, most = p, info.Size()
		}
	}
	return path
}

// TestLakeOfAFolder: a lake of three machines answers like the store that pulled all
// their rows. The test covers tables, views with copies, and functions. The lake reads
// no log.
func TestLakeOfAFolder(t *testing.T) {
	whole.Test(t, "loads the sample on three machines")
	t.Parallel()
	home, err := sample.Write(t.TempDir())
	must(t, err)
	dir := t.TempDir()
	everything := threeMachines(t, home, dir)
	l, warnings, err := lake.Open(t.Context(), dir, lake.Options{Getenv: func(string) string { return "" }})
	must(t, err)
	if len(warnings) > 0 || l.Machines != 3 || l.At.IsZero() {
		t.Errorf("%v, %d machines, %v", warnings, l.Machines, l.At)
	}
	before := enginetest.Files(t, dir)
	s := open(t, engine.Config{Store: filepath.Join(t.TempDir(), "none", "h.duckdb"), Lake: l, Timezone: "UTC", Hostname: "here"})
	if r, err := s.Sync(t.Context(), engine.SyncOptions{}); err != nil || r.Found != 0 {
		t.Errorf("a sync: %+v %v", r, err)
	}
	for _, query := range append(countedLake(),
		"SELECT count(*) FROM session((SELECT min(session_id) FROM sessions WHERE agent = 'claude'))", "SELECT count(*) > 0 FROM search('the')",
		"SELECT agent, session_id, input->>'command' FROM tool_calls WHERE tool_kind = 'command' ORDER BY ALL", "SELECT name, prompt_count FROM projects ORDER BY ALL",
		"SELECT count(*), count(DISTINCT machine), count(stop_reason), count(DISTINCT host) FROM messages",
		"SELECT agent, kind, known, lines FROM record_kinds ORDER BY ALL",
		"SELECT count(*) FROM messages m JOIN with_copies.messages c USING (agent, session_id, message_index)") {
		want, got := rows(t, everything, query), rows(t, s, query)
		if d := diff.Diff(want, got); d != "" || len(want) == 0 {
			t.Errorf("%s (-want +got)\n%s", query, d)
		}
	}
	if got := rows(t, s, "SELECT count(*) FILTER (is_copy) > 0, count(*) - count(*) FILTER (is_copy) = (SELECT count(*) FROM messages) FROM with_copies.messages"); got[0] != "true|true" {
		t.Errorf("copies: %v", got)
	}
	if got := rows(t, s, "SELECT count(raw(source_id, line)) FROM messages"); got[0] != "0" {
		t.Errorf("logs were read: %v", got)
	}
	if diff.Diff(before, enginetest.Files(t, dir)) != "" {
		t.Error("something was written into the landing")
	}
}

// TestLakeLeavesOut: a machine with a torn manifest or incomplete files is left out
// with a warning. A forgotten machine is left out silently. A lake without any machine
// is an error.
func TestLakeLeavesOut(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	opened := func() (*engine.Lake, string, error) {
		l, warnings, err := lake.Open(t.Context(), dir, lake.Options{Getenv: func(string) string { return "" }})
		return l, fmt.Sprint(warnings), err
	}
	if _, _, err := opened(); err == nil || !strings.Contains(err.Error(), "no machine has pushed into it; hindsql push") {
		t.Error(err)
	}
	for _, m := range []string{"m1", "m2", "m3", "m4"} {
		h := newHome(t)
		h.Write("a.jsonl", line(1, ""))
		c := h.Config()
		c.Machine, c.Hostname = m, "host of "+m
		s := open(t, c)
		_, err := s.Sync(t.Context(), engine.SyncOptions{})
		must(t, err)
		landed(t, dir, s)
	}
	at := func(parts ...string) string {
		return filepath.Join(append([]string{dir, "landing", "v1"}, parts...)...)
	}
	must(t, os.WriteFile(at("m2", "manifest.json"), []byte(`{"version":1,"machine":"m2"`), 0o600))
	torn, err := filepath.Glob(at("m3", "messages", "*.parquet"))
	must(t, err)
	must(t, os.Truncate(torn[0], 10))
	must(t, os.WriteFile(at("m4", "forgotten.json"), []byte(`{"machine":"m4"}`), 0o600))
	l, warnings, err := opened()
	if must(t, err); l.Machines != 1 || !strings.Contains(warnings, "machine m2: left out: ") ||
		!strings.Contains(warnings, "machine host of m3: left out: messages/"+filepath.Base(torn[0])+" isn't there whole") || strings.Contains(warnings, "m4") {
		t.Errorf("%d machines; %s", l.Machines, warnings)
	}
	for url, want := range map[string]string{
		"s3://bucket/x":                 "hindsql pull takes the rows of a bucket",
		"http://localhost/?warehouse=w": "DuckDB's extension avro isn't installed, and hindsql fetches none; ",
	} {
		if _, _, err := lake.Open(t.Context(), url, lake.Options{Getenv: func(string) string { return "" }}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", url, err)
		}
	}
}

// TestLakeOfALogThatWentOn: a home was copied in the middle of a call, and its session
// continued in the copy. The lake has the call once, with its result, although the log
// on the first machine ends before the result.
func TestLakeOfALogThatWentOn(t *testing.T) {
	whole.Test(t, "loads stores again and again, 0.9 s of processor time")
	t.Parallel()
	const begun = `{"type":"assistant","uuid":"u1","parentUuid":null,"isSidechain":false,"sessionId":"11111111-1111-4111-8111-111111111111","cwd":"/p","version":"2.1.220","timestamp":"2026-10-01T10:00:00.000Z","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-opus-4-1","content":[{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"make"}}]}}
`
	const went = `{"type":"user","uuid":"u2","parentUuid":"u1","isSidechain":false,"sessionId":"11111111-1111-4111-8111-111111111111","cwd":"/p","version":"2.1.220","timestamp":"2026-10-01T10:00:09.000Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"made","is_error":false}]}}
`
	dir := t.TempDir()
	for machine, text := range map[string]string{"m1": begun, "m2": begun + went} {
		home := t.TempDir()
		folder := filepath.Join(home, ".claude", "projects", "-p")
		must(t, os.MkdirAll(folder, 0o700))
		must(t, os.WriteFile(filepath.Join(folder, "11111111-1111-4111-8111-111111111111.jsonl"), []byte(text), 0o600))
		c := realConfig(home, filepath.Join(t.TempDir(), "h.duckdb"))
		c.Machine = machine
		s := open(t, c)
		_, err := s.Sync(t.Context(), engine.SyncOptions{})
		must(t, err)
		landed(t, dir, s)
	}
	l, _, err := lake.Open(t.Context(), dir, lake.Options{Getenv: func(string) string { return "" }})
	must(t, err)
	c := newHome(t).Config()
	c.Lake = l
	if got := rows(t, open(t, c), "SELECT c.status, c.output, c.machine, s.machine FROM tool_calls c JOIN sessions s USING (agent, session_id)"); !slices.Equal(got, []string{"ok|made|m2|m2"}) {
		t.Errorf("%q", got)
	}
}

// TestOnceWithoutSession: rows without a session id don't count as copies in one
// session. Their ids didn't leave their machines.
func TestOnceWithoutSession(t *testing.T) {
	t.Parallel()
	s := newHome(t).Open()
	for _, table := range tables.Pushed() {
		if table.Identity() == nil || table.Name == "clears" {
			continue
		}
		for session, want := range map[string]string{"NULL": "2", "'s'": "1"} {
			relation := fmt.Sprintf("(FROM (FROM with_copies.%s LIMIT 0) UNION ALL BY NAME SELECT 'toy' AS agent, TIMESTAMPTZ '2026-10-01' AS timestamp, unnest(['m1', 'm2']) AS machine, CAST(%s AS VARCHAR) AS session_id)", table.Name, session)
			if got := rows(t, s, "SELECT count(*) FROM ("+table.DistinctSQL(relation, sqltext.Identifier)+")"); got[0] != want {
				t.Errorf("%s, session %s: %s rows, want %s", table.Name, session, got[0], want)
			}
		}
	}
}

// TestLakeOfNothing: machines that haven't pushed a row yet give empty tables.
func TestLakeOfNothing(t *testing.T) {
	t.Parallel()
	dir, h := t.TempDir(), newHome(t)
	s := open(t, h.Config())
	_, err := s.Sync(t.Context(), engine.SyncOptions{})
	must(t, err)
	landed(t, dir, s)
	l, _, err := lake.Open(t.Context(), dir, lake.Options{Getenv: func(string) string { return "" }})
	must(t, err)
	c := h.Config()
	c.Lake = l
	if got := rows(t, open(t, c), "SELECT count(*), (SELECT count(*) FROM rejections) FROM messages"); !slices.Equal(got, []string{"0|0"}) {
		t.Errorf("%v", got)
	}
}
