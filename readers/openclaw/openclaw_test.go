package openclaw_test

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hindsql/internal/corpus"
	"hindsql/readers"
	"hindsql/readers/openclaw"
	"hindsql/readers/readertest"
	"hindsql/readers/sqlite"
)

var options = readertest.Options{Shape: shape, Make: sqlite.Make}

// shape: a database is rows, a compressed archive is bytes. A file of lines is a journal:
// a later line's parent decides whether an earlier line is active.
func shape(rel string) readertest.Shape {
	if path.Ext(rel) == ".sqlite" {
		return readertest.Rows
	}
	return readertest.Journal
}

func TestReader(t *testing.T) { readertest.Run(t, openclaw.Reader, "testdata", options) }

func FuzzReader(f *testing.F) { readertest.FuzzOf(f, openclaw.Reader, "testdata", options) }

func BenchmarkReader(b *testing.B) {
	readertest.Bench(b, openclaw.Reader, filepath.Join(corpus.Home(b, "agents-3"), ".openclaw"))
}

func TestFields(t *testing.T) { readertest.FieldsOf(t, openclaw.Reader, "testdata", options) }

// Of the folders of OpenClaw's state, today's and those of its earlier names, only the
// databases and the sessions are logs. Files with keys lie beside them.
func TestPlaces(t *testing.T) {
	home := t.TempDir()
	readertest.WriteFiles(t, home,
		".openclaw/openclaw.json", ".openclaw/credentials/whatsapp.json", ".openclaw/state/openclaw.sqlite", ".openclaw/state/openclaw.sqlite-wal", ".openclaw/state/other.sqlite",
		".openclaw/agents/main/agent/openclaw-agent.sqlite", ".openclaw/agents/main/agent/openclaw-agent.sqlite-wal", ".openclaw/agents/main/agent/openclaw-agent.sqlite-shm",
		".openclaw/agents/main/agent/openclaw-agent.sqlite.generation-lock.sqlite", ".openclaw/agents/main/agent/auth-profiles.json",
		".openclaw/agents/main/sessions/d.jsonl", ".openclaw/agents/main/sessions/d.jsonl.reset.2026-01-01T00-00-00.000Z",
		".openclaw/agents/main/sessions/e.jsonl.deleted.1", ".openclaw/agents/main/sessions/f.jsonl.deleted.2.ab.zst", ".openclaw/agents/main/sessions/cold/ab.jsonl.zst",
		".openclaw/agents/main/sessions/e.jsonl.lock", ".openclaw/agents/main/sessions/d.trajectory.jsonl", ".openclaw/agents/main/sessions/sessions.json", ".openclaw/agents/main/other/e.jsonl",
		".clawdbot/agents/main/sessions/g.jsonl", ".moltbot/agents/main/sessions/h.jsonl", "state/agents/main/sessions/i.jsonl", "old/main/sessions/j.jsonl")
	for _, test := range []struct{ env, root, want string }{
		{"", "", "agents/main/agent/openclaw-agent.sqlite agents/main/sessions/d.jsonl agents/main/sessions/d.jsonl.reset.2026-01-01T00-00-00.000Z agents/main/sessions/e.jsonl.deleted.1 " +
			"agents/main/sessions/f.jsonl.deleted.2.ab.zst agents/main/sessions/g.jsonl agents/main/sessions/h.jsonl state/openclaw.sqlite"},
		{home + "/state", "", "agents/main/sessions/i.jsonl"},
		{"", home + "/old", "main/sessions/j.jsonl"},
	} {
		host := readers.Host{OS: "linux", Home: home, Getenv: func(name string) string { return map[string]string{"OPENCLAW_STATE_DIR": test.env}[name] }}
		var given []string
		if test.root != "" {
			given = []string{test.root}
		}
		logs, err := openclaw.Reader.Find(openclaw.Reader.Places(host, given))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, log := range logs {
			got = append(got, log.Rel)
		}
		if strings.Join(sorted(got), " ") != test.want {
			t.Errorf("%s%s: found %s, want %s", test.env, test.root, sorted(got), test.want)
		}
	}
}

// An archived session of an old version has no header. Other sessions may have sent a
// message.
func TestOldLines(t *testing.T) {
	rows := readertest.RowsOf(openclaw.Reader, "agents/main/sessions/d1.jsonl.reset.2026-01-01T00-00-00.000Z",
		`{"type":"message","id":"1","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"user","content":"hi","provenance":{"kind":"external_user"}}}
{"type":"message","id":"2","parentId":"1","timestamp":"2026-01-01T00:00:02.000Z","message":{"role":"user","content":"from afar","provenance":{"kind":"inter_session"}}}
`)
	if s := rows["sessions"][0]; s["session_id"] != "d1" || s["extra"] != `{"agent":"main"}` {
		t.Errorf("%v", s)
	}
	if m := rows["messages"]; len(m) != 2 || m[0]["typed_by"] != "human" || m[1]["typed_by"] != "inter_session" {
		t.Errorf("%v", m)
	}
}

func sorted(list []string) []string {
	slices.Sort(list)
	return list
}
