package qwen

import (
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// stoppedAnswer is an answer that was stopped, and the stop.
type stoppedAnswer struct {
	uuid string
	stop *tables.Interruption
}

// cutShort is the confidence of a stop that only missing tokens show (FORMAT.md §5).
const cutShort = 0.8

// emitAnswerStop handles an answer without tokens and without an event of its request:
// a person stopped the answer. No line says so (FORMAT.md §5).
func (l *log) emitAnswerStop(r *record) {
	if l.aborted != nil { // its request's stop is recorded
		l.aborted.CutUUID, l.aborted.CutNothing = r.id, false
		return
	}
	l.stoppedAnswer = &stoppedAnswer{r.id, &tables.Interruption{
		Type: tables.InterruptedByUser, Phase: tables.PhaseResponse, CutUUID: r.id,
		Evidence: tables.EvidenceInferred, Confidence: cutShort, Timestamp: r.at,
	}}
	l.ended = true
	l.in.Emit(l.stoppedAnswer.stop)
}

// handleTurnResult handles the end of a turn, which another program that runs Qwen Code
// asked for: an editor, for example. A cancelled turn was stopped by the person there
// (FORMAT.md §5).
func (l *log) handleTurnResult(r *record) {
	if readers.Text(r.Value, "systemPayload", "state") == cancelled {
		l.emitTurnStop(r, "")
	}
}

// emitTurnStop emits the stop that a line records, if the turn has no other stop.
func (l *log) emitTurnStop(r *record, marker string) {
	if l.stoppedAnswer != nil {
		l.stoppedAnswer.stop.Evidence, l.stoppedAnswer.stop.Confidence = tables.EvidenceRecorded, 1
	}
	if !l.ended {
		l.ended = true
		l.aborted = &tables.Interruption{
			Type: tables.InterruptedByUser, Phase: tables.PhaseResponse, CutNothing: true, Marker: marker,
			Evidence: tables.EvidenceRecorded, Confidence: 1, Timestamp: r.at,
		}
		l.in.Emit(l.aborted)
	}
}

// withdrawStop marks a stop as void: the turn went on without a prompt, so nobody had
// stopped it.
func (l *log) withdrawStop() {
	if l.stoppedAnswer != nil {
		l.stoppedAnswer.stop.Void, l.stoppedAnswer, l.ended = true, nil, false
	}
}

// emitBatchStop emits the stop of a batch, once: a keypress stops all calls of a batch.
func (l *log) emitBatchStop(c *call, o outcome, at time.Time, text string) {
	if c.of.stopped {
		return
	}
	if l.aborted != nil {
		l.aborted.Void = true // the stopped call's own request
	}
	c.of.stopped, l.ended, l.aborted = true, true, nil
	marker, _, _ := strings.Cut(text, "\n")
	i := &tables.Interruption{
		Type: tables.InterruptedByUser, Phase: tables.PhaseTool, ToolUseID: c.ToolUseID,
		CutUUID: c.of.uuid, Marker: marker,
		Evidence: o.evidence, Confidence: o.sure, Timestamp: at,
	}
	if running := c.of.running(); running != nil {
		i.ToolUseID = running.ToolUseID
	}
	if l.at.agent != "" {
		i.Phase = tables.PhaseSubagent
	}
	l.in.Emit(i)
}

// running returns the first call of the batch that had started when it was stopped.
func (a *response) running() *call {
	for _, c := range a.calls {
		if c.end != nil && c.end.status == cancelled && c.end.ran != notStarted {
			return c
		}
	}
	return nil
}

// aborts lists the types of errors of a request that the person stopped (FORMAT.md §5).
var aborts = readers.SetOf(`APIUserAbortError AbortError`)

// handleAPIError handles a failed request. Each retry writes a line (FORMAT.md §5). If the
// failure follows an answer without tokens, the failure cut the answer, not a person.
func (l *log) handleAPIError(r *record, event *fastjson.Value) {
	var extra readers.Extra
	extra.Text("error_type", readers.Text(event, "error_type"))
	extra.Int("status_code", readers.Int(event, "status_code"))
	prompt := readers.Text(event, "prompt_id")
	owner := ownerOf(prompt)
	if owner != "" && owner != mainOwner {
		return // a subagent's: its own file goes on, or ends
	}
	m := &tables.Message{Role: tables.RoleSystem, Kind: tables.KindError, Text: readers.Text(event, "error_message"), Model: l.words.Intern(event.GetStringBytes("model"))}
	isHelper := owner == "" && prompt != "" // no turn asked: a compression, a suggestion
	isAbort := aborts[readers.Text(event, "error_type")]
	if isAbort && !isHelper {
		m.Kind = tables.KindInterruption
	}
	l.emitMessage(r, m, extra)
	switch {
	case isHelper:
		return
	case isAbort:
		l.emitTurnStop(r, m.Text)
		return
	}
	f := &tables.Failure{Marker: m.Text, Evidence: tables.EvidenceRecorded, Confidence: 1, Timestamp: r.at}
	if l.stoppedAnswer != nil {
		f.CutUUID = l.stoppedAnswer.uuid
		l.withdrawStop()
	}
	l.in.Emit(f)
}

// emitMissingResults ends the calls of the last response that have an event, but no
// result: the program ended between the two lines. The events of a subagent's calls
// stand in another file, so the results of its calls are emitted at the end of the file
// only.
func (l *log) emitMissingResults() {
	for _, c := range l.response.calls {
		if c.end == nil || c.result != "" {
			continue
		}
		o := c.end.outcome()
		c.result = c.of.uuid
		l.in.Emit(&tables.ToolResult{
			ToolUseID: c.ToolUseID, Output: c.end.text, Status: o.status, ErrorType: o.errorType,
			DurationMS: c.end.duration, Timestamp: c.end.at,
		})
		l.emitDecision(c, o, c.end.at, c.end.text)
	}
}

// exitCodeIn returns the exit code in a command's result (FORMAT.md §4.3).
func exitCodeIn(text string) tables.Maybe[int64] {
	at := strings.LastIndex(text, exitCodeStart)
	if at < 0 {
		return tables.Maybe[int64]{}
	}
	word, _, _ := strings.Cut(text[at+len(exitCodeStart):], "\n")
	return readers.ExitCode(strings.TrimSpace(word), 32)
}

const exitCodeStart = "\nExit Code: "
