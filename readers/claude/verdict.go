package claude

import (
	"strings"
	"time"

	"hindsql/readers"
	"hindsql/tables"
)

// verdict is what became of a call whose result says that it failed.
type verdict struct {
	status     string // a Status constant; empty: the call failed by itself
	by         string // who refused it, a DecidedBy constant; empty: nobody did
	reason     string // the user's words
	evidence   string
	confidence float64
	sure       float64 // how sure it is who refused it; 0: as sure as that somebody did
	stop       bool    // the agent was told to stop: the marker of an interruption follows
	cut        bool    // the call was stopped while it ran; likewise
	clarify    bool    // the user wants to talk about the questions first
	claimed    bool    // the text is a refusal's, but nothing shows that the program wrote it
}

func denied(by string, confidence float64) verdict {
	return verdict{status: tables.StatusDenied, by: by, confidence: confidence, evidence: tables.EvidenceRecorded}
}

// byUnknown is a refusal that the program recorded, in words that don't tell whose.
func byUnknown() verdict {
	v := denied(tables.ByUnknown, 1)
	v.sure = 0.3
	return v
}

// failure is a result that says that its call failed. What that means is
// decided when the whole log is known: the marker that shows a refusal to be
// the program's own, and the progress that shows a call to have run, stand on
// other lines.
type failure struct {
	id, uuid string
	batch    string // the same for all calls of one message
	at       time.Time
	version  string // of the line, else of the one before that has one, else of any
	text     string
	stamp    stamp
	aborted  bool   // written for a call without a result, as the turn was stopped
	composed bool   // toolUseResult is the program's own: a tool's error has "Error: " before it
	repeated bool   // toolUseResult is the text once more, as it is of what the program says: a tool's own has "Error: " before it
	subagent bool   // in a subagent's conversation
	mode     string // the permission mode; empty where the log doesn't tell

	call      *call
	known     bool // the log holds the call
	progress  bool // the log tells of progress in it
	preHook   bool // a hook ran before it
	hookSays  bool // the log tells that a hook refused it
	queued    bool // a person typed something while the call was open
	end       *ending
	killed    *tables.Interruption // the stop by the system that it tells of; nil for none
	result    *tables.ToolResult
	rejection *tables.Rejection
	extra     map[string]any
	verdict   verdict
}

// Versions at which what a result looks like changed.
const (
	framedFrom  = "2.0.60"  // a tool's own words stand behind "Exit code" or in a tag
	stampedFrom = "2.1.204" // every denial is stamped
	startsFrom  = "2.1.330" // a call that was stopped before it ran is stamped as such
)

// How sure a sentence of the program is that nothing else marks: where a tool
// can't begin its text like that, and where a shell can.
const (
	wordingAlone   = 0.95
	wordingOfShell = 0.7
)

func (f *failure) since(version string) bool { return readers.CompareVersions(f.version, version) >= 0 }

// foreign says whether a server outside the program wrote the text, or may have.
func (f *failure) foreign() bool {
	return !f.known || f.call.kind == tables.ToolMCP || strings.Contains(f.call.name, "Mcp")
}

// judge decides: by the stamps, where there are any, else by the text.
func (f *failure) judge() verdict {
	if f.stamp.given() {
		return f.stamp.verdict(f)
	}
	if f.hookSays {
		return denied(tables.ByHook, 1)
	}
	if f.wasCut() {
		return verdict{status: tables.StatusInterrupted, cut: true}
	}
	if f.closedInEditor() {
		return f.closed()
	}
	w := wordingOf(f.text)
	if w == nil {
		return f.unworded()
	}
	v := w.told(f.text)
	switch {
	case v.status == tables.StatusSkipped && (f.composed || !f.foreign()) && (!isShell(f.call.name) || f.since(framedFrom)):
		return v
	case f.end.closed && v.stop && w.by == "":
		return v // it waited behind the call whose diff was closed
	case f.since(stampedFrom):
		return unproven(w)
	case w.start == refusal && f.ranWhileTyping():
		return verdict{status: tables.StatusInterrupted, cut: true}
	case f.aborted && w.start == refusal && v.stop:
		return f.escape(v)
	case (v.stop || v.cut) && f.end.marked() && (w.start == refusal || !f.foreign()):
		return v
	case f.composed && w.by == "":
		return v
	case f.foreign():
		return unproven(w)
	case isShell(f.call.name) && !f.since(framedFrom):
		return shells(w, v)
	}
	return f.wordingOnly(w, v)
}

// unproven leaves a call that failed: its text says that it was refused, and
// anybody could have written that.
func unproven(w *wording) verdict {
	return verdict{claimed: w.by != ""}
}

// shells is for versions in which a command's output stands as it is.
func shells(w *wording, v verdict) verdict {
	if w.by == "" {
		return verdict{}
	}
	v.reason, v.clarify = "", false
	v.evidence, v.confidence = tables.EvidenceWording, min(v.confidence, wordingOfShell)
	return v
}

