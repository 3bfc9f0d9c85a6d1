package gemini

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"hindsql/internal/pattern"
	"hindsql/readers"
	"hindsql/tables"
)

// finish emits all rows of the chat.
func (c *chat) finish() {
	if len(c.entries) == 0 && c.facts.hash == "" && c.facts.id == "" {
		return
	}
	c.row = c.session()
	c.in.Emit(c.row)
	c.resolveOutcomes()
	for i := range c.entries {
		c.emitEntry(i)
	}
	c.emitInactive()
}

// resolveOutcomes determines how each call ended, from the records around the call.
func (c *chat) resolveOutcomes() {
	for i, e := range c.entries {
		e.UUID = c.uuidOf(e)
		for _, a := range e.answers {
			if t := c.calls[a.ToolUseID]; t != nil && (!t.answered || t.masked) {
				t.setAnswer(parts{answers: []*call{a}})
			}
		}
		for _, t := range e.calls {
			c.readMasked(t)
		}
		if i > 0 {
			c.resolveCallOutcomes(i - 1)
		}
	}
	c.resolveCallOutcomes(len(c.entries) - 1)
}

// uuidOf returns an id that is the same in all copies of a message. Some of the agent's
// ids are the same in every session, or empty (FORMAT.md §1.3).
func (c *chat) uuidOf(e *entry) string {
	if e == nil || e.native == "" {
		return ""
	}
	if len(e.native) >= 32 && e.Message.Kind != tables.KindInjected {
		return e.native
	}
	if uuid.MatchString(e.native) {
		return e.native
	}
	return c.row.SessionID + "@" + c.facts.start.Format(time.RFC3339Nano) + "/" + e.native
}

func (c *chat) emitEntry(i int) {
	e := c.entries[i]
	if e.Message.Kind == tables.KindResponse && e.Model != "" {
		c.model = e.Model
	}
	if isTyped(e.Message.Kind) && c.isServerSession(c.row.NativeID) {
		e.TypedBy = tables.TypedBySDK
	}
	c.in.Emit(&e.Message)
	for _, t := range e.calls {
		c.in.Emit(&t.ToolCall)
		c.emitResult(t)
		c.emitRefusal(i, t)
	}
	for _, a := range e.answers {
		if c.calls[a.ToolUseID] == nil { // the file lost the call
			o := outcomeOf(&call{answered: true, output: a.output, failure: a.failure})
			c.in.Emit(&tables.ToolResult{ToolUseID: a.ToolUseID, Output: joinLines(a.output, a.failure), Status: o.status, ErrorType: o.errorType, Timestamp: e.Timestamp})
		}
	}
	c.emitCompaction(e)
	c.emitInterruptions(i)
}

func (c *chat) emitResult(t *call) {
	if t.outcome.status == tables.StatusPending {
		return
	}
	output := joinLines(t.output, t.failure)
	output = cmp.Or(output, t.display)
	if t.outcome.claimed {
		t.extra.Set("claimed_denial", true) // a tool's own answer says that the call was refused
	}
	r := &tables.ToolResult{
		ToolUseID: t.ToolUseID,
		Output:    output,
		Status:    t.outcome.status,
		ErrorType: t.outcome.errorType,
		ExitCode:  t.outcome.exitCode,
		Timestamp: t.endTime(),
		Extra:     readers.Object(t.extra),
	}
	r.Answers = answersOf(t, output)
	if t.agent != "" {
		r.SubagentSessionID = c.facts.id + "/" + t.agent
	}
	c.in.Emit(r)
	if r.Answers != nil { // the person answered a question
		d := &tables.Decision{ToolUseID: t.ToolUseID, Decision: tables.Granted, DecidedBy: tables.ByUser, Scope: tables.ScopeOnce, Confidence: 1}
		d.WaitedMS = readers.MillisBetween(t.Timestamp, r.Timestamp)
		if t.state == "" {
			d.Confidence = wordingOnly
		}
		c.in.Emit(d)
	}
}

// emitInactive emits the messages that a rewind or a checkpoint removed.
func (c *chat) emitInactive() {
	var left []string
	for _, e := range c.entries {
		if !e.inView && e.UUID != "" {
			left = append(left, e.UUID)
		}
	}
	if len(left) > 0 {
		c.in.Emit(&tables.Inactive{UUIDs: left})
	}
}

var (
	compressedTokens  = pattern.Lazy(`^IMPORTANT: This conversation (?:approached|exceeded) .*\(compressed from: (\w+) to (\w+) tokens\)`)
	compressedPercent = pattern.Lazy(`^Context compressed from ([0-9.]+)% to ([0-9.]+)%`)
)

// contextLimit is the size in tokens that 100 % stands for in a notice: the limit of
// Gemini 2 and 3 models.
const contextLimit = 1 << 20

// parseCompressionNotice returns the compaction reported by a notice; nil for other
// notices. After a compaction by the user's command, the notice's text is empty
// (FORMAT.md §4.6).
func parseCompressionNotice(text, model string) *tables.Compaction {
	c := &tables.Compaction{Trigger: "auto", SummarySource: tables.SummaryNone}
	if m := compressedTokens.FindStringSubmatch(text); m != nil {
		c.PreTokens, c.PostTokens = number(m[1], 1), number(m[2], 1)
		return c
	}
	if m := compressedPercent.FindStringSubmatch(text); m != nil {
		if strings.Contains(model, "gemini-2") || strings.Contains(model, "gemini-3") {
			c.PreTokens, c.PostTokens = number(m[1], contextLimit/100.0), number(m[2], contextLimit/100.0)
			c.TokensEstimated = true
		}
		return c
	}
	if text == "" {
		c.Trigger, c.TriggerInferred = "manual", true
		return c
	}
	return nil
}

// number returns a count of units; missing if the notice says "unknown".
func number(text string, unit float64) tables.Maybe[int64] {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return tables.Maybe[int64]{}
	}
	if n *= unit; n <= 2*tables.MaxCount {
		return tables.Some(int64(n))
	}
	return tables.Some[int64](tables.NotACount)
}

// emitCompaction emits a compaction for an entry: a notice, or the summary that versions
// from 0.44 on add to the history. Two reports of the same compaction become one.
func (c *chat) emitCompaction(e *entry) {
	var found *tables.Compaction
	switch {
	case e.Message.Kind == tables.KindSummary:
		found = &tables.Compaction{Summary: e.Text, SummarySource: tables.SummaryInline}
		for _, id := range e.preserved {
			found.PreservedUUIDs = append(found.PreservedUUIDs, c.uuidOf(c.byID[id]))
		}
	case e.kind == "info" && e.Message.Kind == tables.KindNotice:
		found = parseCompressionNotice(e.Text, c.model)
	}
	switch last := c.lastCompaction; {
	case found == nil:
		if e.Message.Kind == tables.KindPrompt || e.Message.Kind == tables.KindResponse {
			c.lastCompaction = nil
		}
	case last != nil && last.Summary == "" && found.Summary != "":
		last.Summary, last.SummarySource = found.Summary, found.SummarySource
	case last != nil && last.Trigger == "" && found.Trigger != "":
		last.Trigger, last.TriggerInferred, last.TokensEstimated = found.Trigger, found.TriggerInferred, found.TokensEstimated
		last.PreTokens, last.PostTokens = found.PreTokens, found.PostTokens
	default:
		found.UUID, found.Timestamp = e.UUID, e.Timestamp
		c.lastCompaction = found
		c.in.Emit(found)
	}
}
