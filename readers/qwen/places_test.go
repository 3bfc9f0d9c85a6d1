package qwen_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"hindsql/internal/posix"
	"hindsql/readers"
	"hindsql/readers/qwen"
	"hindsql/tables"
)

func TestIsLog(t *testing.T) {
	const id = "5a000001-0000-4000-8000-000000000001"
	for rel, want := range map[string]bool{
		"projects/-w/chats/" + id + ".jsonl":                       true,
		"projects/-w/subagents/" + id + "/agent-explorer-c1.jsonl": true,
		"tmp/0123/logs.json":                                       true,
		"usage_record.jsonl":                                       true,
		"projects/-w/chats/" + id + ".runtime.json":                false,
		"projects/-w/chats/.jsonl":                                 false,
		"projects/-w/chats/old/" + id + ".jsonl":                   false,
		"projects/-w/subagents/" + id + "/notes.jsonl":             false,
		"projects/-w/subagents/" + id + "/agent-x.meta.json":       false,
		"projects/-w/memory/x.jsonl":                               false,
		"file-history/" + id + "/0123@v1":                          false,
		"usage/token-usage-2026-11.jsonl":                          false,
		"tmp/0123/shell_history":                                   false,
		"tmp/0123/logs.json/x":                                     false,
		"oauth_creds.json":                                         false,
		"settings.json":                                            false,
		"logs.json":                                                false,
	} {
		if got := qwen.Reader.IsLog(rel); got != want {
			t.Errorf("IsLog(%q) is %v, want %v", rel, got, want)
		}
	}
}

func TestRoots(t *testing.T) {
	at := func(vars map[string]string) string {
		host := readers.Host{Home: "/home/ada", Getenv: func(name string) string { return vars[name] }}
		return qwen.Reader.Places(host, nil)[0].Path
	}
	for want, vars := range map[string]map[string]string{
		"/home/ada/.qwen": nil,
		"/q":              {"QWEN_HOME": "/q"},
		"/run/q":          {"QWEN_HOME": "/q", "QWEN_RUNTIME_DIR": "/run/q"},
	} {
		if got := at(vars); got != posix.Path(want) {
			t.Errorf("%v: %s, want %s", vars, got, want)
		}
	}
}

// bait stands in every file that must not be opened.
const bait = "sk-bait-4711"

// TestKeysStayUnread plants keys beside the logs. Only logs are opened, and no row holds
// a key.
func TestKeysStayUnread(t *testing.T) {
	root := t.TempDir()
	data, err := os.ReadFile("testdata/subagents.txtar")
	if err != nil {
		t.Fatal(err)
	}
	write := func(rel, text string) {
		path := filepath.Join(root, filepath.FromSlash(rel))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	logs := 0
	for _, f := range txtar.Parse(data).Files {
		if !strings.HasPrefix(f.Name, "want/") {
			write(f.Name, string(f.Data))
			logs++
		}
	}
	session := "5a000040-0000-4000-8000-000000000040"
	for _, rel := range []string{
		"oauth_creds.json", "settings.json", ".env", "mcp-oauth-tokens.json", "tmp/0123/shell_history", "tmp/0123/settings.json",
		"projects/-w-shop/chats/" + session + ".runtime.json", "projects/-w-shop/oauth_creds.json", "projects/-w-shop/memory/keys.jsonl",
		"projects/-w-shop/subagents/" + session + "/agent-general-purpose-call_1.meta.json", "projects/-w-shop/subagents/" + session + "/keys.jsonl",
		"file-history/" + session + "/0123@v1", "usage/token-usage-2026-11.jsonl",
	} {
		write(rel, `{"uuid":"u","sessionId":"`+session+`","type":"user","message":{"role":"user","parts":[{"text":"`+bait+`"}]},"access_token":"`+bait+`"}`)
	}
	reader := *qwen.Reader
	reader.Open = func(path string) (io.ReadCloser, error) {
		rel, err := filepath.Rel(root, path)
		if err != nil || !qwen.Reader.IsLog(filepath.ToSlash(rel)) { // TestIsLog has the names
			t.Errorf("%s was opened", path)
		}
		return readers.OpenFile(path)
	}
	found, err := reader.Find([]readers.Place{{Path: root}})
	if err != nil || len(found) != logs {
		t.Fatalf("%d logs were found, want %d: %v", len(found), logs, err)
	}
	b := tables.NewBatch(nil)
	defer b.Release()
	for _, log := range found {
		reader.Load(log, tables.Source{Agent: "qwen", Path: log.Path}).AppendTo(b)
	}
	rows := 0
	for _, table := range tables.Loaded() {
		for _, row := range b.Rows(table) {
			if rows++; strings.Contains(fmt.Sprint(row), bait) {
				t.Errorf("a row of %s holds a key: %v", table.Name, row)
			}
		}
	}
	if rows == 0 {
		t.Error("no row was read")
	}
}
