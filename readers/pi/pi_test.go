package pi_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hindsql/internal/corpus"
	"hindsql/readers"
	"hindsql/readers/pi"
	"hindsql/readers/readertest"
)

// journal: a later line's parent decides whether an earlier line is active.
func journal(string) readertest.Shape { return readertest.Journal }

func TestReader(t *testing.T) {
	readertest.Run(t, pi.Reader, "testdata", readertest.Options{Shape: journal})
}

func TestKin(t *testing.T) {
	readertest.Run(t, pi.OhMyPi, filepath.Join("testdata", "omp"), readertest.Options{Shape: journal})
}

func FuzzReader(f *testing.F) { readertest.Fuzz(f, pi.Reader, "testdata") }

func FuzzKin(f *testing.F) { readertest.Fuzz(f, pi.OhMyPi, filepath.Join("testdata", "omp")) }

// The real sessions are small and few. Joined, and repeated thirty times, they make a
// session as long as a day's.
func BenchmarkReader(b *testing.B) {
	root := b.TempDir()
	folder := filepath.Join(root, "--w--")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		b.Fatal(err)
	}
	for day := range 10 {
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("2026-01-0%dT09-00-00-000Z_%d.jsonl", day, day)), longSession(b), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	readertest.Bench(b, pi.Reader, root)
}

func longSession(b *testing.B) []byte {
	paths, err := filepath.Glob(filepath.Join(corpus.Home(b, "new-agents"), ".pi", "agent", "sessions", "*", "*.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	var long bytes.Buffer
	for i := range 30 {
		again := strings.NewReplacer(`"id":"`, fmt.Sprintf(`"id":"%d-`, i), `Id":"`, fmt.Sprintf(`Id":"%d-`, i))
		for n, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				b.Fatal(err)
			}
			if i+n > 0 { // only one header
				_, data, _ = bytes.Cut(data, []byte("\n"))
			}
			long.WriteString(again.Replace(string(bytes.Replace(data, []byte(`"parentId":null`), []byte(`"parentId":"the line before"`), 1))))
		}
	}
	return long.Bytes()
}

func TestFields(t *testing.T) { readertest.Fields(t, pi.Reader, "testdata") }

func TestFieldsOfKin(t *testing.T) {
	readertest.Fields(t, pi.OhMyPi, filepath.Join("testdata", "omp"))
}

// The folders of each program's sessions, and their variables.
func TestPlaces(t *testing.T) {
	home := t.TempDir()
	readertest.WriteFiles(t, home,
		".pi/agent/sessions/--w--/2026-01-01T00-00-00-000Z_a.jsonl", ".pi/agent/sessions/flat.jsonl", ".pi/agent/settings.json", ".pi/agent/auth.json",
		".omp/agent/sessions/-w/2026-01-01T00-00-00-000Z_b.jsonl", ".omp/agent/sessions/-w/2026-01-01T00-00-00-000Z_b/Scout.jsonl",
		".prime/agent/sessions/w/c.jsonl",
		"dir/sessions/--w--/f.jsonl", "own/g.jsonl")
	readertest.WriteFiles(t, home, "set/settings.json", "elsewhere/h.jsonl", ".omp/agent/sessions/-w/2026-01-01T00-00-00-000Z_b.jsonl.bak")
	if err := os.WriteFile(filepath.Join(home, "set", "settings.json"), []byte(`{"theme":"dark","sessionDir":"~/elsewhere"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		reader *readers.Reader
		env    map[string]string
		want   string
	}{
		{pi.Reader, nil, "--w--/2026-01-01T00-00-00-000Z_a.jsonl flat.jsonl"},
		{pi.Reader, map[string]string{"PI_CODING_AGENT_DIR": filepath.Join(home, "dir")}, "--w--/f.jsonl"},
		{pi.Reader, map[string]string{"PI_CODING_AGENT_DIR": filepath.Join(home, "dir"), "PI_CODING_AGENT_SESSION_DIR": filepath.Join(home, "own")}, "g.jsonl"},
		{pi.OhMyPi, nil, "-w/2026-01-01T00-00-00-000Z_b.jsonl -w/2026-01-01T00-00-00-000Z_b/Scout.jsonl"},
		{pi.Prime, nil, "w/c.jsonl"},
		{pi.Reader, map[string]string{"PI_CODING_AGENT_DIR": filepath.Join(home, "set")}, "h.jsonl"},
	} {
		host := readers.Host{OS: "linux", Home: home, Getenv: func(name string) string { return test.env[name] }}
		logs, err := test.reader.Find(test.reader.Places(host, nil))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, log := range logs {
			got += " " + log.Rel
		}
		if got != " "+test.want {
			t.Errorf("%s %v: found%s, want %s", test.reader.Agent, test.env, got, test.want)
		}
	}
}
