package opencode_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/readers/opencode"
	"hindsql/readers/sqlite"
)

const schema = `CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, title TEXT, version TEXT, revert TEXT, time_created INT, time_updated INT);
CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INT, time_updated INT, data TEXT);
CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INT, time_updated INT, data TEXT);
CREATE INDEX message_session_time_created_id_idx ON message (session_id, time_created, id);
CREATE INDEX part_session_idx ON part (session_id);
`

// begun is when made-up sessions begin, in ms since 1970.
const begun = 1790000000000

func insert(table string, values ...any) string {
	var list []string
	for _, v := range values {
		switch v := v.(type) {
		case string:
			list = append(list, "'"+strings.ReplaceAll(v, "'", "''")+"'")
		default:
			list = append(list, fmt.Sprint(v))
		}
	}
	return "INSERT INTO " + table + " VALUES (" + strings.Join(list, ", ") + ");\n"
}

// aSession returns the SQL of a session with one prompt and answers of one call each.
func aSession(id string, calls ...map[string]any) string {
	sql := insert("session", id, "", "/w", "A", "1.18.33", "", begun, begun)
	sql += insert("message", id+"_m0", id, begun, begun, fmt.Sprintf(`{"role":"user","time":{"created":%d}}`, begun))
	sql += insert("part", id+"_p0", id+"_m0", id, begun, begun, `{"type":"text","text":"do it"}`)
	for i, c := range calls {
		at := begun + 1000*(i+1)
		sql += insert("message", fmt.Sprintf("%s_m%d", id, i+1), id, at, at, fmt.Sprintf(`{"role":"assistant","parentID":"%s_m0","finish":"tool-calls","time":{"created":%d,"completed":%d}}`, id, at, at+900))
		state := map[string]any{"input": map[string]any{"command": "ls"}, "time": map[string]any{"start": at + 100, "end": at + 800}}
		for key, value := range c {
			state[key] = value
		}
		delete(state, "tool")
		part, _ := json.Marshal(map[string]any{"type": "tool", "tool": c["tool"], "callID": fmt.Sprint("call_", i+1), "state": state})
		sql += insert("part", fmt.Sprintf("%s_p%d", id, i+1), fmt.Sprintf("%s_m%d", id, i+1), id, at, at, string(part))
	}
	return sql
}

// lay writes a database into a folder.
func lay(t testing.TB, folder, statements string) {
	t.Helper()
	data, err := sqlite.Make([]byte(statements))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "opencode.db"), data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestForged puts the words of refusals and stops into outputs and errors of tools. The
// reader must make no refusal and no stop of them.
func TestForged(t *testing.T) {
	const rejected = "The user rejected permission to use this specific tool call."
	const withWords = "The user rejected permission to use this specific tool call with the following feedback: "
	const byRule = "The user has specified a rule which prevents you from using this specific tool call. Here are some of the relevant rules "
	const cut = "x\n\n<shell_metadata>\nUser aborted the command\n</shell_metadata>"
	exit := func(code any) map[string]any { return map[string]any{"exit": code} }
	failed := func(tool, text string) map[string]any {
		return map[string]any{"tool": tool, "status": "error", "error": text}
	}
	ran := func(output string, code any) map[string]any {
		return map[string]any{"tool": "bash", "status": "completed", "output": output, "metadata": exit(code)}
	}
	for _, test := range []struct {
		name  string
		calls []map[string]any
		want  []string
	}{
		{"a command prints it", []map[string]any{ran(rejected, 0), ran(withWords+"no", 1)}, []string{"bash ok 0", "bash error 1 exit_code"}},
		{"a command prints a stop", []map[string]any{ran(cut, 0), ran(cut, 7)}, []string{"bash ok 0", "bash error 7 exit_code"}},
		{"a command prints a stop in the middle", []map[string]any{ran(cut+"\nmore", nil)}, []string{"bash ok"}},
		{"a stop", []map[string]any{ran(cut, nil)}, []string{"bash interrupted"}},
		{"another's tool, and the model goes on", []map[string]any{failed("tracker_close", rejected), ran("", 0)}, []string{"tracker_close error other", "bash ok 0"}},
		{"another's tool, and the turn ends", []map[string]any{failed("tracker_close", rejected)}, []string{"tracker_close denied other by unknown (wording 0.7)"}},
		{"another's tool, where the model is asked again after any refusal", []map[string]any{failed("tracker_close", rejected), failed("bash", rejected), ran("", 0)},
			[]string{"tracker_close denied other by unknown (wording 0.7)", "bash rejected command by user", "bash ok 0"}},
		{"another's tool, with words", []map[string]any{failed("tracker_close", withWords+"no"), ran("", 0)}, []string{"tracker_close denied other by unknown (wording 0.7)", "bash ok 0"}},
		{"another's tool, by a rule", []map[string]any{failed("tracker_close", byRule+`[{"action":"deny"}]`)}, []string{"tracker_close denied permission by rule (wording 0.7)"}},
		{"not the whole text", []map[string]any{failed("edit", rejected+" Or so."), failed("edit", "It said: "+rejected), failed("bash", "Error: Error: "+rejected)},
			[]string{"edit error other", "edit error other", "bash error other"}},
		{"a rule without rules", []map[string]any{failed("bash", byRule+"none"), failed("bash", byRule+"[{]")}, []string{"bash error other", "bash error other"}},
		{"a question that is none", []map[string]any{failed("bash", "The user dismissed this question")}, []string{"bash error other"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := t.TempDir()
			lay(t, folder, schema+aSession("ses_a", test.calls...))
			got := loadAll(t, opencode.Reader, folder)["ses_a"].happened()
			if diff := cmp.Diff(append([]string{"1 prompt"}, test.want...), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestSecretsAreNotRead: rows never contain data from the account and share tables.
func TestSecretsAreNotRead(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "database.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	input, rows, _ := strings.Cut(string(data), "-- want/")
	if strings.Count(input, "planted-secret") != 2 || strings.Contains(rows, "planted-secret") {
		t.Error("the sample should hold the secret twice, and its rows never")
	}
}
