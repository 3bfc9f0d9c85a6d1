package neovate_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/internal/corpus"
	"hindsql/readers"
	"hindsql/readers/neovate"
	"hindsql/tables"
)

// fate holds the facts of a session's rows.
type fate struct {
	Calls         string // "tool status" of each call, in order
	Rejections    string // "tool: reason" of each rejection, without cascaded ones
	Interruptions string // "phase tool" of each
	Compactions   string // "trigger replaced messages" of each
	Kinds         string // of the messages: p prompt, r response, t tool_result, c command, o its output, s summary, i interruption, j injected; in capitals where is_active is false
}

// scenarios are the recorded sessions, by version and the actions' name. The fates were
// written from the files.
var scenarios = map[string]map[string]fate{
	"0.14.0": {
		"basic-read":     {Calls: "read ok", Kinds: "prtr"},
		"deny-no-reason": {Calls: "bash rejected", Rejections: "bash", Kinds: "prtpr"},
		"approve-always": {Calls: "write ok, bash ok, bash ok", Kinds: "prtrtrtr"},
		// The log kept nothing of the response.
		"cancel-mid-stream": {Interruptions: "response", Kinds: "pipr"},
		// The tool ran to its end.
		"cancel-during-tool": {Calls: "bash ok", Interruptions: "tool bash", Kinds: "prItpr"},
		// One tool a turn: the model never made the second call, and the stop cut
		// nothing.
		"cancel-during-tool-batch2":     {Calls: "read ok", Kinds: "prtrpr"},
		"cancel-while-approval-pending": {Calls: "bash interrupted", Interruptions: "approval bash", Kinds: "prItpr"},
		// This version's bridge sent "!echo" to the model.
		"bash-mode":      {Kinds: "prprpr"},
		"manual-compact": {Compactions: "manual [0 1]", Kinds: "prspr"},
		"auto-compact":   {Compactions: "auto [0 1 2]", Kinds: "prpsr"},
		"api-error":      {Kinds: "ppr"},
		"rewind-fork":    {Kinds: "prPRpr"},
	},
	"0.17.1": {
		"basic-read": {Calls: "read ok", Kinds: "prtr"},
		// The call after the refused call has no result.
		"deny-no-reason-batch3":         {Calls: "read ok, bash rejected, write lost", Rejections: "bash", Kinds: "prtpr"},
		"approve-always":                {Calls: "write ok, bash ok, bash ok", Kinds: "prtrtrtr"},
		"cancel-mid-stream":             {Interruptions: "response", Kinds: "pipr"},
		"cancel-during-tool":            {Calls: "bash ok", Interruptions: "tool bash", Kinds: "prTtpr"},
		"cancel-during-tool-batch2":     {Calls: "read ok, bash ok", Interruptions: "tool", Kinds: "prTTtpr"},
		"cancel-while-approval-pending": {Calls: "bash interrupted", Interruptions: "approval bash", Kinds: "prTtpr"},
		"bash-mode":                     {Kinds: "cocopr"},
		"manual-compact":                {Compactions: "manual [0 1]", Kinds: "prspr"},
		"auto-compact":                  {Compactions: "auto [0 1 2]", Kinds: "prpsr"},
		"api-error":                     {Kinds: "ppr"},
		"rewind-fork":                   {Kinds: "prPRpr"},
	},
	"0.28.2": {
		"basic-read":                    {Calls: "read ok", Kinds: "prtr"},
		"deny-no-reason-batch3":         {Calls: "read ok, bash rejected, write skipped", Rejections: "bash", Kinds: "prtpr"},
		"deny-with-reason":              {Calls: "bash rejected, bash skipped", Rejections: "bash: use git clean instead", Kinds: "prtr"},
		"approve-always":                {Calls: "write ok, bash ok, bash ok", Kinds: "prtrtrtr"},
		"cancel-mid-stream":             {Interruptions: "response", Kinds: "pipr"},
		"cancel-during-tool":            {Calls: "bash interrupted", Interruptions: "tool bash", Kinds: "pripr"},
		"cancel-during-tool-batch2":     {Calls: "read interrupted, bash interrupted", Interruptions: "tool", Kinds: "pripr"},
		"cancel-while-approval-pending": {Calls: "bash interrupted", Interruptions: "approval bash", Kinds: "prItpr"},
		"bash-mode":                     {Kinds: "cocopr"},
		"manual-compact":                {Compactions: "manual [0 1]", Kinds: "prspr"},
		"auto-compact":                  {Compactions: "auto [0 1 2]", Kinds: "prpsr"},
		"api-error":                     {Kinds: "ppr"},
		"task-subagent":                 {Calls: "task ok", Kinds: "prtr"},
		"rewind-fork":                   {Kinds: "prPRpr"},
		"ask-user-question":             {Calls: "AskUserQuestion ok", Kinds: "prtr"},
		"slash-command-help-then-msg":   {Kinds: "pr"},
		"plan-mode":                     {Kinds: "pr"},
	},
}

