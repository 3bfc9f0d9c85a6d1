package neovate_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hindsql/readers"
	"hindsql/readers/neovate"
	"hindsql/tables"
)

// secret is in the request logs and the backups of testdata/sessions.txtar.
const secret = "sk-planted-secret"

// TestRequestsAreNeverOpened: Neovate Code's logs of requests hold API keys. The reader
// must not list them as logs, and must not read them through a link or another path.
func TestRequestsAreNeverOpened(t *testing.T) {
	root := t.TempDir()
	planted := filepath.Join(root, "projects", "w-shop", "requests")
	session := filepath.Join(root, "projects", "w-shop", "abcdef01.jsonl")
	for path, text := range map[string]string{
		filepath.Join(planted, "u2.jsonl"):                                               `{"type":"request","headers":{"Authorization":"Bearer ` + secret + `"}}`,
		filepath.Join(root, "projects", "w-shop", "file-history", "abcdef01", "x.jsonl"): secret,
		session: `{"parentUuid":null,"uuid":"u1","role":"user","content":"hi","type":"message","timestamp":"2026-02-14T09:00:00.000Z","sessionId":"abcdef01"}
{"parentUuid":"u1","uuid":"u2","role":"assistant","content":[{"type":"text","text":"hello"}],"type":"message","timestamp":"2026-02-14T09:00:01.000Z","sessionId":"abcdef01"}
`,
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	logs, err := neovate.Reader.Find([]readers.Place{
		{Path: root, From: "test"},
		{Path: planted, From: "test"},
		{Path: filepath.Join(planted, "u2.jsonl"), From: "test"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(logs) != 1 || logs[0].Path != session {
		t.Errorf("the logs are %v, want the session alone", logs)
	}
	opened := []string{}
	neovate.Reader.LoadFrom(readers.Input{
		Rel:      logs[0].Rel,
		Open:     func() (io.ReadCloser, error) { return os.Open(logs[0].Path) },
		ReadFile: func(rel string) ([]byte, error) { opened = append(opened, rel); return nil, os.ErrNotExist },
	}, tables.Source{Agent: "neovate"})
	if len(opened) > 0 {
		t.Errorf("beside the session it read %v", opened)
	}
}

// TestNoRowHoldsARequest: no row of any table holds the secret planted in the sample's
// request logs.
func TestNoRowHoldsARequest(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "sessions.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	input, rows, _ := strings.Cut(string(data), "-- want/")
	if strings.Count(input, secret) != 2 || strings.Contains(rows, secret) {
		t.Errorf("the sample should hold the secret twice, and its rows never")
	}
}
