package claude

import (
	"strings"
	"time"

	"hindsql/internal/pattern"
	"hindsql/readers"
	"hindsql/tables"
)

// verdict says how a call ended whose result is an error: refused, stopped, or failed
// by itself.
type verdict struct {
	status           string // a Status constant; empty if the call failed by itself
	by               string // DecidedBy constant of a refusal; empty if the call was not refused
	reason           string // the user's words; deciderWords has a hook's or the classifier's
	evidence         string
	confidence       float64
	authorConfidence float64 // confidence of by; 0 if it equals confidence
	stop             bool    // the text orders the agent to STOP; a marker follows
	cut              bool    // the call was stopped while it ran; a marker follows
	clarify          bool    // the user wants to talk about the questions first
	claimed          bool    // the text says that the call was refused, but a tool may have written it
}

func denied(by string, confidence float64) verdict {
	return verdict{status: tables.StatusDenied, by: by, confidence: confidence, evidence: tables.EvidenceRecorded}
}

// deniedByUnknown returns a refusal whose author Claude Code doesn't record.
func deniedByUnknown() verdict {
	v := denied(tables.ByUnknown, 1)
	v.authorConfidence = 0.3
	return v
}

// failedResult is a result that is an error. It is judged at the end of the log, because
// other lines hold evidence: a marker shows that Claude Code wrote a refusal's text,
// and progress shows that the call ran.
type failedResult struct {
	id, uuid string
	batch    string // the same for all calls of a message
	at       time.Time
	version  string // of the line, otherwise of the last line before it, otherwise of any line
	text     string
	stamp    stamp
	aborted  bool   // Claude Code wrote it for a call without a result when the user stopped the turn
	ownWords bool   // Claude Code wrote toolUseResult; a tool's error begins with "Error: " there
	repeated bool   // toolUseResult equals the text; a tool's error begins with "Error: " there
	subagent bool   // in a subagent's conversation
	mode     string // permission mode; empty if unknown

	call        *call
	known       bool // the log holds the call
	progress    bool // the log holds progress of the call
	noProgress  bool // the log holds progress of an MCP tool's call, but not of this one
	preHook     bool // a hook ran before the call
	hookRefused bool // the log says that a hook refused the call
	beforeGoOn  bool // Claude Code goes on without a prompt right after it
	queued      bool // a person typed input while the call was open
	end         *ending
	systemStop  *tables.Interruption // the system's stop shown by the failure; nil if none
	result      *tables.ToolResult
	rejection   *tables.Rejection
	extra       readers.Extra
	verdict     verdict
}

// Versions that changed the form of results.
const (
	framedFrom  = "2.0.60"  // a tool's own words stand after "Exit code" or in a tag
	stampedFrom = "2.1.204" // every denial is stamped
	startsFrom  = "2.1.330" // calls stopped before they ran are stamped
)

// Confidence that Claude Code wrote a known sentence, without other evidence: for tools
// that can't begin their text with it, and for shells, which can.
const (
	wordingAlone   = 0.95
	wordingOfShell = 0.7
	wordingOfMCP   = 0.9
)

func (f *failedResult) isSince(version string) bool {
	return readers.CompareVersions(f.version, version) >= 0
}

// canBeForeign reports whether a program other than Claude Code, for example an MCP server,
// may have written the text.
func (f *failedResult) canBeForeign() bool {
	return !f.known || f.call.kind == tables.ToolMCP || strings.Contains(f.call.name, "Mcp")
}

// wholeSentence matches the whole sentence of a refusal, or of a rule about an MCP tool.
var wholeSentence = pattern.Lazy(`^(?:(?:The user doesn't want to proceed with this tool use|Permission for this tool use was denied)\. The tool use was rejected \(eg\. if it was a file edit, the new_string was NOT written to the file\)\. (?:STOP what you are doing and wait for the user|To tell you how to proceed, the user said:\n|The user provided the following reason for the rejection:  |The user said:\n|Try a different approach)|Permission to use (mcp__\S+) has been (?:auto-denied \(prompts unavailable\)|denied)(?:\.?$|\. IMPORTANT: | because Claude Code is running in don't ask mode))`)

