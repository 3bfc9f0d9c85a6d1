package codex

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"hindsql/readers"
	"hindsql/tables"
)

const plainLog = `{"timestamp":"2026-03-18T10:00:00.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"one"}]}}
{"timestamp":"2026-03-18T10:00:01.000Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"two"}]}}
`

func compress(t *testing.T, text string) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := zstd.NewWriter(&out)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// load reads a log as if it lay at rel.
func load(rel string, data []byte) (texts []string, problems []string) {
	in := readers.Input{
		Rel:  rel,
		Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil },
		Emit: func(e tables.Event) {
			switch e := e.(type) {
			case *tables.Message:
				texts = append(texts, e.Text)
			case *tables.Problem:
				problems = append(problems, e.What)
			}
		},
	}
	Reader.LoadFrom(in, tables.Source{Agent: "codex", Path: rel})
	return texts, problems
}

func TestCompressed(t *testing.T) {
	const plain = "sessions/2026/03/18/rollout-2026-03-18T11-00-00-x.jsonl"
	data := compress(t, plainLog)
	texts, problems := load(plain+".zst", data)
	if strings.Join(texts, " ") != "one two" || len(problems) > 0 {
		t.Errorf("compressed: %q, problems %q", texts, problems)
	}
	for n := range data {
		if _, problems = load(plain+".zst", data[:n]); len(problems) != 1 && n > 0 {
			t.Errorf("cut after byte %d: problems %q, want one", n, problems)
		}
	}
}

func TestRolloutNames(t *testing.T) {
	const id = "019d021f-1244-77d2-b5aa-ba1d70f11e87"
	for rel, want := range map[string]string{
		"sessions/2026/03/18/rollout-2026-03-18T11-04-43-" + id + ".jsonl":     id,
		"sessions/2026/03/18/rollout-2026-03-18T11-04-43-" + id + ".jsonl.zst": id,
		"archived_sessions/rollout-2026-03-18T11-04-43-" + id + ".jsonl":       id,
		"sessions/rollout-2025-05-01-" + id + ".json":                          id,
		"sessions/rollout-" + id + ".jsonl":                                    id,
	} {
		if !isLog(rel) {
			t.Errorf("%s is no log", rel)
		}
		if got := newRollout(&readers.Input{Rel: rel}).id; got != want {
			t.Errorf("%s: id %q, want %q", rel, got, want)
		}
	}
	for _, rel := range []string{"config.toml", "auth.json", "sessions/notes.jsonl", "sessions/history.jsonl", "sessions/rollout-x.jsonl.tmp"} {
		if isLog(rel) {
			t.Errorf("%s is a log", rel)
		}
	}
}
