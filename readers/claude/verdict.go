package claude

import (
	"strings"
	"time"

	"hindsql/readers"
	"hindsql/tables"
)

// verdict is the decided end of a call whose result is an error.
type verdict struct {
	status     string // a Status constant; empty if the call failed by itself
	by         string // DecidedBy constant of a refusal; empty if the call was not refused
	reason     string // the user's words
	evidence   string
	confidence float64
	sure       float64 // confidence of by; 0 if it equals confidence
	stop       bool    // the agent was told to stop: the marker of an interruption follows
	cut        bool    // the call was stopped while it ran: the marker follows
	clarify    bool    // the user wants to talk about the questions first
	claimed    bool    // the text states a refusal, but may be a tool's own
}

func denied(by string, confidence float64) verdict {
	return verdict{status: tables.StatusDenied, by: by, confidence: confidence, evidence: tables.EvidenceRecorded}
}

// byUnknown returns a refusal recorded by the program without the author's name.
func byUnknown() verdict {
	v := denied(tables.ByUnknown, 1)
	v.sure = 0.3
	return v
}

// failure is a failed result. A failure is judged at the end of the log, because other
// lines hold the evidence: a marker shows that the program wrote the refusal, and
// progress shows that the call ran.
type failure struct {
	id, uuid string
	batch    string // the same for all calls of a message
	at       time.Time
	version  string // of the line, otherwise the last one before, otherwise any
	text     string
	stamp    stamp
	aborted  bool   // written for a call without a result when the turn was stopped
	composed bool   // toolUseResult is the program's own: a tool's error begins with "Error: "
	repeated bool   // toolUseResult repeats the text, as for the program's own words: a tool's error begins with "Error: "
	subagent bool   // in a subagent's conversation
	mode     string // permission mode; empty if unknown

	call      *call
	known     bool // the log holds the call
	progress  bool // the log holds progress of the call
	preHook   bool // a hook ran before the call
	hookSays  bool // the log says that a hook refused the call
	queued    bool // a person typed input while the call was open
	end       *ending
	killed    *tables.Interruption // the system's stop shown by the failure; nil if none
	result    *tables.ToolResult
	rejection *tables.Rejection
	extra     map[string]any
	verdict   verdict
}

// Versions that changed the form of results.
const (
	framedFrom  = "2.0.60"  // a tool's own words stand after "Exit code" or in a tag
	stampedFrom = "2.1.204" // every denial is stamped
	startsFrom  = "2.1.330" // calls stopped before they ran are stamped
)

// Confidence of the program's sentence without other evidence: if a tool can't begin
// its text with the sentence, and if a shell can.
const (
	wordingAlone   = 0.95
	wordingOfShell = 0.7
)

func (f *failure) since(version string) bool { return readers.CompareVersions(f.version, version) >= 0 }

// foreign reports whether a server outside the program may have written the text.
func (f *failure) foreign() bool {
	return !f.known || f.call.kind == tables.ToolMCP || strings.Contains(f.call.name, "Mcp")
}

// judge decides by the stamps if there are any, otherwise by the text.
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
		return v // the call waited behind the call whose diff was closed
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

// unproven returns a plain failure: the text says that the call was refused, but any
// tool could have written it.
func unproven(w *wording) verdict {
	return verdict{claimed: w.by != ""}
}

// shells returns the verdict for versions that write a command's output without a
// frame.
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

// wasCut reports whether a call's text says that the call was stopped while running. If
// an exit code stands before the words, they may be a tool's own output, unless the
// marker follows.
func (f *failure) wasCut() bool {
	code, rest := exitCode(f.text)
	switch {
	case isShell(f.call.name) && tellsOfKill(code) && f.end.pressed(f.at):
		return true // the keypress killed the command
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

// tellsOfKill reports whether a signal ended the command: SIGINT, SIGKILL or SIGTERM.
func tellsOfKill(code tables.Maybe[int64]) bool {
	return code.Value == 130 || code.Value == 137 || code.Value == 143
}

// closedInEditor reports whether a person closed the diff of an edit in the editor
// instead of saving it. An edit's own error is never this short text.
func (f *failure) closedInEditor() bool {
	return f.known && f.call.kind == tables.ToolEdit && strings.TrimPrefix(f.text, "Error: ") == diffClosed
}

// closed returns the refusal of a closed diff. Calls waiting behind it got the words
// with STOP, and the marker follows.
func (f *failure) closed() verdict {
	v := verdict{status: tables.StatusRejected, by: tables.ByUser, stop: true, evidence: tables.EvidenceRecorded, confidence: 1}
	if !f.end.marked() && !f.stamp.given() {
		v.evidence, v.confidence = tables.EvidenceWording, 0.8
	}
	return v
}

// ranWhileTyping reports whether a person typed other input while a subagent's call was
// open. So no question about the call was open.
func (f *failure) ranWhileTyping() bool { return f.queued && f.call.kind == tables.ToolAgent }

// escape reads a refusal written when the turn was stopped: by Esc at the question, or
// on a running call. All calls without a result got the same words.
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

// asksAlways reports whether a kind waits for a person in every mode: plans and
// questions.
func asksAlways(kind string) bool { return kind == tables.ToolPlan || kind == tables.ToolQuestion }

// asksSeldom reports whether a tool usually runs without a question.
func asksSeldom(tool string) bool {
	switch tool {
	case "Agent", "Task", "TaskOutput", "Glob", "Grep", "LS":
		return true
	}
	return strings.HasPrefix(tool, "Todo")
}

// unworded reads a failure in words that the program doesn't use. If the program frames
// the tool's words and a hook ran before the call, words without a frame are most
// likely the hook's. Otherwise the call failed.
func (f *failure) unworded() verdict {
	if !f.preHook || !f.since(framedFrom) || f.since(stampedFrom) || !f.known || !framed[f.call.name] || isFramed(f.text) {
		return verdict{}
	}
	v := denied(tables.ByHook, 0.8)
	v.evidence = tables.EvidenceInferred
	return v
}

// framed lists the tools whose own failures always have a frame.
var framed = readers.SetOf("Bash Edit Write MultiEdit NotebookEdit")

// isFramed reports whether the program, or the operating system, wrote a failure's
// text.
func isFramed(text string) bool {
	code, _ := exitCode(text)
	switch {
	case code.OK, text == "", strings.HasPrefix(text, "Exit code"), strings.HasPrefix(text, "<tool_use_error>"),
		strings.HasPrefix(text, "[Request"), strings.HasPrefix(text, "[Tool "), isSkipped(text), isSystemError(text):
		return true
	}
	return errorType(text, code, call{}) != tables.ErrorOther
}

// isSystemError reports whether a text is like "EACCES: permission denied, open '/x'".
func isSystemError(text string) bool {
	name, _, ok := strings.Cut(strings.TrimPrefix(text, "Error: "), ": ")
	return ok && len(name) > 2 && name[0] == 'E' && name != "ERROR" && strings.ToUpper(name) == name && !strings.ContainsAny(name, " \n")
}
