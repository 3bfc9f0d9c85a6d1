package claude

import (
	"cmp"
	"encoding/json"
	"math"
	"path"
	"slices"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/internal/pattern"
	"hindsql/readers"
	"hindsql/tables"
)

// handleResult handles a tool_result block: how the call ended. resolveEndings decides
// later, at the end of the log, whether a failed call was refused or stopped.
func (t *transcript) handleResult(r *record, b block) {
	id := b.resultOf(t.calls)
	text, images := t.parser.resultText(b.Get("content"))
	detail := r.Get("toolUseResult")
	e := t.resultArena.New()
	*e = tables.ToolResult{
		ToolUseID:         id,
		Output:            t.readOffloaded(text),
		Status:            tables.StatusOK,
		Timestamp:         r.at,
		DurationMS:        recordedDuration(detail),
		SubagentSessionID: subagentSession(t.root, detail),
	}
	var extra readers.Extra
	setKeys(&extra, detail, resultDetails)
	extra.Images(images)
	if r.results == 1 {
		setKeys(&extra, r.Value, lineDetails)
	}
	failed := b.GetBool("is_error")
	c := t.call(id)
	c.result = e
	if detail.GetBool("userModified") && !failed {
		e.EditKept = tables.EditChanged
	}
	if c.kind == tables.ToolQuestion && !failed {
		if e.Answers = answersOf(detail); e.Answers != nil {
			delete(extra, "answers")
		}
	}
	if c.kind == tables.ToolAgent && e.SubagentSessionID == "" && !failed {
		e.SubagentSessionID = t.namedSubagent(b.Get("content"))
	}
	switch {
	case failed:
		e.Status = tables.StatusError
		if c.kind != tables.ToolMCP { // a server's words have no frame
			e.ExitCode, _ = exitCode(text)
		}
		if readers.CompareVersions(cmp.Or(r.version, t.facts.version), framedFrom) >= 0 {
			c = &call{} // a failed command has its exit code
		}
		e.ErrorType = errorType(text, e.ExitCode, *c)
	case c.kind == tables.ToolCommand:
		e.ExitCode = exitCodeOfSuccess(detail)
	}
	e.Extra = readers.Object(extra)
	t.emit(e)
	batch := t.assignBatch(r, id)
	if failed {
		t.addFailedResult(r, e, batch, text, extra)
	} else {
		t.emitSuccessDecision(r, e, text)
	}
}

// resultOf returns the id of a result's call.
func (b block) resultOf(calls map[string]*call) string {
	id := b.GetStringBytes("tool_use_id")
	if c := calls[string(id)]; c != nil {
		return c.event.ToolUseID
	}
	return string(id)
}

// emitSystemStop emits an interruption by the system if the result shows one: a
// time-out, a command killed by a signal, or the end of the process. Otherwise it returns
// nil. A person's keypress also kills commands, and a marker may follow the end of the
// process; resolveEndings then withdraws the interruption.
func (t *transcript) emitSystemStop(r *record, e *tables.ToolResult) *tables.Interruption {
	killed := e.ExitCode.Value == 130 || e.ExitCode.Value == 137
	timeout := e.ErrorType == tables.ErrorTimeout
	s := stampOf(r)
	switch {
	case s.shutdown:
	case !killed && !timeout, t.call(e.ToolUseID).kind == tables.ToolMCP:
		return nil
	case s.hasRefusalOrStop(), strings.Contains(e.Output, interruptTool):
		return nil // another line or field states the end
	}
	i := &tables.Interruption{
		Type:       tables.InterruptedBySystem,
		Phase:      tables.PhaseTool,
		CutUUID:    r.parent,
		ToolUseID:  e.ToolUseID,
		Evidence:   tables.EvidenceRecorded,
		Confidence: 1,
		Timestamp:  r.at,
	}
	output := e.Output
	switch {
	case s.shutdown:
		output = "interruptedByShutdown"
		if t.agent || r.sidechain {
			i.Phase = tables.PhaseSubagent // it repeats the parent's
		}
	case timeout:
		_, output = exitCode(output)
	default:
		i.Evidence, i.Confidence = tables.EvidenceInferred, 0.6
	}
	i.Marker, i.PartialOutput, _ = strings.Cut(output, "\n")
	t.emit(i)
	return i
}

