package copilot_test

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/internal/corpus"
	"hindsql/readers"
	"hindsql/readers/copilot"
	"hindsql/tables"
)

// recorded is what happened in each session recorded with the real program, written by
// hand from the scenario's label. A call is shown by its tool, status and decision; a
// refusal, a stop and a compaction by their columns. The key has the beginning of the
// session's id.
var recorded = map[string][]string{
	"approve-location/24bde239": {"2 prompts",
		"bash ok, exit 0, granted by user, project", "bash ok, exit 0"},
	"approve-once/c8e51072":          {"1 prompts", "bash ok, exit 0, granted by user, once"},
	"ask-user-invalid-call/3942c42b": {"2 prompts", "ask_user error invalid_call"},
	"ask-user-invalid-call/a07970c0": {"1 prompts", "ask_user error invalid_call"},
	"basic-headless/9b373ac2":        {"1 prompts", "bash ok, exit 0"},
	"batch-first-refused-esc/004c6996": {"1 prompts",
		"bash interrupted", "bash rejected, refused by user", "bash interrupted",
		"command refused by user: touch two.txt, recorded", "command cascaded by rule: touch one.txt, inferred", "command cascaded by rule: touch three.txt, inferred",
		"user stop, approval, bash, paired"},
	"batch-first-refused-feedback/d7a00ce0": {"1 prompts",
		"bash ok, exit 0, granted by user, once", "bash ok, exit 0, granted by user, once", "bash rejected, refused by user",
		"command refused by user: touch three.txt, recorded, because do not create one.txt"},
	"clear-command/1a44ca0e":     {"1 prompts"},
	"clear-command/5ca8fc12":     {"1 prompts"},
	"compact-manual/bdc569b5":    {"3 prompts", "manual compaction, 12364 to 12381, estimated"},
	"ctrlc-at-prompt/64052edf":   {"1 prompts", "bash rejected, refused by user", "command refused by user: rm -rf build, recorded", "user stop, approval, bash, paired"},
	"ctrlc-during-tool/6fe9a77b": {"1 prompts", "bash interrupted, granted by user, once", "user stop, tool, bash"},
	"ctrlc-mid-stream/09022e56":  {"1 prompts", "user stop, response"},
	"deny-esc/29575461":          {"1 prompts", "bash rejected, refused by user", "command refused by user: rm -rf build, recorded", "user stop, approval, bash, paired"},
	"deny-feedback/b41cd0ea": {"1 prompts", "bash rejected, refused by user",
		"command refused by user: rm -rf build, recorded, because no, archive it instead of deleting"},
	"edit-approve/c4753217":         {"1 prompts", "edit ok, granted by user, once"},
	"edit-approve-session/8855e394": {"1 prompts", "edit ok, granted by user, project"}, // the dialog's choice was for the folder
	"edit-deny-feedback/1bd852d5": {"1 prompts", "edit rejected, refused by user",
		"edit refused by user: greet.txt, recorded, because keep hello, add a second line instead, with a diff"},
	"error-500/a38023c2":         {"1 prompts", "system stop, response"},
	"error-quota-ctrlc/60dd4f0e": {"1 prompts", "user stop, response"},
	"esc-during-tool/805e10e6":   {"1 prompts", "bash interrupted, granted by user, once", "user stop, tool, bash"},
	"esc-mid-stream/8432b070":    {"2 prompts", "user stop, response"},
	"fork-command/334cae05":      {"1 prompts"},
	"fork-command/8e2889e0":      {"2 prompts", "fork of 334cae05"},
	"headless-denied/b204e590":   {"1 prompts", "bash denied, refused by rule", "permission refused by rule: rm -rf build, recorded"},
	"hook-denied/8efb157d": {"1 prompts", "bash denied, refused by hook",
		"permission refused by hook: rm -rf build, recorded, because hook says: never remove folders"},
	"kill9-during-tool/274d198a": {"1 prompts", "bash pending"},
	"new-command/6643548b":       {"1 prompts"},
	"new-command/6db83896":       {"1 prompts"},
	"plan-approved/582d3a62":     {"1 prompts", "exit_plan_mode ok, granted by user, once"},
	"plan-esc/7ee1a6c6":          {"1 prompts", "exit_plan_mode rejected, refused by user", "option refused by user: , recorded", "user stop, approval, exit_plan_mode, paired"},
	"plan-suggest/23288928": {"1 prompts", "exit_plan_mode rejected, refused by user",
		"option refused by user: , recorded, because smaller steps please"},
	"question-answered/0e2152ec":    {"1 prompts", "ask_user ok, granted by user, once"},
	"question-esc/bde527cd":         {"1 prompts", "ask_user rejected, refused by user", "option refused by user: , recorded"},
	"queued-during-stream/e34c6d1f": {"2 prompts"},
	"quit-at-prompt/500aae19":       {"1 prompts", "bash pending"},
	"rewind-command/93d389c5":       {"2 prompts", "rewind"},
	"rule-denied/e18f3415":          {"1 prompts", "bash denied, refused by rule", "permission refused by rule: rm -rf build, recorded"},
	"shell-escape/2524ea93":         {"1 prompts", "typed !echo typed by the user"},
	"steer-queue/672fd3d9":          {"3 prompts"},
	"subagent/ac706ebc":             {"1 prompts", "task ok, subagent", "subagent of ac706ebc"},
	"tool-error/d3c88b45":           {"1 prompts", "bash error exit_code, exit 3"},
}