// TestScenarios: the rows of each recorded session show the facts that its name
// promises.
func TestScenarios(t *testing.T) {
	home := corpus.Home(t, "home")
	data, err := os.ReadFile(filepath.Join(filepath.Dir(home), "neovate-scenarios.json"))
	if err != nil {
		t.Fatal(err)
	}
	var recorded map[string]map[string]string // version, name, session id
	if err := json.Unmarshal(data, &recorded); err != nil {
		t.Fatal(err)
	}
	n := 0
	for version, sessions := range recorded {
		for name, id := range sessions {
			n++
			want, ok := scenarios[version][name]
			if !ok {
				t.Errorf("%s %s: no fate is written for it", version, name)
				continue
			}
			folder := "home-dev-app-" + strings.ReplaceAll(version, ".", "-")
			got := fateOf(t, filepath.Join(home, ".neovate"), "projects/"+folder+"/"+id+".jsonl")
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s %s, session %s (-want +got):\n%s", version, name, id, diff)
			}
		}
	}
	written := 0
	for _, names := range scenarios {
		written += len(names)
	}
	if n != written {
		t.Errorf("%d sessions were recorded, %d fates are written", n, written)
	}
}

var letters = map[any]string{
	tables.KindPrompt: "p", tables.KindResponse: "r", tables.KindToolResult: "t", tables.KindCommand: "c",
	tables.KindCommandOutput: "o", tables.KindSummary: "s", tables.KindInterruption: "i", tables.KindInjected: "j",
}

func fateOf(t *testing.T, root, rel string) fate {
	t.Helper()
	rows := load(t, root, rel)
	var f fate
	add := func(to *string, words ...any) {
		if *to != "" {
			*to += ", "
		}
		var texts []string
		for _, w := range words {
			if w != nil {
				texts = append(texts, fmt.Sprint(w))
			}
		}
		*to += strings.Join(texts, " ")
	}
	for _, r := range rows["tool_calls"] {
		add(&f.Calls, r["tool_name"], r["status"])
	}
	for _, r := range rows["rejections"] {
		if r["cascaded"] == true {
			continue
		}
		if reason, ok := r["reason"].(string); ok {
			add(&f.Rejections, r["tool_name"].(string)+":", reason)
		} else {
			add(&f.Rejections, r["tool_name"])
		}
	}
	for _, r := range rows["interruptions"] {
		add(&f.Interruptions, r["phase"], r["tool_name"])
	}
	for _, r := range rows["compactions"] {
		add(&f.Compactions, r["trigger"], r["replaced_message_indices"])
	}
	for _, r := range rows["messages"] {
		letter := letters[r["kind"]]
		if r["is_active"] == false {
			letter = strings.ToUpper(letter)
		}
		f.Kinds += letter
	}
	if len(rows["problems"]) > 0 {
		t.Errorf("%s: %v", rel, rows["problems"])
	}
	return f
}

// load reads one log below the root into rows, by table.
func load(t *testing.T, root, rel string) map[string][]tables.Row {
	t.Helper()
	b := tables.NewBatch(nil)
	defer b.Release()
	path := filepath.Join(root, filepath.FromSlash(rel))
	log := readers.Log{Root: root, Rel: rel, Path: path}
	neovate.Reader.Load(log, tables.Source{Agent: "neovate", Path: path}).AppendTo(b)
	rows := map[string][]tables.Row{}
	for _, table := range tables.All() {
		if table.Loaded() {
			rows[table.Name] = b.Rows(table)
		}
	}
	return rows
}