// resultText joins a result's texts. It describes the images, without their bytes.
func (w *recordParser) resultText(content *fastjson.Value) (string, []readers.Image) {
	if content != nil && content.Type() == fastjson.TypeString {
		return readers.Text(content), nil
	}
	var texts []string
	var images []readers.Image
	for _, b := range w.parseBlocks(nil, content) {
		switch b.kind {
		case "text":
			texts = append(texts, b.text)
		case "image", "document":
			images = append(images, imageOf(b))
		case "tool_reference":
			texts = append(texts, readers.Text(b.Value, "tool_name"))
		default:
			texts = append(texts, readers.JSON(b.Value))
		}
	}
	return strings.Join(texts, "\n"), images
}

func imageOf(b block) readers.Image {
	source := b.Get("source")
	return readers.ImageOf(readers.Text(source, "media_type"), source.GetStringBytes("data"))
}

var exitCodeLine = pattern.Lazy(`^(?:Error: )?(?:Exit code|Command failed with exit code) (-?\d+)\s*`)

// exitCode splits a text like "Exit code 2\n…" into the code and the rest. Versions
// before 2.0 wrote no code; then it returns an unset code and the whole text.
func exitCode(text string) (tables.Maybe[int64], string) {
	m := exitCodeLine.FindStringSubmatch(text)
	if m == nil {
		return tables.Maybe[int64]{}, text
	}
	if code := readers.ExitCode(m[1], 32); code.OK {
		return code, text[len(m[0]):]
	}
	return tables.Maybe[int64]{}, text
}

// exitCodeOfSuccess returns the exit code of a command whose result is no error. It is
// 0 for a command in the foreground. It is unknown if returnCodeInterpretation is
// present: that field explains a code other than 0 but doesn't hold the code.
func exitCodeOfSuccess(detail *fastjson.Value) tables.Maybe[int64] {
	if code := readers.Int(detail, "exitCode"); code.OK {
		return code
	}
	if !detail.Exists("stdout") || detail.Exists("returnCodeInterpretation") || detail.Exists("backgroundTaskId") || detail.Exists("shellId") {
		return tables.Maybe[int64]{}
	}
	return tables.Some[int64](0)
}

func isSkipped(text string) bool {
	text = strings.TrimPrefix(text, "<tool_use_error>")
	return strings.HasPrefix(text, "Sibling tool call errored") || strings.HasPrefix(text, "Cancelled: parallel tool call")
}

// errorTypes maps the beginnings of failed results, without tags, to error types.
var errorTypes = []struct{ prefix, errorType string }{
	{"InputValidationError", tables.ErrorInvalidCall},
	{"Error: No such tool available", tables.ErrorInvalidCall},
	{"No such tool available", tables.ErrorInvalidCall},
	{"Error: Unknown tool", tables.ErrorInvalidCall},
	{"Unknown skill", tables.ErrorInvalidCall},
	{"Agent type '", tables.ErrorInvalidCall},
	{"Command timed out after", tables.ErrorTimeout},
	{"Request timed out", tables.ErrorTimeout},
	{"File does not exist", tables.ErrorNotFound},
	{"Path does not exist", tables.ErrorNotFound},
	{"Directory does not exist", tables.ErrorNotFound},
	{"ENOENT", tables.ErrorNotFound},
}

// errorType returns why a call failed. Before version 2.0.60, a failed shell command
// has no exit code in the log; a failure of a shell tool then counts as one.
func errorType(text string, code tables.Maybe[int64], c call) string {
	if strings.Contains(text, "<sandbox_violations>") {
		return tables.ErrorSandbox
	}
	_, rest := exitCode(text)
	rest = strings.TrimPrefix(strings.TrimPrefix(rest, "<tool_use_error>"), "Error: ")
	for _, e := range errorTypes {
		if strings.HasPrefix(rest, e.prefix) {
			return e.errorType
		}
	}
	if code.OK || isShell(c.name) && !strings.HasPrefix(text, "<tool_use_error>") {
		return tables.ErrorExitCode
	}
	return tables.ErrorOther
}

func isShell(tool string) bool { return tool == "Bash" || tool == "PowerShell" }

