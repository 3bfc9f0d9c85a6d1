package pilines

import (
	"slices"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// Run is a run of OpenClaw that ended before its answer was complete. OpenClaw's record
// of runs shows it, if the conversation doesn't.
type Run struct {
	ID       string
	EndedAt  time.Time
	ByUser   bool                 // a person stopped the run
	CallsEnd map[string]time.Time // by the model's own id: when the run's calls ended
}

// claw holds what OpenClaw's lines need besides pi's (readers/openclaw/FORMAT.md §3).
type claw struct {
	log        *log
	runs       []Run            // in the order of their ends; the first ones may have been told
	stopped    readers.Set      // runs whose stop a line told
	turns      map[string]*turn // the last response of each run
	settled    map[*turn]bool   // responses whose calls all have a result
	command    *entry           // the last typed command
	reset      *tables.Clear    // the last reset
	compaction *tables.Compaction
	again      again
	asked      map[string]*result   // commands that wait for an approval, by the question's id
	cut        *tables.Interruption // the stop since the last prompt; nil if there was none
}

// newClaw returns the state of OpenClaw's lines, and has l pass each compaction to it. In a
// fork, messages from before the fork get the original's id.
func newClaw(l *log) *claw {
	c := &claw{log: l, runs: slices.Clone(l.Runs), stopped: readers.Set{}, turns: map[string]*turn{}, settled: map[*turn]bool{}, asked: map[string]*result{}}
	c.again.lines = map[lineKey]*sameLines{}
	slices.SortStableFunc(c.runs, func(a, b Run) int { return a.EndedAt.Compare(b.EndedAt) })
	in, emit := *l.in, l.in.Emit
	in.Emit = func(e tables.Event) {
		switch made := e.(type) {
		case *tables.Compaction:
			c.compaction = made
		case *tables.Message:
			if made.Timestamp.Before(l.ForkedAt) {
				made.OriginSessionID = l.session.ForkedFrom
			}
		}
		emit(e)
	}
	l.in = &in
	return c
}

// The kinds of lines and the roles that OpenClaw writes in its own way.
var (
	clawKinds = map[string]func(*log, *entry, *fastjson.Value){
		"reset": func(l *log, e *entry, v *fastjson.Value) { l.claw.handleReset(e, v) },
		"leaf":  func(l *log, e *entry, v *fastjson.Value) { l.claw.rewind(e, v) },
	}
	clawRoles = map[string]func(*log, *entry, *fastjson.Value){
		"user":       func(l *log, e *entry, v *fastjson.Value) { l.claw.user(e, v) },
		"assistant":  func(l *log, e *entry, v *fastjson.Value) { l.claw.assistant(e, v) },
		"toolResult": func(l *log, e *entry, v *fastjson.Value) { l.claw.toolResult(e, v) },
	}
)

// findCopied finds out whether a line is a copy of an earlier line.
func (c *claw) findCopied(e *entry, v *fastjson.Value) {
	if n := len(c.log.entries); n > 0 && e.parent != c.log.entries[n-1] {
		c.again.pass++
	}
	if first := c.again.find(e, v); first != nil {
		e.copyFrom(first)
	}
}

// emitRunsBefore emits the stops of runs that ended before a line was written.
func (c *claw) emitRunsBefore(v *fastjson.Value) {
	if abort := v.Get("message", "openclawAbort"); abort != nil {
		c.stopped[readers.Text(abort, "runId")] = true
	}
	if at := readers.Time(v.Get("timestamp")); !at.IsZero() && len(c.runs) > 0 {
		c.emitRuns(at)
	}
}

// emitRuns emits the stops of runs that ended before a time; of all runs if it is zero.
func (c *claw) emitRuns(until time.Time) {
	for len(c.runs) > 0 && c.log.opened && (until.IsZero() || c.runs[0].EndedAt.Before(until)) {
		if run := c.runs[0]; !c.stopped[run.ID] {
			c.stopped[run.ID] = true
			c.emitRun(run)
		}
		c.runs = c.runs[1:]
	}
}

// emitRun emits the stop of a run that no line shows: a tool ran, or the model had not
// written a word.
func (c *claw) emitRun(run Run) {
	i := &tables.Interruption{
		Type: tables.InterruptedBySystem, Phase: tables.PhaseResponse, CutNothing: true, Marker: "interrupted",
		Evidence: tables.EvidenceRecorded, Confidence: 1, Timestamp: run.EndedAt,
	}
	if run.ByUser {
		i.Type = tables.InterruptedByUser
	}
	ends := map[*call]time.Time{}
	for id, at := range run.CallsEnd {
		ends[c.log.calls[id]] = at
	}
	c.emitStop(i, tables.PhaseTool, c.turns[run.ID], func(call *call) time.Time {
		if at := ends[call]; !at.IsZero() {
			return at
		}
		return run.EndedAt
	})
}

// emitStop emits a stop, and ends the calls of a response that have no result: then the
// stop came in that phase.
func (c *claw) emitStop(i *tables.Interruption, phase string, t *turn, at func(*call) time.Time) {
	open := c.openCalls(t)
	for _, call := range open {
		call.result = &result{ToolResult: tables.ToolResult{ToolUseID: call.ToolUseID, Status: tables.StatusInterrupted, Timestamp: at(call)}}
		call.result.DurationUnknown = call.result.Timestamp.IsZero()
		c.log.in.Emit(&call.result.ToolResult)
	}
	if len(open) > 0 {
		i.Phase, i.CutNothing, i.CutUUID = phase, false, t.at.uuid
	}
	if len(open) == 1 {
		i.ToolUseID = open[0].ToolUseID
	}
	if c.log.agent {
		i.Phase = tables.PhaseSubagent
	}
	c.log.in.Emit(i)
}

// openCalls returns a response's calls without a result. If all calls have results, later
// searches skip the response.
func (c *claw) openCalls(t *turn) []*call {
	if t == nil || c.settled[t] {
		return nil
	}
	list := slices.DeleteFunc(slices.Clone(t.calls), func(call *call) bool { return call.result != nil })
	c.settled[t] = len(list) == 0
	return list
}

// assistant handles a response, and a line in a response's form that the gateway wrote.
func (c *claw) assistant(e *entry, v *fastjson.Value) {
	l := c.log
	if readers.Text(v, "provider") != "openclaw" || readers.Text(v, "model") != "gateway-injected" {
		l.assistant(e, v)
		if run := readers.Text(v, "__openclaw", "runId"); run != "" {
			c.turns[run] = e.turn
		}
		return
	}
	body := l.content(v.Get("content"), "assistant")
	if abort := v.Get("openclawAbort"); abort.GetBool("aborted") {
		c.abort(e, abort, body)
		return
	}
	m := &tables.Message{Role: tables.RoleSystem, Kind: tables.KindNotice, Text: body.text()}
	if e.lastMessage != nil && e.lastMessage == c.command {
		m.Role, m.Kind = tables.RoleUser, tables.KindCommandOutput
	}
	l.emitMessage(e, m, body)
}

// abort handles the line of a stop. Its text is what the model had written, or, if a
// call waited for approval, the complete text before the call.
func (c *claw) abort(e *entry, abort *fastjson.Value, body content) {
	before := c.turns[readers.Text(abort, "runId")]
	i := &tables.Interruption{
		Type: tables.InterruptedByUser, Phase: tables.PhaseResponse, CutUUID: e.uuid, PartialOutput: body.text(),
		Marker: readers.Text(abort, "origin"), Evidence: tables.EvidenceRecorded, Confidence: 1, Timestamp: e.at,
	}
	m := &tables.Message{Role: tables.RoleAssistant, Kind: tables.KindResponse, Text: body.text(), StopReason: "aborted"}
	if c.cut != nil && c.cut.Type == tables.InterruptedBySystem { // the model's own line of the same stop
		c.cut.Void = true
	}
	c.cut = i
	waits := len(c.openCalls(before)) > 0
	if waits {
		m = &tables.Message{Role: tables.RoleUser, Kind: tables.KindInterruption, Text: body.text()}
	}
	c.log.emitMessage(e, m, body)
	if !waits {
		e.turn = &turn{at: e}
		before = nil
	}
	c.emitStop(i, tables.PhaseApproval, before, func(*call) time.Time { return e.at })
}

// handleReset handles a reset: OpenClaw no longer sends earlier lines to the model. A
// typed command stands on the next line.
func (c *claw) handleReset(e *entry, v *fastjson.Value) {
	command := ""
	if reason := readers.Text(v, "reason"); reason == "new" || reason == "reset" {
		command = "/" + reason
	}
	c.reset = c.log.emitReset(e, command)
}

// rewind handles a rewind: the conversation goes on from an earlier line.
func (c *claw) rewind(e *entry, v *fastjson.Value) {
	target := c.log.byID[readers.Text(v, "targetId")]
	if target == nil || target == e {
		return
	}
	e.parent, e.lastMessage, e.turn, e.compacted = target, target.lastMessage, target.turn, target.compacted
	c.again.pass++
}

// completeCommand completes what a typed command asked for, which stands right before
// the command.
func (c *claw) completeCommand(e *entry, text string) {
	word, _, _ := strings.Cut(text, " ")
	if made := c.compaction; made != nil && word == "/compact" && e.lastMessage != nil && e.lastMessage.uuid == made.UUID {
		made.Trigger, made.TriggerInferred = "manual", true
	}
	if made := c.reset; made != nil && e.parent != nil && e.parent.uuid == made.UUID && (word == "/new" || word == "/reset") {
		made.Command = word
	}
}

// user handles a prompt or a command, or what OpenClaw itself put in a person's place.
func (c *claw) user(e *entry, v *fastjson.Value) {
	l := c.log
	body := l.content(v.Get("content"), "user")
	m, said := &tables.Message{Role: tables.RoleUser, Kind: tables.KindPrompt, Text: body.text()}, parseSpoken(body.text())
	own := v.Get("__openclaw")
	body.extra.Flag("steering", readers.Text(own, "steerTargetRunId") != "")
	body.extra.Text("channel", readers.Text(own, "transport", "channel"))
	body.extra.Text("source_tool", readers.Text(v, "provenance", "sourceTool"))
	addAttachments(&body, v.GetArray("media"))
	from := readers.Text(v, "provenance", "kind")
	switch {
	case l.agent:
		m.Kind = tables.KindInjected
	case from == "internal_system":
		m.Kind, m.BeginsTurn = tables.KindInjected, true
	default:
		clients := own.GetArray("transport", "clients")
		m.TypedBy = typedBy(clients, from)
		if said.words != strings.TrimSpace(m.Text) {
			m.TypedText = said.words
		}
		if from == "" && len(clients) == 0 {
			c.userBefore(e, m, &said)
		}
		if m.Kind == tables.KindPrompt && readers.IsCommand(said.words) {
			m.Kind = tables.KindCommand
			c.completeCommand(e, said.words)
		}
	}
	if c.cut != nil && said.stopped {
		c.cut.Type = tables.InterruptedByUser
	}
	c.cut = nil
	if readers.Text(v, "provenance", "sourceTool") == "main_session_restart_recovery" {
		c.emitCrash(e, m.Text)
	}
	l.emitMessage(e, m, body)
	if m.Kind == tables.KindCommand {
		c.command = e
	}
}

// emitCrash emits the stop that a prompt after a crash of the gateway shows. The stop
// came before the prompt, which begins another turn.
func (c *claw) emitCrash(e *entry, text string) {
	marker, _, _ := strings.Cut(text, ". ")
	c.emitStop(&tables.Interruption{
		Type: tables.InterruptedBySystem, Phase: tables.PhaseResponse, CutNothing: true, Marker: marker,
		Evidence: tables.EvidenceRecorded, Confidence: 1, Timestamp: e.at,
	}, tables.PhaseTool, e.turn, func(*call) time.Time { return time.Time{} }) // nothing shows when the gateway fell
}

// people lists OpenClaw's clients that persons type in.
var people = readers.SetOf(`openclaw-tui openclaw-control-ui`)

// typedBy returns a prompt's Message.TypedBy, from the sending client or, without a client,
// from the sender's kind. A person wrote a channel's message.
func typedBy(clients []*fastjson.Value, kind string) string {
	for _, client := range clients {
		switch id, mode := readers.Text(client, "id"), readers.Text(client, "mode"); {
		case people[id], mode == "ui", mode == "webchat", mode == "cli":
			return ""
		case id == "gateway-client", mode == "backend":
			return tables.TypedBySDK
		default:
			return id
		}
	}
	if kind == "external_user" {
		return ""
	}
	return kind
}

// addAttachments adds the files of a prompt, which OpenClaw keeps elsewhere.
func addAttachments(body *content, media []*fastjson.Value) {
	var list []map[string]any
	for _, file := range media {
		one := map[string]any{}
		for key, field := range map[string]string{"media_type": "contentType", "url": "url"} {
			if text := readers.Text(file, field); text != "" && !strings.HasPrefix(text, "data:") {
				one[key] = text
			}
		}
		if size := readers.Int(file, "sizeBytes"); size.OK {
			one["bytes"] = size.Value
		}
		list = append(list, one)
	}
	if len(list) > 0 {
		body.extra.Set("attachments", list)
	}
}