func (f *failure) wordingOnly(w *wording, v verdict) verdict {
	if w.start == subagentRefusal && !f.subagent {
		v = denied(tables.ByUnknown, 0.5)
	}
	v.evidence, v.confidence = tables.EvidenceWording, min(v.confidence, wordingAlone)
	return v
}

// wasCut says whether the call was stopped while it ran, as its text tells. An
// exit code may stand before the words, as may a tool's own output, unless the
// marker follows.
func (f *failure) wasCut() bool {
	code, rest := exitCode(f.text)
	switch {
	case isShell(f.call.name) && tellsOfKill(code) && f.end.pressed(f.at):
		return true // it was killed by the keypress
	case f.text == cutWhileRunning:
		return f.repeated && !f.foreign() || f.end.pressed(f.at) && (f.repeated || !f.foreign())
	case !strings.HasPrefix(rest, interruptTool):
		return false
	case f.end.marked():
		return true
	case f.since(stampedFrom), f.foreign(), isShell(f.call.name) && !f.since(framedFrom):
		return false
	}
	return rest == f.text
}

// tellsOfKill says whether a command ended by a signal: SIGINT, SIGKILL or SIGTERM.
func tellsOfKill(code tables.Maybe[int64]) bool {
	return code.Value == 130 || code.Value == 137 || code.Value == 143
}

// closedInEditor says whether a person closed the diff that an edit showed in
// their editor, instead of saving it. Edits say nothing so short by themselves.
func (f *failure) closedInEditor() bool {
	return f.known && f.call.kind == tables.ToolEdit && strings.TrimPrefix(f.text, "Error: ") == diffClosed
}

// closed is the refusal that this is. Calls that waited behind it got the words
// with STOP, and the marker follows.
func (f *failure) closed() verdict {
	v := verdict{status: tables.StatusRejected, by: tables.ByUser, stop: true, evidence: tables.EvidenceRecorded, confidence: 1}
	if !f.end.marked() && !f.stamp.given() {
		v.evidence, v.confidence = tables.EvidenceWording, 0.8
	}
	return v
}

// ranWhileTyping: no question was open about a call that starts a subagent while
// a person typed something else.
func (f *failure) ranWhileTyping() bool { return f.queued && f.call.kind == tables.ToolAgent }

// escape reads a refusal that was written as the turn was stopped: by Esc at
// the question, or on a call that ran. All calls without a result got the same
// words.
func (f *failure) escape(refusal verdict) verdict {
	if f.progress || f.queued && asksSeldom(f.call.name) || f.mode == bypassMode && !asksAlways(f.call.kind) || f.since(startsFrom) {
		return verdict{status: tables.StatusInterrupted, cut: true}
	}
	refusal.confidence = 0.9
	if asksSeldom(f.call.name) {
		refusal.evidence, refusal.confidence = tables.EvidenceInferred, 0.6
	}
	return refusal
}

// asksAlways: a plan and a question wait for a person in every mode.
func asksAlways(kind string) bool { return kind == tables.ToolPlan || kind == tables.ToolQuestion }

// asksSeldom names tools that run without a question as a rule.
func asksSeldom(tool string) bool {
	switch tool {
	case "Agent", "Task", "TaskOutput", "Glob", "Grep", "LS":
		return true
	}
	return strings.HasPrefix(tool, "Todo")
}

// unworded reads a failure in words that the program doesn't use. Where it
// frames what a tool says, and a hook ran before the call, words without a frame
// are most likely that hook's; else the call failed.
func (f *failure) unworded() verdict {
	if !f.preHook || !f.since(framedFrom) || f.since(stampedFrom) || !f.known || !framed[f.call.name] || isFramed(f.text) {
		return verdict{}
	}
	v := denied(tables.ByHook, 0.8)
	v.evidence = tables.EvidenceInferred
	return v
}

// framed are the tools whose own failures always stand in a frame.
var framed = readers.SetOf("Bash Edit Write MultiEdit NotebookEdit")

// isFramed says whether a text is one that the program, or the system below
// it, gave to a failure.
func isFramed(text string) bool {
	code, _ := exitCode(text)
	switch {
	case code.OK, text == "", strings.HasPrefix(text, "Exit code"), strings.HasPrefix(text, "<tool_use_error>"),
		strings.HasPrefix(text, "[Request"), strings.HasPrefix(text, "[Tool "), isSkipped(text), isSystemError(text):
		return true
	}
	return errorType(text, code, call{}) != tables.ErrorOther
}

// isSystemError: "EACCES: permission denied, open '/x'".
func isSystemError(text string) bool {
	name, _, ok := strings.Cut(strings.TrimPrefix(text, "Error: "), ": ")
	return ok && len(name) > 2 && name[0] == 'E' && name != "ERROR" && strings.ToUpper(name) == name && !strings.ContainsAny(name, " \n")
}
