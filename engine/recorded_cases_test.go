package engine_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hindsql/engine"
	"hindsql/internal/corpus"
	"hindsql/internal/result"
	"hindsql/internal/whole"
	"hindsql/readers"
	"hindsql/tables/prices"
)

// TestRecordedCases checks the facts of the cases in agents-4: a home, what is certain
// about it, and perhaps a script that moves or cuts logs between two syncs. The README
// there has the form of the facts.
func TestRecordedCases(t *testing.T) {
	whole.Test(t, "loads 124 homes")
	home, _ := corpus.Find(t, "agents-4")
	all := filepath.Dir(home) // the collection has a home in each case
	cases, err := filepath.Glob(filepath.Join(all, "*", "facts.tsv"))
	must(t, err)
	if len(cases) == 0 {
		t.Skipf("no recorded cases: there is no %s", all)
	}
	for _, file := range cases {
		t.Run(filepath.Base(filepath.Dir(file)), func(t *testing.T) {
			t.Parallel()
			if wrong := checkCase(t, filepath.Dir(file)); len(wrong) > 0 {
				t.Error(strings.Join(wrong, "\n"))
			}
		})
	}
}

// checkCase returns the facts of a case that don't hold.
func checkCase(t *testing.T, folder string) (wrong []string) {
	h := &home{T: t, Dir: filepath.Join(t.TempDir(), "home"), Store: filepath.Join(t.TempDir(), "h.duckdb")}
	must(t, os.CopyFS(h.Dir, os.DirFS(filepath.Join(folder, "home"))))
	variables := map[string]string{}
	text, _ := os.ReadFile(filepath.Join(folder, "env"))
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		variables[name] = strings.ReplaceAll(value, "$HOME", h.Dir)
	}
	c := h.Config()
	c.Prices = engine.Prices{Mark: prices.BuiltInFingerprint(), Read: prices.BuiltIn}
	c.Host = readers.Host{OS: c.Host.OS, Home: c.Host.Home, Getenv: func(name string) string { return variables[name] }}
	s := open(t, c)
	_, err := s.Sync(context.Background(), engine.SyncOptions{})
	must(t, err)
	if steps := filepath.Join(folder, "steps"); exists(steps) {
		script := exec.Command("bash", "-eu", steps)
		script.Dir, script.Env = h.Dir, append(os.Environ(), "CASE="+folder, "HOME="+h.Dir)
		out, err := script.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", steps, err, out)
		}
		_, err = s.Sync(context.Background(), engine.SyncOptions{})
		must(t, err)
	}
	facts, err := os.ReadFile(filepath.Join(folder, "facts.tsv"))
	must(t, err)
	for line := range strings.Lines(string(facts)) {
		query, want, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok {
			continue
		}
		if got := asCSV(t, s, query); got != want {
			wrong = append(wrong, query+"\n    want "+want+"\n    got  "+got)
		}
	}
	return wrong
}

// asCSV returns a query's rows as CSV without header, joined by semicolons.
func asCSV(t *testing.T, s face, query string) string {
	var out bytes.Buffer
	must(t, s.Query(context.Background(), query, nil, func(r *result.Rows) error {
		w, types := csv.NewWriter(&out), result.Types(r.Columns)
		for r.Next() {
			var record []string
			for i, v := range r.Values() {
				text := ""
				if v != nil {
					text = types[i].MachineText(v)
				}
				record = append(record, text)
			}
			if len(record) == 1 && record[0] == "" {
				w.Flush()
				out.WriteString("\"\"\n")
			} else if err := w.Write(record); err != nil {
				return err
			}
		}
		w.Flush()
		return r.Err()
	}))
	return strings.ReplaceAll(strings.TrimSuffix(out.String(), "\n"), "\n", ";")
}
