package cline_test

import (
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"hindsql/readers"
	"hindsql/readers/cline"
	"hindsql/readers/readertest"
	"hindsql/tables"
)

// Cline writes each file as one JSON value, except the typed prompts.
func shape(rel string) readertest.Shape {
	if strings.HasSuffix(rel, ".jsonl") {
		return readertest.Lines
	}
	return readertest.Document
}

func TestReader(t *testing.T) {
	readertest.Run(t, cline.Reader, "testdata", readertest.Options{Shape: shape})
}

func FuzzReader(f *testing.F) { readertest.Fuzz(f, cline.Reader, "testdata") }

func TestFields(t *testing.T) { readertest.Fields(t, cline.Reader, "testdata") }

// The folders of Cline and of the editors, and the files in them that are logs.
func TestPlaces(t *testing.T) {
	home := t.TempDir()
	readertest.WriteFiles(t, home,
		".cline/data/sessions/1_a/1_a.messages.json", ".cline/data/sessions/1_a/1_a.json", ".cline/data/sessions/1_a/1_a.compaction.json",
		".cline/data/sessions/1_a/agent_2_b.messages.json", ".cline/data/sessions/1_a/.messages.json", ".cline/data/settings/providers.json",
		".cline/data/cache/user_input_history.jsonl", ".cline/data/cache/models.json", ".cline/data/db/sessions.db", ".cline/data/state/taskHistory.json",
		".cline/data/state/globalState.json", ".cline/data/tasks/3/ui_messages.json", ".cline/data/tasks/3/api_conversation_history.json", ".cline/data/secrets.json",
		".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/4/ui_messages.json",
		".config/Cursor/User/globalStorage/saoudrizwan.claude-dev/tasks/9/ui_messages.json",
		".config/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks/5/ui_messages.json",
		".vscode-server/data/User/globalStorage/saoudrizwan.claude-dev/tasks/6/ui_messages.json",
		"Library/Application Support/Windsurf/User/globalStorage/saoudrizwan.claude-dev/tasks/7/ui_messages.json",
		"AppData/Roaming/VSCodium/User/globalStorage/saoudrizwan.claude-dev/tasks/8/ui_messages.json",
		"own/data/sessions/9_c/9_c.messages.json", "data/sessions/10_d/10_d.messages.json",
		"work/kept/11_e/11_e.messages.json", "work/kept/11_e/11_e.json", "work/kept/11_e/agent_12_f.messages.json", "work/kept/other/x.messages.json")
	const shared = "cache/user_input_history.jsonl sessions/1_a/1_a.messages.json sessions/1_a/agent_2_b.messages.json tasks/3/ui_messages.json"
	for _, test := range []struct {
		os   string
		env  map[string]string
		want string
	}{
		{"linux", nil, shared + " tasks/4/ui_messages.json tasks/6/ui_messages.json tasks/9/ui_messages.json"},
		{"darwin", nil, shared + " tasks/6/ui_messages.json tasks/7/ui_messages.json"},
		{"windows", nil, shared + " tasks/6/ui_messages.json tasks/8/ui_messages.json"},
		{"linux", map[string]string{"CLINE_DIR": filepath.Join(home, "own"), "XDG_CONFIG_HOME": filepath.Join(home, "none")}, "sessions/9_c/9_c.messages.json tasks/6/ui_messages.json"},
		{"linux", map[string]string{"CLINE_DATA_DIR": filepath.Join(home, "data"), "XDG_CONFIG_HOME": filepath.Join(home, "none")}, "sessions/10_d/10_d.messages.json tasks/6/ui_messages.json"},
		{"linux", map[string]string{"CLINE_SESSION_DATA_DIR": filepath.Join(home, "work/kept"), "CLINE_DATA_DIR": filepath.Join(home, "data"), "XDG_CONFIG_HOME": filepath.Join(home, "none")},
			"11_e/11_e.messages.json 11_e/agent_12_f.messages.json sessions/10_d/10_d.messages.json tasks/6/ui_messages.json"},
		{"linux", map[string]string{"CLINE_SESSION_DATA_DIR": filepath.Join(home, "data/sessions"), "CLINE_DATA_DIR": filepath.Join(home, "data"), "XDG_CONFIG_HOME": filepath.Join(home, "none")},
			"sessions/10_d/10_d.messages.json tasks/6/ui_messages.json"},
	} {
		host := readers.Host{OS: test.os, Home: home, Getenv: func(name string) string { return test.env[name] }}
		logs, err := cline.Reader.Find(cline.Reader.Places(host, nil))
		if err != nil {
			t.Fatal(err)
		}
		got, want := map[string]int{}, map[string]int{}
		for _, log := range logs {
			got[log.Rel]++
		}
		for _, rel := range strings.Fields(test.want) {
			want[rel]++
		}
		if !maps.Equal(got, want) {
			t.Errorf("%s %v: found %v, want %v", test.os, test.env, got, want)
		}
	}
}

// TestOpened: of the files beside a log only those of its name are opened.
func TestOpened(t *testing.T) {
	root := t.TempDir()
	readertest.WriteFiles(t, root,
		"sessions/1_a/1_a.messages.json", "sessions/1_a/1_a.json", "sessions/1_a/1_a.compaction.json", "sessions/1_a/providers.json", "sessions/1_a/1_a.json.bak",
		"sessions/0_b/0_b.messages.json", "sessions/0_b/0_b.json", "sessions/providers.json", "settings/providers.json", "secrets.json", "db/sessions.db",
		"tasks/3/ui_messages.json", "tasks/3/api_conversation_history.json", "tasks/3/task_metadata.json", "tasks/3/settings.json", "state/taskHistory.json", "state/globalState.json")
	for rel, text := range map[string]string{
		"sessions/1_a/1_a.messages.json": `{"messages":[{"id":"m","role":"user","content":"<user_input mode=\"act\">go</user_input>"}]}`,
		"sessions/1_a/1_a.json":          `{"pid":7,"interactive":true,"source":"cli","started_at":"2026-10-13T14:00:09.000Z"}`,
		"sessions/0_b/0_b.json":          `{"pid":7,"interactive":true,"source":"cli","started_at":"2026-10-13T14:00:00.000Z","ended_at":"2026-10-13T14:00:08.000Z"}`,
		"tasks/3/ui_messages.json":       `[{"ts":1791900000000,"type":"say","say":"task","text":"go"}]`,
	} {
		if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(rel)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	opened := map[string]bool{}
	r := *cline.Reader
	r.Open = func(name string) (io.ReadCloser, error) {
		rel, err := filepath.Rel(root, name)
		if err != nil {
			t.Error(err)
		}
		opened[filepath.ToSlash(rel)] = true
		return readers.OpenFile(name)
	}
	logs, err := r.Find([]readers.Place{{Path: root}})
	if err != nil || len(logs) != 3 {
		t.Fatalf("%d logs: %v", len(logs), err)
	}
	for _, log := range logs {
		r.Load(log, tables.Source{Agent: "cline", Path: log.Path})
	}
	for rel := range opened {
		switch base := path.Base(rel); base {
		case "1_a.messages.json", "1_a.json", "1_a.compaction.json", "0_b.messages.json", "0_b.json", "ui_messages.json", "api_conversation_history.json", "taskHistory.json":
		default:
			t.Errorf("%s is opened", rel)
		}
	}
	for _, rel := range []string{"sessions/1_a/1_a.json", "sessions/0_b/0_b.json", "tasks/3/api_conversation_history.json", "state/taskHistory.json"} {
		if !opened[rel] {
			t.Errorf("%s isn't opened", rel)
		}
	}
}
