package pi_test

import (
	"encoding/csv"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/internal/corpus"
	"hindsql/readers"
	"hindsql/readers/pi"
	"hindsql/tables"
)

// scenarios says what happened in each recorded session, written by hand from the
// actions: by scenario, the sessions in the order of their files.
var scenarios = map[string][][]string{
	"basic":               {{"1 prompts", "bash ok", "titled My named session"}},
	"tool-error":          {{"1 prompts", "bash error exit_code 3"}},
	"batch":               {{"1 prompts", "bash ok", "bash ok", "bash ok"}},
	"gate-denied":         {{"1 prompts", "bash rejected", "refusal of bash by user: rm -rf build, wording 0.9"}},
	"gate-allowed":        {{"1 prompts", "bash ok"}},
	"abort-mid-stream":    {{"2 prompts", "user stop in response, cut 1, 123 partial"}},
	"abort-before-output": {{"1 prompts", "user stop in response, cut <nil>, 0 partial"}},
	"abort-during-tool":   {{"1 prompts", "bash interrupted", "user stop in tool bash, cut 1, 0 partial"}},
	"abort-during-batch":  {{"1 prompts", "bash interrupted", "bash interrupted", "bash ok", "user stop in tool, cut 1, 0 partial"}},
	"killed-during-tool":  {{"1 prompts", "bash pending"}},
	"new-session":         {{"1 prompts"}, {"1 prompts"}},
	"fork":                {{"2 prompts"}, {"2 prompts", "fork of 0"}},
	"clone":               {{"1 prompts"}, {"2 prompts", "fork of 0"}},
	"error-500":           {{"1 prompts", "system stop in response, cut <nil>, 0 partial"}},
	"user-bash":           {{"1 prompts", "typed !echo typed by the user"}},
	"steer":               {{"3 prompts", "bash ok"}},
	"edit":                {{"1 prompts", "edit ok"}},
	"compact-manual":      {{"4 prompts", "compaction <nil>, 31340 before, replaced [0 1 2 3]"}},
	"compact-auto":        {{"3 prompts", "compaction <nil>, 19501 before, replaced [0 1]"}},
	"tree-branch":         {{"4 prompts", "user stop in response, cut 5, 63 partial", "left [2 3 4 5]"}},
}

// Each recorded session gives the facts in its label.
func TestScenarios(t *testing.T) {
	home := corpus.Home(t, "new-agents")
	data, err := os.Open(filepath.Join(filepath.Dir(home), "MANIFEST.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer data.Close()
	lines := csv.NewReader(data)
	lines.Comma, lines.LazyQuotes = '\t', true
	list, err := lines.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	got, ids := map[string][][]string{}, map[string][]string{}
	root := filepath.Join(home, ".pi", "agent", "sessions")
	for _, line := range list {
		name, recorded := strings.CutPrefix(line[3], "recorded/")
		if line[1] != pi.Reader.Agent || !recorded {
			continue
		}
		rel := strings.TrimPrefix(line[0], ".pi/agent/sessions/")
		rows := load(t, root, rel)
		got[name] = append(got[name], happened(rows, ids[name]))
		ids[name] = append(ids[name], fmt.Sprint(rows["sessions"][0]["session_id"]))
		if !strings.Contains(path.Base(rel), ids[name][len(ids[name])-1]) {
			t.Errorf("%s: session %s", rel, ids[name])
		}
	}
	if diff := cmp.Diff(scenarios, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// load reads one log below the root into rows, by table.
func load(t *testing.T, root, rel string) map[string][]tables.Row {
	t.Helper()
	b := tables.NewBatch(nil)
	defer b.Release()
	file := filepath.Join(root, filepath.FromSlash(rel))
	pi.Reader.Load(readers.Log{Root: root, Rel: rel, Path: file}, tables.Source{Agent: pi.Reader.Agent, Path: file}).AppendTo(b)
	rows := map[string][]tables.Row{}
	for _, table := range tables.All() {
		if table.Loaded() {
			rows[table.Name] = b.Rows(table)
		}
	}
	return rows
}

// happened describes the rows of one log. before are the ids of the scenario's other
// sessions.
func happened(rows map[string][]tables.Row, before []string) (list []string) {
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	prompts, left := 0, []any{}
	for _, m := range rows["messages"] {
		if m["kind"] == tables.KindPrompt {
			prompts++
		}
		if m["is_active"] == false {
			left = append(left, m["message_index"])
		}
	}
	add("%d prompts", prompts)
	for _, c := range rows["tool_calls"] {
		list = append(list, words(c["tool_name"], c["status"], c["error_type"], c["exit_code"]))
	}
	for _, r := range rows["rejections"] {
		add("refusal of %v by %v: %v, %s", r["tool_name"], r["decided_by"], r["command"], words(r["reason"], r["evidence"], r["confidence"]))
	}
	for _, m := range rows["messages"] {
		if m["kind"] == tables.KindCommand {
			add("typed %v", m["text"])
		}
	}
	for _, i := range rows["interruptions"] {
		partial, _ := i["partial_output"].(string)
		add("%v stop in %s, cut %v, %d partial", i["type"], words(i["phase"], i["tool_name"]), i["interrupted_message_index"], len(partial))
	}
	for _, c := range rows["compactions"] {
		add("compaction %v, %v before, replaced %v", c["trigger"], c["pre_tokens"], c["replaced_message_indices"])
	}
	for _, f := range rows["fork_marks"] {
		for i, id := range before {
			if f["forked_from"] == id {
				add("fork of %d", i)
			}
		}
	}
	if len(left) > 0 {
		add("left %v", left)
	}
	for _, s := range rows["sessions"] {
		if s["title"] != nil {
			add("titled %v", s["title"])
		}
	}
	for _, p := range rows["problems"] {
		add("problem %v", p["what"])
	}
	return list
}

// words joins the values that aren't nil.
func words(values ...any) string {
	var list []string
	for _, v := range values {
		if v != nil {
			list = append(list, fmt.Sprint(v))
		}
	}
	return strings.Join(list, " ")
}
