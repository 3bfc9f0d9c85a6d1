package claude

import (
	"encoding/json"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/valyala/fastjson"

	"hindsql/readers"
	"hindsql/tables"
)

// result reads one tool_result block: how the call ended, and whether that was
// a refusal or a cut.
func (t *transcript) result(r *record, b block) {
	id := readers.Text(b.Value, "tool_use_id")
	text, images := resultText(b.Get("content"))
	isError := b.GetBool("is_error")
	detail := r.Get("toolUseResult")
	e := &tables.ToolResult{
		ToolUseID:         id,
		Output:            t.offloaded(text),
		Status:            tables.StatusOK,
		Timestamp:         r.at,
		DurationMS:        recordedDuration(detail),
		SubagentSessionID: t.subagentSession(detail),
	}
	extra := resultExtra(detail, images)
	if isError {
		t.failure(r, e, text, extra)
	} else if t.calls[id].kind == tables.ToolCommand {
		e.ExitCode = exitCodeOfSuccess(detail)
	}
	e.Extra = readers.Object(extra)
	t.emit(e)
	t.afterResult(r, e)
}

// failure fills in a failed result, and emits the refusal where it is one.
func (t *transcript) failure(r *record, e *tables.ToolResult, text string, extra map[string]any) {
	if d, ok := denialOf(r, text); ok {
		e.Status = d.status
		if d.clarify {
			extra["clarify"] = true
		}
		t.refused(r, e, d)
		return
	}
	code, rest := exitCode(text)
	e.ExitCode = code
	switch {
	case strings.HasPrefix(rest, interruptTool), string(r.GetStringBytes("toolUseResult")) == "Error: "+interruptTool:
		e.Status = tables.StatusInterrupted
		t.cutTools[r.uuid] = e
	case isSkipped(text):
		e.Status = tables.StatusSkipped
	default:
		e.Status = tables.StatusError
		e.ErrorType = errorType(text, code, t.calls[e.ToolUseID])
	}
}

// refused takes a result that tells of a decision, or of a cut. An
// interruption that follows belongs to the call that was refused, also when
// results of its batch-mates, cut by the same keypress, stand between (R4).
func (t *transcript) refused(r *record, e *tables.ToolResult, d denial) {
	switch {
	case d.status == tables.StatusInterrupted && !d.stop:
		e.ExitCode, _ = exitCode(e.Output)
		t.cutTools[r.uuid] = e
	case d.status == tables.StatusInterrupted && t.stopped != nil:
		t.stops[r.uuid] = t.stopped
	case d.stop:
		t.stops[r.uuid] = e
		t.stopped = e
	}
	if d.status != tables.StatusInterrupted {
		t.emit(t.rejection(r, e.ToolUseID, d))
	}
}

func (t *transcript) rejection(r *record, id string, d denial) *tables.Rejection {
	e := &tables.Rejection{
		ToolUseID:  id,
		DecidedBy:  d.by,
		Reason:     d.reason,
		Evidence:   tables.EvidenceRecorded,
		Confidence: 1,
		Timestamp:  r.at,
	}
	if d.by == tables.ByUnknown {
		e.Confidence = 0.5
	}
	if d.status == tables.StatusDenied {
		e.RejectionType = tables.RejectPermission
	}
	return e
}

// afterResult emits the interruption that a result itself tells of, one the
// system made: a time-out, or a command that was killed (§4.3, §7).
func (t *transcript) afterResult(r *record, e *tables.ToolResult) {
	killed := e.ExitCode.Value == 130 || e.ExitCode.Value == 137
	timeout := e.ErrorType == tables.ErrorTimeout
	if e.Status != tables.StatusError || !killed && !timeout {
		return
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
	if timeout {
		_, output = exitCode(output)
	} else {
		i.Evidence, i.Confidence = tables.EvidenceInferred, 0.6
	}
	i.Marker, i.PartialOutput, _ = strings.Cut(output, "\n")
	t.emit(i)
}

// resultText joins a result's texts, and describes its images, whose bytes are
// left out.
func resultText(content *fastjson.Value) (string, []readers.Image) {
	var texts []string
	var images []readers.Image
	for _, b := range blocks(content) {
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

var exitCodeLine = regexp.MustCompile(`^(?:Error: )?(?:Exit code|Command failed with exit code) (-?\d+)\s*`)

// exitCode splits "Exit code 2\n…" (2.0 on; older versions wrote no code).
func exitCode(text string) (tables.Maybe[int64], string) {
	m := exitCodeLine.FindStringSubmatch(text)
	if m == nil {
		return tables.Maybe[int64]{}, text
	}
	n, err := strconv.ParseInt(m[1], 10, 32)
	if err != nil {
		return tables.Maybe[int64]{}, text
	}
	return tables.Some(n), text[len(m[0]):]
}

// exitCodeOfSuccess is 0 for a command that ended well in the foreground; a
// returnCodeInterpretation tells of a code other than 0 that it doesn't give.
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

// errorTypes by the beginning of a failed result's text, without its tag.
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

// errorType says why a call failed. Before 2.0.6x a shell's failure stood in the
// log without its code.
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
	for _, key := range []string{"totalDurationMs", "durationMs"} {
		if ms := readers.Int(detail, key); ms.OK {
			return ms
		}
	}
	if v := detail.Get("durationSeconds"); v != nil {
		return tables.Some(time.Duration(v.GetFloat64() * float64(time.Second)).Milliseconds())
	}
	return tables.Maybe[int64]{}
}

// subagentSession is the session of the subagent whose id a Task result names (§9).
func (t *transcript) subagentSession(detail *fastjson.Value) string {
	if id := detail.GetStringBytes("agentId"); len(id) > 0 {
		return t.root + "/agent-" + string(id)
	}
	return ""
}

// resultDetails are the fields of toolUseResult that no column holds and
// people ask for.
var resultDetails = []string{
	"returnCodeInterpretation", "backgroundTaskId", "gitOperation", "timedOutAfterMs", "userModified",
	"planWasEdited", "answers", "annotations", "totalTokens", "totalToolUseCount", "wasInterrupted",
	"persistedOutputPath", "persistedOutputSize", "code", "bytes",
}

func resultExtra(detail *fastjson.Value, images []readers.Image) map[string]any {
	extra := map[string]any{}
	for _, key := range resultDetails {
		v := detail.Get(key)
		if v != nil && v.Type() != fastjson.TypeNull && v.Type() != fastjson.TypeFalse {
			extra[key] = json.RawMessage(readers.JSON(v))
		}
	}
	if len(images) > 0 {
		extra["images"] = images
	}
	return extra
}

const persistedTag = "<persisted-output>"

var persistedPath = regexp.MustCompile(`Full output saved to: (.+)`)

// offloaded gives the whole of an output that was moved to a file of its own
// (§4.4); the preview where that file is gone or too large.
func (t *transcript) offloaded(text string) string {
	if !strings.HasPrefix(text, persistedTag) {
		return text
	}
	m := persistedPath.FindStringSubmatch(text)
	if m == nil {
		return text
	}
	name := path.Base(strings.ReplaceAll(strings.TrimSpace(m[1]), `\`, "/"))
	whole, err := t.in.Beside(path.Join(t.folder, "tool-results", name))
	if err != nil {
		t.besideProblem(err)
		return text
	}
	return string(whole)
}
