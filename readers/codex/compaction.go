package codex

import (
	"slices"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// compactionState collects what surrounding lines show about compactions: whether the
// user or Codex started the compaction (its trigger), and the tokens before and after.
// The compaction's own line records neither (FORMAT.md §8).
type compactionState struct {
	window   int64
	real     int64               // tokens of the last request
	estimate tables.Maybe[int64] // tokens after a compaction, as Codex estimates them; unset after the next request
	last     *tables.Compaction  // compaction that still waits for its estimate
	open     *tables.Compaction  // compaction whose trigger is not settled
	tasks    bool                // the file has task_started
	inTurn   bool
	asked    bool // the turn has had its prompt
	inLoop   bool // a call's output was the last item
}

func (s *compactionState) beginTurn(r *record) {
	s.tasks, s.inTurn, s.asked, s.open = true, true, false, nil
	if w := r.GetInt64("model_context_window"); w > 0 {
		s.window = w
	}
}

// endTurn closes the turn. If the turn held a compaction but no prompt, the user had typed
// /compact.
func (s *compactionState) endTurn() {
	if s.open != nil && s.tasks {
		s.setTrigger("manual")
	}
	s.inTurn, s.inLoop = false, false
}

func (s *compactionState) addPrompt() {
	if s.open != nil && s.tasks {
		s.setTrigger("auto")
	}
	s.asked, s.open, s.inLoop = true, nil, false
}

// addTurnContext handles a turn_context in versions without task_started. No prompt
// came between the compaction and this line, so the turn went on after the compaction:
// it was automatic.
func (s *compactionState) addTurnContext() {
	if s.open != nil && !s.tasks {
		s.setTrigger("auto")
	}
}

func (s *compactionState) setTrigger(word string) {
	s.open.Trigger, s.open.TriggerInferred = word, true
	s.open = nil
}

func (s *compactionState) setTokens(n int64) {
	if n != 0 { // an invalid count becomes a problem with the compaction's row
		s.real = n
	}
	s.estimate, s.last = tables.Maybe[int64]{}, nil
}

// setEstimate sets Codex's estimate of the tokens after a compaction. The estimate
// stands before or after the compaction's line (FORMAT.md §8).
func (s *compactionState) setEstimate(n int64) {
	s.estimate = tables.Some(n)
	if s.last != nil {
		s.last.PostTokens, s.last.TokensEstimated = s.estimate, true
		s.last = nil
	}
}

func (s *compactionState) addCompaction(c *tables.Compaction) {
	if s.real != 0 {
		c.PreTokens = tables.Some(s.real)
	}
	c.PostTokens, c.TokensEstimated = s.estimate, s.estimate.OK
	s.last, s.open = c, c
	if s.estimate.OK {
		s.last = nil
	}
	switch {
	case s.tasks && s.inTurn && !s.asked: // the next record decides
	case s.inLoop, s.tasks && s.inTurn:
		s.setTrigger("auto")
	case s.tasks:
		s.setTrigger("manual")
	default:
		s.inferTrigger()
	}
}

// nearlyFull is the share of the window at which Codex compacts by itself.
const nearlyFull = 0.85

// inferTrigger guesses the trigger of a compaction between two turns from how full the
// context window was, in versions that don't record when turns begin. A later
// turn_context may correct the guess.
func (s *compactionState) inferTrigger() {
	c := s.open
	word := "auto"
	if s.window > 0 && float64(s.real) < nearlyFull*float64(s.window) {
		word = "manual"
	}
	s.setTrigger(word)
	s.open = c
}

// handleCompacted handles a compacted line: it replaces the conversation with a summary
// (FORMAT.md §8). The context_compacted event after the line repeats it.
func (t *rollout) handleCompacted(r *record) {
	summary := readers.Text(r.Value, "message")
	answer := t.unrepeatedAnswer()
	t.flushPending()
	history := r.GetArray("replacement_history")
	uuid := t.advanceChain("compacted", summary, readers.Text(r.Value, "window_id"))
	m := answer
	answered := m != nil && strings.HasSuffix(strings.TrimSpace(summary), strings.TrimSpace(m.Text))
	if answered {
		m.Kind, m.Text = tables.KindSummary, summary
	} else {
		m = &tables.Message{UUID: uuid, Role: tables.RoleUser, Kind: tables.KindSummary, Text: summary, Timestamp: r.at, Line: r.line}
	}
	t.turn.answered = true
	c := &tables.Compaction{UUID: m.UUID, Summary: summary, SummarySource: tables.SummaryInline, Timestamp: r.at}
	if summary == "" {
		m.Role, m.Kind, m.Text = tables.RoleSystem, tables.KindNotice, "context compacted"
		c.SummarySource = tables.SummaryNone
	}
	for _, item := range history {
		if item.Exists("encrypted_content") && readers.Text(item, "type") != "reasoning" && summary == "" {
			c.SummarySource = tables.SummaryEncrypted
		}
		if uuid := t.preservedPrompt(item); uuid != "" {
			c.PreservedUUIDs = append(c.PreservedUUIDs, uuid)
		}
	}
	t.compaction.addCompaction(c)
	if !answered {
		t.emitMessage(m)
	}
	t.emit(c)
}

// unrepeatedAnswer returns the answer that the model is giving, if no event has
// repeated the text; nil otherwise. Right before a compaction, this answer is the
// summary that Codex asked for, and Codex doesn't show it to the user.
func (t *rollout) unrepeatedAnswer() *tables.Message {
	p := t.response
	if p == nil || p.m.Text == "" || len(p.calls) > 0 || !slices.Contains(t.itemTexts, strings.TrimSpace(p.m.Text)) {
		return nil
	}
	return p.m
}

// preservedPrompt returns the uuid of the prompt that a compaction kept unchanged; empty if
// item is no known prompt.
func (t *rollout) preservedPrompt(item *fastjson.Value) string {
	if readers.Text(item, "role") != "user" {
		return ""
	}
	text, _ := contentText(item.Get("content"))
	if _, request, ok := splitContext(text); ok {
		text = request
	}
	return t.prompts.byText[text]
}
