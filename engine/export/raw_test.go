package export_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"hindsql/engine"
	"hindsql/engine/enginetest"
	"hindsql/engine/export"
	"hindsql/engine/redact"
	"hindsql/internal/whole"
)

// TestRawOfSample: each log of a session is exported once, with the same records. File
// names reveal nothing of the log's folder. Lines stay JSON when secrets are replaced.
// Databases, histories and parts are left out.
func TestRawOfSample(t *testing.T) {
	whole.Test(t, "loads stores again and again, 0.8 s of processor time")
	t.Parallel()
	s := open(t, sampleHome(t))
	dir := t.TempDir()
	report := mustExport(t, s, export.Options{Dir: dir, Format: export.Raw})
	want := rows(t, s, `SELECT DISTINCT f.agent || ' ' || f.path FROM sessions s JOIN sources f USING (source_id) WHERE part IS NULL`)
	if report.Files != len(want) || int(report.Rows) != len(want) {
		t.Errorf("%+v, %d logs", report, len(want))
	}
	if diff := cmp.Diff([]export.LeftOut{{Why: "in databases, or side by side in one file", Logs: 5}}, report.LeftOut); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	logs := map[string]bool{}
	for _, log := range want {
		agent, path, _ := strings.Cut(log, " ")
		text, err := os.ReadFile(path)
		must(t, err)
		logs[agent+" "+strings.TrimSuffix(string(text), "\n")] = true
	}
	clean := t.TempDir()
	mustExport(t, s, export.Options{Dir: clean, Format: export.Raw, Redact: redact.New()})
	for name := range enginetest.Files(t, dir) {
		parts := strings.Split(name, "/")
		if parts[0] != "raw" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, name))
		must(t, err)
		if len(parts) != 3 || strings.Contains(parts[2], "home-ada") || !logs[parts[1]+" "+strings.TrimSuffix(string(text), "\n")] {
			t.Errorf("%s: is no log of %s", name, parts[1])
		}
		redacted, err := os.ReadFile(filepath.Join(clean, name))
		must(t, err)
		was, is := strings.Split(string(text), "\n"), strings.Split(string(redacted), "\n")
		for i := range was {
			if len(was) != len(is) || json.Valid([]byte(was[i])) != json.Valid([]byte(is[i])) {
				t.Errorf("%s:%d: was JSON and isn't, or moved", name, i+1)
				break
			}
		}
	}
}

// TestRawWhileLogsGrow: an unfinished line is left out. A deleted log is counted, and
// its earlier copy stays. The logs themselves never change.
func TestRawWhileLogsGrow(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	const first = `{"session":"PRIVATE/a b"}` + "\n" + `{"id":"u","at":"2026-01-01T00:00:00Z","text":"use API_KEY=q7w8r5t1z9p3m2k4 please"}` + "\n"
	h.Write("a.jsonl", first, `{"id":"v","at":"2026-01-0`)
	h.Write("b.jsonl", line(1, ""), `{"id":"w","at":"2026-01-01T00:00:01Z","text":"no newline"}`)
	h.Sync()
	s, dir := h.Open(), t.TempDir()
	o := export.Options{Dir: dir, Format: export.Raw, Redact: redact.New(), Update: true}
	if r := mustExport(t, s, o); r.Files != 2 || r.LeftOut != nil {
		t.Errorf("%+v", r)
	}
	var names []string
	read := func() (texts string) {
		names = nil
		for name := range enginetest.Files(t, filepath.Join(dir, "raw", "toy")) {
			text, err := os.ReadFile(filepath.Join(dir, "raw", "toy", name))
			must(t, err)
			texts += string(text)
			names = append(names, name)
		}
		return texts
	}
	texts := read()
	if strings.Contains(texts, "q7w8") || !strings.Contains(texts, "[redacted:") || strings.Contains(texts, `"v"`) || !strings.Contains(texts, "no newline\"}\n") {
		t.Errorf("%s", texts)
	}
	for _, name := range names {
		if strings.ContainsAny(name, "/ ") {
			t.Errorf("%q: no plain name", name)
		}
	}
	text, err := os.ReadFile(h.Path("a.jsonl"))
	if must(t, err); !strings.HasPrefix(string(text), first) {
		t.Errorf("the log was changed: %s", text)
	}
	h.Remove("a.jsonl")
	if r := mustExport(t, s, o); r.Unchanged != 2 || r.Removed != 0 || read() != texts && len(names) != 2 {
		t.Errorf("after a log is gone: %+v", r)
	}
	o.Dir = t.TempDir()
	if r := mustExport(t, s, o); r.Files != 1 || len(r.LeftOut) != 1 || r.LeftOut[0] != (export.LeftOut{Why: "gone from disk", Logs: 1}) {
		t.Errorf("into another folder: %+v", r)
	}
}