// neverRan reports whether an MCP tool's call ended in a whole sentence of Claude Code, and
// never reached the server. 2.1.12 to 2.1.80 write a line of progress when such a call
// begins (FORMAT.md §6.3).
func (f *failedResult) neverRan() bool {
	if !f.known || f.call.kind != tables.ToolMCP || !f.noProgress || !f.isSince("2.1.12") || f.isSince("2.1.81") {
		return false
	}
	m := wholeSentence.FindStringSubmatch(f.text)
	return m != nil && (m[1] == "" || m[1] == f.call.name)
}

// judge returns the verdict: by the stamp if it decides, otherwise by the text and by
// the other lines of the batch.
func (f *failedResult) judge() verdict {
	if f.aborted && f.end.hasMarkerAt(f.at) && f.end.marker.Type == tables.InterruptedBySystem {
		return verdict{status: tables.StatusInterrupted, cut: true} // the marker says that the process ended
	}
	if f.stamp.hasRefusalOrStop() {
		return f.stamp.verdict(f)
	}
	if f.hookRefused {
		return denied(tables.ByHook, 1)
	}
	if f.wasStoppedRunning() {
		return verdict{status: tables.StatusInterrupted, cut: true}
	}
	if f.closedInEditor() {
		return f.closedDiffVerdict()
	}
	w := wordingOf(f.text)
	if w == nil {
		return f.unwordedVerdict()
	}
	v := w.verdict(f.text)
	switch {
	case v.status == tables.StatusSkipped && (f.ownWords || !f.canBeForeign()) && (!isShell(f.call.name) || f.isSince(framedFrom)):
		return v
	case f.end.closed && v.stop && w.by == "":
		return v // the call waited until the person had closed another call's diff
	case f.isSince(stampedFrom):
		return claimVerdict(w)
	case w.start == refusalText && f.ranWhileTyping():
		return verdict{status: tables.StatusInterrupted, cut: true}
	case f.aborted && w.start == refusalText && v.stop:
		return f.escapeVerdict(v)
	case (v.stop || v.cut) && f.end.hasToolMarker() && (w.start == refusalText || !f.canBeForeign()):
		return v
	case f.ownWords && w.by == "":
		return v
	case f.canBeForeign() && !f.neverRan():
		return claimVerdict(w)
	case isShell(f.call.name) && !f.isSince(framedFrom):
		return shellVerdict(w, v)
	}
	return f.wordingVerdict(w, v)
}

// verdictOfBuiltIn returns the verdict of a result whose call is in another log, if the call
// is a built-in tool's, perhaps a shell's.
func (f *failedResult) verdictOfBuiltIn() verdict {
	built := *f
	built.known, built.call = true, &call{name: "Bash", kind: tables.ToolCommand}
	return built.judge()
}

// claimVerdict returns the verdict of a call that failed by itself. If the text says that
// the call was refused, claimed is true, because a tool could have written that text.
func claimVerdict(w *wording) verdict { return verdict{claimed: w.by != ""} }

// shellVerdict returns the verdict of a shell command in versions before 2.0.60. They
// put no frame around a command's output, so the output may imitate Claude Code's
// sentence.
func shellVerdict(w *wording, v verdict) verdict {
	if w.by == "" {
		return verdict{}
	}
	v.reason, v.clarify = "", false
	v.evidence, v.confidence = tables.EvidenceWording, min(v.confidence, wordingOfShell)
	return v
}

func (f *failedResult) wordingVerdict(w *wording, v verdict) verdict {
	if w.start == subagentRefusal && !f.subagent {
		v = denied(tables.ByUnknown, 0.5)
	}
	v.evidence, v.confidence = tables.EvidenceWording, min(v.confidence, wordingAlone)
	if f.canBeForeign() {
		v.confidence = min(v.confidence, wordingOfMCP)
	}
	return v
}

// wasStoppedRunning reports whether the text says that the call was stopped while it
// ran, and Claude Code wrote that text. If an exit code stands before the words, a tool
// may have printed them, unless a marker follows.
func (f *failedResult) wasStoppedRunning() bool {
	code, rest := exitCode(f.text)
	switch {
	case isShell(f.call.name) && isKillSignal(code) && f.end.hasMarkerAt(f.at):
		return true // the keypress killed the command
	case f.text == cutWhileRunning:
		return f.repeated && !f.canBeForeign() || f.end.hasMarkerAt(f.at) && (f.repeated || !f.canBeForeign())
	case !strings.HasPrefix(rest, interruptTool):
		return false
	case f.end.hasToolMarker():
		return true
	case f.isSince(stampedFrom), f.canBeForeign(), isShell(f.call.name) && !f.isSince(framedFrom):
		return false
	}
	return rest == f.text
}

