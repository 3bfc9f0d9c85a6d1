package vscode

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/internal/corpus"
	"hindsql/readers"
	"hindsql/tables"
)

// vectors returns logs made by VS Code's own writer. Beside each log lies the state
// made by VS Code's own reader.
func vectors(t *testing.T, pattern string) []string {
	t.Helper()
	dir := filepath.Join(filepath.Dir(corpus.Home(t, "home")), "vscode-vectors")
	paths, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil || len(paths) == 0 {
		t.Skipf("no vectors in %s", dir)
	}
	return paths
}

func replayed(t *testing.T, path string) any {
	t.Helper()
	r := &replay{kinds: &readers.Kinds{}, emit: func(e tables.Event) { t.Errorf("%s: %v", path, e) }}
	in := &readers.Input{Open: func() (io.ReadCloser, error) { return os.Open(path) }, Emit: r.emit}
	var text string
	if err := readers.JSONLinesKept(in, starts, partsDepth, r.apply, func() { text = readers.JSON(r.state) }); err != nil {
		t.Fatal(err)
	}
	return decoded(t, []byte(text))
}

func decoded(t *testing.T, text []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestReplayVectors replays each log. The result must equal the state that VS Code's
// own reader made of the log.
func TestReplayVectors(t *testing.T) {
	for _, path := range vectors(t, "*.jsonl") {
		want, err := os.ReadFile(strings.TrimSuffix(path, ".jsonl") + ".expected.json")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(decoded(t, want), replayed(t, path)); diff != "" {
			t.Errorf("%s (-VS Code +replayed):\n%s", filepath.Base(path), diff)
		}
	}
}

// rowsOf returns the rows of one file, without the columns that depend on the file's
// name and lines.
func rowsOf(t *testing.T, path string) map[string][]tables.Row {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	log := readers.Log{Root: filepath.Dir(path), Rel: filepath.Base(path), Path: path, Size: info.Size(), ModifiedAt: info.ModTime()}
	b := tables.NewBatch(nil)
	defer b.Release()
	Reader.Load(log, tables.Source{Agent: "vscode", Path: "/x"}).AppendTo(b)
	rows := map[string][]tables.Row{}
	for _, table := range tables.All() {
		if !table.Loaded() || table.Name == "file_kinds" || table.Name == "sources" {
			continue
		}
		for _, row := range b.Rows(table) {
			delete(row, "line")
			if table.Name == "sessions" {
				delete(row, "extra") // names the generation
			}
			rows[table.Name] = append(rows[table.Name], row)
		}
	}
	return rows
}

// describeRows lists the refusals, the stops, the ends of calls and the inactive messages in a
// file's rows, one per line.
func describeRows(rows map[string][]tables.Row) []string {
	var list []string
	say := func(table string, columns ...string) {
		for _, row := range rows[table] {
			line := table
			for _, c := range columns {
				if v, ok := row[c].(string); ok {
					line += " " + v
				}
			}
			list = append(list, line)
		}
	}
	say("rejections", "decided_by", "tool_use_id", "rejection_type", "evidence", "next_prompt")
	say("interruptions", "type", "phase", "tool_use_id")
	for _, row := range rows["tool_calls"] {
		if row["status"] != tables.StatusOK {
			list = append(list, "call "+row["tool_use_id"].(string)+" "+row["status"].(string))
		}
	}
	for _, row := range rows["messages"] {
		if row["is_active"] == false {
			list = append(list, "inactive "+row["kind"].(string)+" "+row["text"].(string))
		}
	}
	return list
}

// TestScenarios: each recorded scenario gives the rows that its name promises, read
// from the mutation log and from a flat file of the same session.
func TestScenarios(t *testing.T) {
	dir := filepath.Dir(vectors(t, "*.jsonl")[0])
	for _, test := range []struct {
		name     string
		want     []string
		flatToo  bool // the flat file gives the same rows
		wantFlat []string
	}{
		{name: "skip-then-continue", flatToo: true,
			want: []string{"rejections user call_skip command recorded", "call call_skip rejected"}},
		{name: "stop-while-confirmation-pending", flatToo: true,
			want: []string{"interruptions user approval call_stop", "call call_stop interrupted"}},
		{name: "stop-while-tool-running", flatToo: true,
			want: []string{"interruptions user tool call_run", "call call_run interrupted"}},
		{name: "stop-while-tool-input-streaming", flatToo: true,
			want: []string{"interruptions user response call_stream", "call call_stream interrupted"}},
		{name: "hook-denied", flatToo: true,
			want: []string{"rejections hook call_hook permission recorded", "call call_hook denied"}},
		{name: "all-approval-kinds", flatToo: true,
			want: []string{"rejections user c7 command recorded", "call c7 rejected"}},
		// Only the log has the removed request.
		{name: "failed-then-retry-replaces-request",
			want: []string{"interruptions system response", "inactive prompt first try", "inactive error Sorry, your request failed."}},
		// The undone edit is unknown: no request edited with a tool.
		{name: "edited-file-events-and-removal",
			want: []string{"inactive prompt next", "inactive response ok"}},
		// The flat file marks the call as cancelled (FORMAT.md §2.3). The reader keeps
		// it pending.
		{name: "crash-while-pending",
			want: []string{"call call_p pending"}, wantFlat: []string{"call call_p pending"}},
		{name: "log-compaction-over-1024-entries", flatToo: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			log, flat := rowsOf(t, filepath.Join(dir, test.name+".jsonl")), rowsOf(t, filepath.Join(dir, test.name+".flat.json"))
			if diff := cmp.Diff(test.want, describeRows(log)); diff != "" {
				t.Errorf("log (-want +got):\n%s", diff)
			}
			if test.flatToo {
				if diff := cmp.Diff(log, flat); diff != "" {
					t.Errorf("the flat file's rows differ (-log +flat):\n%s", diff)
				}
			} else if diff := cmp.Diff(test.wantFlat, describeRows(flat)); diff != "" {
				t.Errorf("flat (-want +got):\n%s", diff)
			}
		})
	}
}