// TestRawOfASessionInSeveralLogs: a session was taken back to an earlier turn, and
// continued in another log. All of its lines are exported.
func TestRawOfASessionInSeveralLogs(t *testing.T) {
	t.Parallel()
	home, dir := t.TempDir(), t.TempDir()
	archive, err := txtar.ParseFile(filepath.Join("..", "..", "readers", "codex", "testdata", "threads.txtar"))
	must(t, err)
	want := map[string]string{}
	for _, f := range archive.Files {
		if !strings.HasSuffix(f.Name, ".jsonl") {
			continue
		}
		at := filepath.Join(home, ".codex", filepath.FromSlash(f.Name))
		must(t, os.MkdirAll(filepath.Dir(at), 0o700))
		must(t, os.WriteFile(at, f.Data, 0o600))
		want[string(f.Data)] = f.Name
	}
	s := open(t, realConfig(home, filepath.Join(t.TempDir(), "h.duckdb")))
	_, err = s.Sync(t.Context(), engine.SyncOptions{})
	must(t, err)
	mustExport(t, s, export.Options{Dir: dir, Format: export.Raw})
	for name := range enginetest.Files(t, filepath.Join(dir, "raw", "codex")) {
		text, err := os.ReadFile(filepath.Join(dir, "raw", "codex", name))
		must(t, err)
		delete(want, string(text))
	}
	if len(want) > 0 {
		t.Errorf("left out: %v", want)
	}
	const session = "01a19bb3-9500-7000-8000-000000000001"
	if _, err := os.Stat(filepath.Join(dir, "raw", "codex", session+".2.jsonl")); err != nil {
		t.Error(err)
	}
	o := export.Options{Dir: export.Stdout, Out: &bytes.Buffer{}, Format: export.Raw, Sessions: []string{session}}
	if _, err := export.Run(t.Context(), s.Session, o); err == nil || !strings.Contains(err.Error(), "takes one log, and the session has 2; give a folder") {
		t.Error(err)
	}
}

// TestRawChosen: sessions are chosen by ids or beginnings of ids. Standard output takes
// one log.
func TestRawChosen(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	for _, name := range []string{"one", "once", "two"} {
		h.Write(name+".jsonl", `{"session":"`+name+`"}`+"\n", line(1, ""))
	}
	for i, name := range []string{"six", "six/kid", "sixty"} {
		h.Write(fmt.Sprintf("s%d.jsonl", i), `{"session":"`+name+`"}`+"\n", line(1, ""))
	}
	h.Sync()
	s := h.Open()
	var out bytes.Buffer
	o := export.Options{Dir: export.Stdout, Out: &out, Format: export.Raw, Sessions: []string{"tw"}}
	mustExport(t, s, o)
	text, err := os.ReadFile(h.Path("two.jsonl"))
	if must(t, err); out.String() != string(text) {
		t.Errorf("%s, want %s", out.String(), text)
	}
	for want, sessions := range map[string][]string{
		"takes the lines of one session, and here are 6":      nil,
		"takes the lines of one session, and here are 2":      {"two", "one"},
		`session "on": several begin so: once, one`:           {"on"},
		`session "si": several begin so: six, sixty, six/kid`: {"si"},
		`session "x": no session's id begins so`:              {"x"},
	} {
		o.Sessions = sessions
		if _, err := export.Run(t.Context(), s.Session, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %s", sessions, err, want)
		}
	}
	o.Format, o.Sessions = export.CSV, []string{"two"}
	if _, err := export.Run(t.Context(), s.Session, o); err == nil || !strings.Contains(err.Error(), "formats of whole sessions only: sessions, raw") {
		t.Error(err)
	}
}

// TestNamesOfFiles: a session with an id like a secret gets its own file. Neither the
// file's name nor the manifest reveals the id.
func TestNamesOfFiles(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	ids := []string{"ghp_" + "x9Yk2LmQ8rT5vW1zA4bC7dE0fG3hJ6kN9pQs", "ghp_" + "p3Rk8NwX2cV6bM9zL4sD7fG1hJ5kQ0tY8uIo"}
	for n, id := range ids {
		h.Write(fmt.Sprint(n, ".jsonl"), fmt.Sprintf(`{"session":%q}`+"\n", id), line(n, ""))
	}
	h.Sync()
	s := h.Open()
	dir := t.TempDir()
	mustExport(t, s, export.Options{Dir: dir, Format: export.Raw, Redact: redact.New()})
	found := 0
	must(t, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		for _, id := range ids {
			if strings.Contains(path+string(text), id) {
				t.Errorf("%s has the id %s", path, id)
			}
		}
		if strings.Contains(path, "_redacted_") {
			found++
		}
		return err
	}))
	if found != len(ids) {
		t.Errorf("%d files, want %d", found, len(ids))
	}
}