func TestRecorded(t *testing.T) {
	home := corpus.Home(t, "new-agents")
	manifest, err := os.ReadFile(filepath.Join(filepath.Dir(home), "MANIFEST.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for line := range strings.Lines(string(manifest)) {
		cells := strings.Split(line, "\t")
		if scenario, ok := strings.CutPrefix(cells[3], "recorded/"); ok && cells[1] == "copilot" {
			session := path.Base(path.Dir(cells[0]))[:8]
			got[scenario+"/"+session] = story(loadLog(t, filepath.Join(home, ".copilot"), strings.TrimPrefix(cells[0], ".copilot/")))
		}
	}
	if diff := cmp.Diff(recorded, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// loadLog returns the rows of one log, by table.
func loadLog(t *testing.T, root, rel string) map[string][]tables.Row {
	t.Helper()
	logs, err := copilot.Reader.Find([]readers.Place{{Path: root, From: "corpus"}})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(logs, func(l readers.Log) bool { return l.Rel == rel })
	if i < 0 {
		t.Fatalf("%s is no log", rel)
	}
	b := tables.NewBatch(nil)
	defer b.Release()
	copilot.Reader.Load(logs[i], tables.Source{Agent: "copilot", Path: logs[i].Path}).AppendTo(b)
	rows := map[string][]tables.Row{}
	for _, table := range tables.All() {
		if table.Loaded() {
			rows[table.Name] = b.Rows(table)
		}
	}
	return rows
}

// story describes the session in the rows of one log.
func story(rows map[string][]tables.Row) []string {
	list := []string{""}
	prompts := 0
	for _, m := range rows["messages"] {
		switch {
		case m["kind"] == tables.KindPrompt:
			prompts++
		case m["kind"] == tables.KindCommand:
			list = append(list, fmt.Sprintf("typed %s", m["text"]))
		case strings.Contains(fmt.Sprint(m["extra"]), `"rewind"`):
			list = append(list, "rewind")
		}
	}
	list[0] = fmt.Sprintf("%d prompts", prompts)
	for _, c := range rows["tool_calls"] {
		list = append(list, callStory(c))
	}
	for _, r := range rows["rejections"] {
		list = append(list, refusalStory(r))
	}
	for _, i := range rows["interruptions"] {
		s := fmt.Sprintf("%s stop, %s", i["type"], i["phase"])
		if i["tool_name"] != nil {
			s += fmt.Sprintf(", %s", i["tool_name"])
		}
		if i["paired_rejection"] == true {
			s += ", paired"
		}
		list = append(list, s)
	}
	return append(list, sessionStory(rows)...)
}

func callStory(c tables.Row) string {
	s := fmt.Sprintf("%s %s", c["tool_name"], c["status"])
	if c["error_type"] != nil {
		s += fmt.Sprintf(" %s", c["error_type"])
	}
	if c["exit_code"] != nil {
		s += fmt.Sprintf(", exit %d", c["exit_code"])
	}
	if c["decision"] != nil {
		s += fmt.Sprintf(", %s by %s", c["decision"], c["decided_by"])
	}
	if c["decision_scope"] != nil {
		s += fmt.Sprintf(", %s", c["decision_scope"])
	}
	if c["subagent_session_id"] != nil {
		s += ", subagent"
	}
	return s
}

func refusalStory(r tables.Row) string {
	how, what := "refused", ""
	if r["cascaded"] == true {
		how = "cascaded"
	}
	if r["command"] != nil {
		what = fmt.Sprint(r["command"])
	} else if r["file_path"] != nil {
		what = path.Base(fmt.Sprint(r["file_path"]))
	}
	s := fmt.Sprintf("%s %s by %s: %s, %s", r["rejection_type"], how, r["decided_by"], what, r["evidence"])
	if r["reason"] != nil {
		s += fmt.Sprintf(", because %s", r["reason"])
	}
	if r["proposed_diff"] != nil {
		s += ", with a diff"
	}
	return s
}

func sessionStory(rows map[string][]tables.Row) (list []string) {
	for _, c := range rows["compactions"] {
		s := fmt.Sprintf("%s compaction, %d to %d", c["trigger"], c["pre_tokens"], c["post_tokens"])
		if c["tokens_estimated"] == true {
			s += ", estimated"
		}
		list = append(list, s)
	}
	for _, f := range rows["fork_marks"] {
		list = append(list, fmt.Sprintf("fork of %.8s", f["forked_from"]))
	}
	for _, s := range rows["sessions"] {
		if s["parent_session_id"] != nil {
			list = append(list, fmt.Sprintf("%s of %.8s", s["kind"], s["parent_session_id"]))
		}
	}
	return list
}
