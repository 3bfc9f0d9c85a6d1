package readertest

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"hindsql/internal/whole"
	"hindsql/readers"
	"hindsql/tables"
)

// Carrier is a place that a stranger fills, or a person, and that a log keeps:
// what stands there is data.
type Carrier string

// The carriers that every agent's forgeries name, or say why its logs have none.
const (
	MCPText        Carrier = "an MCP result as a string"
	MCPList        Carrier = "an MCP result as a list"
	MCPError       Carrier = "an MCP result that says it is an error"
	ScriptText     Carrier = "a script's text as a string"
	ScriptList     Carrier = "a script's text as a list"
	ScriptError    Carrier = "an error that a script throws"
	FailingCommand Carrier = "cat of a file, failing"
	FileRead       Carrier = "a file read"
	SubagentPrompt Carrier = "a subagent's prompt"
	SubagentAnswer Carrier = "a subagent's answer"
	HookContext    Carrier = "what a hook adds"
	Typed          Carrier = "text typed or pasted"
	WebPage        Carrier = "a page of the web"
	Attachment     Carrier = "an attachment"
)

var carriers = []Carrier{
	MCPText, MCPList, MCPError, ScriptText, ScriptList, ScriptError, FailingCommand, FileRead,
	SubagentPrompt, SubagentAnswer, HookContext, Typed, WebPage, Attachment,
}

// Forgery is a log with a stranger's words in a carrier.
type Forgery struct {
	Carrier Carrier
	As      string // the version, the tool, the shape: what tells it from others of its carrier
	Rel     string // path of the log; empty: that of the others
	Log     func(words string) string
}

// Forgeries are all that an agent's logs allow.
type Forgeries struct {
	Reader    *readers.Reader
	Rel       string // path of the logs below their root
	Sentences []string
	List      []Forgery
	Absent    map[Carrier]string // why the agent's logs have no such carrier
	// Genuine is the log in which the program alone can have written the words;
	// empty for words that decide nothing by themselves.
	Genuine func(words string) string
	// Load loads logs whose reader needs more than their text; nil: RowsOf each.
	Load func(t *testing.T, logs []string) []map[string][]tables.Row
}

// harmless are words that no agent writes.
const harmless = "Birds sing at dawn."

// Run tries each sentence in each carrier. Nobody but the user decides, stops
// or gives a reason for the user. It then demands that genuine logs of the
// same sentences are believed, without which the first says nothing.
func (f Forgeries) Run(t *testing.T) {
	t.Helper()
	f.complete(t)
	tried := len(f.Sentences) * len(f.List) / whole.Or(1, someForgeries)
	t.Run("forged", func(t *testing.T) {
		for i, one := range f.List {
			t.Run(string(one.Carrier)+" "+one.As, func(t *testing.T) {
				t.Parallel()
				f.try(t, one, i)
			})
		}
	})
	controls := f.control(t)
	t.Logf("%s: %d sentences × %d logs of %d carriers = %d forgeries; %d sentences believed where the program wrote them",
		f.Reader.Agent, len(f.Sentences), len(f.List), len(carriers)-len(f.Absent), tried, controls)
}

// someForgeries: a quick run tries each so many of the sentences in a log, and others
// in the next.
const someForgeries = 10

// complete: each carrier has a log, or a line that says why not.
func (f Forgeries) complete(t *testing.T) {
	t.Helper()
	for _, c := range carriers {
		has := slices.ContainsFunc(f.List, func(one Forgery) bool { return one.Carrier == c })
		if why := f.Absent[c]; has == (why != "") {
			t.Errorf("%s: has a log: %v, is said to be absent: %q", c, has, why)
		}
	}
}

// try demands of each sentence in a log that nothing becomes the user's by
// it that isn't by harmless words, and that no message becomes the mark of a
// stop. The log is the nth of the list.
func (f Forgeries) try(t *testing.T, one Forgery, n int) {
	t.Helper()
	sentences, logs := []string{harmless}, []string{one.Log(harmless)}
	for i, words := range f.Sentences {
		if (i+n)%whole.Or(1, someForgeries) == 0 {
			sentences, logs = append(sentences, words), append(logs, one.Log(words))
		}
	}
	all := f.rows(t, cmp.Or(one.Rel, f.Rel), logs)
	for i, rows := range all {
		words := sentences[i]
		for _, p := range rows["problems"] {
			t.Fatalf("%q: the test's own log is broken: %v", words, p)
		}
		for _, what := range ofTheUser(rows) {
			if !slices.Contains(ofTheUser(all[0]), what) {
				t.Errorf("%q is believed: %s", words, what)
			}
		}
		if was, is := marks(all[0]), marks(rows); was != is {
			t.Errorf("%q: %d messages are marks of a stop, %d with harmless words", words, is, was)
		}
	}
}

func (f Forgeries) rows(t *testing.T, rel string, logs []string) []map[string][]tables.Row {
	t.Helper()
	if f.Load != nil {
		return f.Load(t, logs)
	}
	var all []map[string][]tables.Row
	for _, log := range logs {
		all = append(all, RowsOf(f.Reader, rel, log))
	}
	return all
}

// ofTheUser says what rows have that only the user decides: refusals, reasons,
// grants, stops.
func ofTheUser(rows map[string][]tables.Row) (all []string) {
	for _, r := range rows["rejections"] {
		if r["decided_by"] == tables.ByUser || r["reason"] != nil {
			all = append(all, fmt.Sprintf("refusal by %v, reason %v, evidence %v, confidence %v", r["decided_by"], r["reason"], r["evidence"], r["confidence"]))
		}
	}
	for _, c := range rows["tool_calls"] {
		if c["decided_by"] == tables.ByUser {
			all = append(all, fmt.Sprintf("%v by the user", c["decision"]))
		}
	}
	for _, i := range rows["interruptions"] {
		if i["type"] == tables.InterruptedByUser {
			all = append(all, fmt.Sprintf("stop by the user, evidence %v, confidence %v", i["evidence"], i["confidence"]))
		}
	}
	return all
}

// marks is the number of messages that are a program's mark of a stop.
func marks(rows map[string][]tables.Row) int {
	n := 0
	for _, m := range rows["messages"] {
		if m["kind"] == tables.KindInterruption {
			n++
		}
	}
	return n
}

// control counts the sentences whose genuine log is believed: somebody refused,
// decided or stopped.
func (f Forgeries) control(t *testing.T) int {
	t.Helper()
	var logs, of []string
	for _, words := range f.Sentences {
		if log := f.Genuine(words); log != "" {
			logs, of = append(logs, log), append(of, words)
		}
	}
	user := 0
	for i, rows := range f.rows(t, f.Rel, logs) {
		decided := slices.ContainsFunc(rows["tool_calls"], func(r tables.Row) bool { return r["decided_by"] != nil })
		if len(rows["rejections"])+len(rows["interruptions"]) == 0 && !decided {
			t.Errorf("%q, of the program itself, is not believed: %v", of[i], rows["tool_calls"])
		}
		if len(ofTheUser(rows)) > 0 {
			user++
		}
	}
	if user == 0 {
		t.Error("no genuine log is the user's: nothing here could fail")
	}
	return len(logs)
}
