package kimi_test

import (
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hindsql/readers"
	"hindsql/readers/kimi"
	"hindsql/readers/readertest"
	"hindsql/tables"
)

// The folder of the logs, its variable, and what counts as a log.
func TestPlaces(t *testing.T) {
	home := t.TempDir()
	readertest.WriteFiles(t, home, ".kimi-code/sessions/wd_w_0/session_a/agents/main/wire.jsonl", ".kimi-code/sessions/wd_w_0/session_a/agents/agent-0/wire.jsonl",
		".kimi-code/sessions/wd_w_0/session_a/state.json", ".kimi-code/sessions/wd_w_0/session_a/agents/main/wire.jsonl.bak",
		".kimi-code/sessions/wd_w_0/session_a/agents/main/file-history/wire.jsonl", ".kimi-code/user-history/00.jsonl", ".kimi-code/user-history/old/00.jsonl",
		".kimi-code/session_index.jsonl", ".kimi-code/config.toml", ".kimi-code/credentials/kimi-code.json", ".kimi-code/logs/kimi.jsonl",
		"other/sessions/wd_w_0/session_b/agents/main/wire.jsonl", ".kimi/sessions/00/11/wire.jsonl")
	for _, test := range []struct{ variable, want string }{
		{"", "session_index.jsonl sessions/wd_w_0/session_a/agents/agent-0/wire.jsonl sessions/wd_w_0/session_a/agents/main/wire.jsonl user-history/00.jsonl"},
		{filepath.Join(home, "other"), "sessions/wd_w_0/session_b/agents/main/wire.jsonl"},
	} {
		host := readers.Host{OS: "linux", Home: home, Getenv: func(name string) string {
			if name == "KIMI_CODE_HOME" {
				return test.variable
			}
			return ""
		}}
		logs, err := kimi.Reader.Find(kimi.Reader.Places(host, nil))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, log := range logs {
			got = append(got, log.Rel)
		}
		if slices.Sort(got); strings.Join(got, " ") != test.want {
			t.Errorf("KIMI_CODE_HOME=%q: found %s, want %s", test.variable, strings.Join(got, " "), test.want)
		}
	}
}

// trap stands in files beside the logs, and in the parts of state.json that hold
// settings. No reader may open such a file, and no row may hold the text.
const trap = "sk-kimi-planted-secret"

func TestKeysStayUnread(t *testing.T) {
	root := t.TempDir()
	session := "sessions/wd_w_0/session_a/"
	files := map[string]string{
		session + "agents/main/wire.jsonl":    wireOf(append(begun(`"go"`), finished(`"Done."`)...)...),
		session + "agents/agent-0/wire.jsonl": wireOf(append(begun(`"go"`), finished(`"Done."`)...)...),
		session + "state.json":                `{"cwd":"/w","title":"t","custom":{"apiKey":"` + trap + `"},"agents":{"agent-0":{"labels":{"token":"` + trap + `"}}}}`,
		"session_index.jsonl":                 `{"sessionId":"session_a","workDir":"/w"}` + "\n",
		"user-history/00.jsonl":               `{"content":"go"}` + "\n",
	}
	traps := []string{
		"config.toml", "credentials/kimi-code.json", "credentials/kimi.jsonl", "auth.json", "providers.json", "oauth_creds.json", "mcp.json", "logs/kimi.jsonl",
		"device_id", "workspaces.json", "notify/state.json", "tasks/wire.jsonl", "user-history/.key", "sessions/state.json", "sessions/wd_w_0/state.json",
		session + "notify/state.json", session + "config.toml", session + "wire.jsonl", session + "agents/wire.jsonl", session + "agents/main/state.json",
		session + "agents/main/plans/wire.jsonl", session + "agents/main/file-history/00@v1", session + "agents/main/config.toml",
	}
	for _, name := range traps {
		files[name] = `{"type":"turn.prompt","content":"` + trap + `","key":"` + trap + `"}` + "\n"
	}
	for name, text := range files {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r := *kimi.Reader
	opened := map[string]bool{}
	r.Open = func(file string) (io.ReadCloser, error) {
		rel, err := filepath.Rel(root, file)
		opened[filepath.ToSlash(rel)] = true
		if err != nil {
			return nil, err
		}
		return readers.OpenFile(file)
	}
	logs, err := r.Find([]readers.Place{{Path: root, From: "test"}})
	if err != nil {
		t.Fatal(err)
	}
	b := tables.NewBatch(nil)
	defer b.Release()
	for _, log := range logs {
		r.Load(log, tables.Source{Agent: r.Agent, Path: log.Path}).AppendTo(b)
	}
	rows := 0
	for _, table := range tables.All() {
		for _, record := range b.Records(table) {
			rows += int(record.NumRows())
			if strings.Contains(fmt.Sprint(record), trap) {
				t.Errorf("a row of %s holds the planted key", table.Name)
			}
		}
	}
	if len(logs) != 4 || rows < 10 {
		t.Errorf("%d logs with %d rows: the test's own logs are broken", len(logs), rows)
	}
	for name := range opened {
		if slices.Contains(traps, name) {
			t.Errorf("%s was opened", name)
		}
	}
	if !opened[session+path.Base("state.json")] {
		t.Error("state.json was not opened: the test would see no other file either")
	}
}
