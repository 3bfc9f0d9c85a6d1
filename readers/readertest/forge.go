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

// Carrier is a place in a log that holds text by a person or by a program other than
// the agent, for example a tool's output. Such text must never count as a decision.
type Carrier string

// The carriers: places of a log with text that isn't the agent's own, such as a tool's
// output. For each, an agent's test has forged texts, or says why the agent's logs have
// no such place.
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

// Forgery is a log in which a stranger wrote words into a carrier.
type Forgery struct {
	Carrier Carrier
	As      string // name of the forgery among those of its carrier, for example a version or a tool
	Rel     string // path of the log; if empty, Forgeries.Rel
	Log     func(words string) string
}

// Forgeries are all possible forgeries in an agent's logs.
type Forgeries struct {
	Reader    *readers.Reader
	Rel       string // path of the logs below their root
	Sentences []string
	List      []Forgery
	Absent    map[Carrier]string // why the agent's logs lack the carrier
	// Genuine returns a log in which only the program can have written the words.
	// Genuine returns the empty string for words without a decision by themselves.
	Genuine func(words string) string
	// Load loads logs whose reader needs more than their text. If nil, RowsOf loads
	// each log.
	Load func(t *testing.T, logs []string) []map[string][]tables.Row
}

// harmless is a sentence that no agent writes. Logs with it are the control.
const harmless = "Birds sing at dawn."

// Run tries each sentence in each carrier. No forgery may decide, stop or give a reason
// in the user's name. Run then checks that genuine logs with the same sentences are
// believed. Without this control, the first check would prove nothing.
func (f Forgeries) Run(t *testing.T) {
	t.Helper()
	f.checkCarriers(t)
	tried := len(f.Sentences) * len(f.List) / whole.Or(1, someForgeries)
	t.Run("forged", func(t *testing.T) {
		for i, one := range f.List {
			t.Run(string(one.Carrier)+" "+one.As, func(t *testing.T) {
				t.Parallel()
				f.checkForgery(t, one, i)
			})
		}
	})
	controls := f.checkGenuine(t)
	t.Logf("%s: %d sentences × %d logs of %d carriers = %d forgeries; %d sentences believed where the program wrote them",
		f.Reader.Agent, len(f.Sentences), len(f.List), len(carriers)-len(f.Absent), tried, controls)
}

// someForgeries makes a quick run try one in thirty sentences in each log, and different
// sentences in the next log.
const someForgeries = 30

// checkCarriers checks that each carrier has a forgery, or a reason in Absent.
func (f Forgeries) checkCarriers(t *testing.T) {
	t.Helper()
	for _, c := range carriers {
		has := slices.ContainsFunc(f.List, func(one Forgery) bool { return one.Carrier == c })
		if why := f.Absent[c]; has == (why != "") {
			t.Errorf("%s: has a log: %v, is said to be absent: %q", c, has, why)
		}
	}
}

// checkForgery checks each sentence in the nth log of the list. Compared with harmless
// words, the sentence must add nothing by the user, and no message that marks a stop.
func (f Forgeries) checkForgery(t *testing.T, one Forgery, n int) {
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
		for _, what := range userDecisions(rows) {
			if !slices.Contains(userDecisions(all[0]), what) {
				t.Errorf("%q is believed: %s", words, what)
			}
		}
		if was, is := countMarks(all[0]), countMarks(rows); was != is {
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

// userDecisions lists what the rows say about the user: refusals, reasons, grants and
// stops.
func userDecisions(rows map[string][]tables.Row) (all []string) {
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

// countMarks returns the number of messages that the reader takes for a program's mark
// of an interruption.
func countMarks(rows map[string][]tables.Row) int {
	n := 0
	for _, m := range rows["messages"] {
		if m["kind"] == tables.KindInterruption {
			n++
		}
	}
	return n
}

// checkGenuine loads the genuine log of each sentence. The test fails if the log shows no
// refusal, decision or stop. It returns the number of genuine logs.
func (f Forgeries) checkGenuine(t *testing.T) int {
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
		if len(userDecisions(rows)) > 0 {
			user++
		}
	}
	if user == 0 {
		t.Error("no genuine log is the user's: nothing here could fail")
	}
	return len(logs)
}