func recordedDuration(detail *fastjson.Value) tables.Maybe[int64] {
	var rounded tables.Maybe[int64]
	if v := detail.Get("durationSeconds"); v != nil {
		rounded = readers.CountOf(math.Trunc(1000*v.GetFloat64()), 1)
	}
	return cmp.Or(readers.Int(detail, "totalDurationMs"), readers.Int(detail, "durationMs"), rounded)
}

// subagentSession returns the session of the subagent whose id stands in a Task result
// (FORMAT.md §9.1); empty if there is none.
func subagentSession(root string, detail *fastjson.Value) string {
	if id := detail.GetStringBytes("agentId"); len(id) > 0 {
		return root + "/agent-" + string(id)
	}
	return ""
}

var agentNote = pattern.Lazy(`^agentId: ([0-9A-Za-z_-]+) \((?:use SendMessage|for resuming)`)

// namedSubagent returns the subagent's session from Claude Code's note to the main
// agent, which is a separate text block of the result. The session's file must exist,
// because the subagent's own answer may hold the same text. The result is empty if no
// note is found.
func (t *transcript) namedSubagent(content *fastjson.Value) string {
	for _, b := range slices.Backward(t.parser.parseBlocks(nil, content)) {
		named := agentNote.FindStringSubmatch(b.text)
		if named == nil {
			continue
		}
		file := "agent-" + named[1] + ".jsonl"
		if t.in.Exists(path.Join(t.folder, "subagents", file)) || t.in.Exists(path.Join(path.Dir(t.in.Rel), file)) {
			return t.root + "/agent-" + named[1]
		}
	}
	return ""
}

// resultDetails lists fields of toolUseResult that have no column and go into extra.
var resultDetails = []string{
	"returnCodeInterpretation", "backgroundTaskId", "gitOperation", "timedOutAfterMs",
	"planWasEdited", "answers", "annotations", "totalTokens", "totalToolUseCount", "wasInterrupted",
	"persistedOutputPath", "persistedOutputSize", "code", "bytes",
}

// lineDetails lists fields of a result's line that have no column and go into extra.
var lineDetails = []string{
	"permissionDecision", "toolDenialUnanswered", "toolDenialEndsTurn", "toolDenialMonitorBlocked", "toolDenialAfterRun",
	"toolDenialFromHost", "toolDenialBeforeRun", "holdsPersonsWords", "toolResultRemedy", "toolResultTypedCommand",
	"sandboxed", "sandboxViolations",
}

// setKeys sets those of an object's keys that are there, and are neither null nor false.
func setKeys(extra *readers.Extra, v *fastjson.Value, keys []string) {
	for _, key := range keys {
		value := v.Get(key)
		if !readers.IsNull(value) && value.Type() != fastjson.TypeFalse {
			extra.Set(key, json.RawMessage(readers.JSON(value)))
		}
	}
}

const persistedTag = "<persisted-output>"

var persistedPath = pattern.Lazy(`Full output saved to: (.+)`)

// readOffloaded returns the full text of an output that Claude Code moved to a separate
// file (FORMAT.md §4.3). If the file is gone or too large, or text names no file, it
// returns text unchanged.
func (t *transcript) readOffloaded(text string) string {
	if !strings.HasPrefix(text, persistedTag) {
		return text
	}
	m := persistedPath.FindStringSubmatch(text)
	if m == nil {
		return text
	}
	name := path.Base(strings.ReplaceAll(strings.TrimSpace(m[1]), `\`, "/"))
	whole, err := t.in.ReadFile(path.Join(t.folder, "tool-results", name))
	if err != nil {
		t.reportFileError(err)
		return text
	}
	return string(whole)
}

// answersOf returns the questions of AskUserQuestion with what the person answered
// (FORMAT.md §4.5): toolUseResult.answers has a text for each question's text. Where
// several labels may be picked, the text has them with commas between, and the person's
// own words, too. Notes beside a picked label are in annotations.
func answersOf(detail *fastjson.Value) []tables.Answer {
	given, notes := detail.Get("answers"), detail.Get("annotations")
	if given == nil || given.Type() != fastjson.TypeObject {
		return nil
	}
	return readers.Answers(detail.GetArray("questions"), func(_ int, q *fastjson.Value, labels []string) []string {
		question := readers.Text(q, "question")
		return append(readers.SplitAnswer(readers.Text(given, question), q, labels), readers.Text(notes, question, "notes"))
	})
}