// isStandIn reports whether the result isn't the call's own: Claude Code wrote it in a copy
// of the session or at a restart, for a call without a result (FORMAT.md §2.3). The call's
// own result may stand in another file.
func (f *failedResult) isStandIn() bool {
	if f.text == interruptTool {
		return f.beforeGoOn && f.verdict.status == tables.StatusInterrupted
	}
	named := strings.HasPrefix(f.text, notInCopy) || strings.HasPrefix(f.text, "[") && strings.Contains(f.text, endedBefore)
	return named && (f.stamp.kind == "interrupted" || f.ownWords || !f.canBeForeign())
}

// isKillSignal reports whether a signal ended the command: SIGINT, SIGKILL or SIGTERM.
func isKillSignal(code tables.Maybe[int64]) bool {
	return code.Value == 130 || code.Value == 137 || code.Value == 143
}

// closedInEditor reports whether a person closed the diff of an edit in the editor
// instead of saving it. An edit's own error is never this short text.
func (f *failedResult) closedInEditor() bool {
	return f.known && f.call.kind == tables.ToolEdit && strings.TrimPrefix(f.text, "Error: ") == diffClosed
}

// closedDiffVerdict returns the refusal of an edit whose diff a person closed. Calls of
// the batch that waited for this call got the order to STOP, and a marker follows.
func (f *failedResult) closedDiffVerdict() verdict {
	v := verdict{status: tables.StatusRejected, by: tables.ByUser, stop: true, evidence: tables.EvidenceRecorded, confidence: 1}
	if !f.end.hasToolMarker() && !f.stamp.hasRefusalOrStop() {
		v.evidence, v.confidence = tables.EvidenceWording, 0.8
	}
	return v
}

// ranWhileTyping reports whether a person typed input while a subagent's call had no
// result. Then Claude Code was not asking about the call: the call ran.
func (f *failedResult) ranWhileTyping() bool { return f.queued && f.call.kind == tables.ToolAgent }

// escapeVerdict returns the verdict of a refusal that was written because the user pressed
// Esc, either at the question about this call or while it ran. All calls without a
// result got the same words, so other evidence decides.
func (f *failedResult) escapeVerdict(refusal verdict) verdict {
	if f.progress || f.queued && asksSeldom(f.call.name) || f.mode == bypassMode && !asksAlways(f.call.kind) || f.isSince(startsFrom) {
		return verdict{status: tables.StatusInterrupted, cut: true}
	}
	refusal.confidence = 0.9
	if asksSeldom(f.call.name) {
		refusal.evidence, refusal.confidence = tables.EvidenceInferred, 0.6
	}
	return refusal
}

// asksAlways reports whether calls of this kind need a person in every permission mode.
func asksAlways(kind string) bool { return kind == tables.ToolPlan || kind == tables.ToolQuestion }

// asksSeldom reports whether a tool usually runs without a question.
func asksSeldom(tool string) bool {
	switch tool {
	case "Agent", "Task", "TaskOutput", "Glob", "Grep", "LS":
		return true
	}
	return strings.HasPrefix(tool, "Todo")
}

// unwordedVerdict returns the verdict of a text with no known sentence. Some versions put a
// frame around each tool's words. In these versions, if a hook ran before the call and
// the text has no frame, the hook most likely wrote it and refused the call. Otherwise
// the call failed by itself.
func (f *failedResult) unwordedVerdict() verdict {
	if !f.preHook || !f.isSince(framedFrom) || f.isSince(stampedFrom) || !f.known || !framed[f.call.name] || isFramed(f.text) {
		return verdict{}
	}
	v := denied(tables.ByHook, 0.8)
	v.evidence = tables.EvidenceInferred
	return v
}

// framed lists the tools whose error texts always have a frame.
var framed = readers.SetOf("Bash Edit Write MultiEdit NotebookEdit")

// isFramed reports whether a failure's text has a frame, or is an error of Claude Code
// or of the operating system.
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
