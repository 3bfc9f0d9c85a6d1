package codex

import (
	"encoding/json"
	"slices"
	"strings"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

func jsonRaw(v *fastjson.Value) json.RawMessage { return json.RawMessage(readers.JSON(v)) }

// squeeze collects what surrounding lines tell about compactions: whether the user or
// Codex started the compaction (its trigger), and the tokens before and after. The
// compaction's own line records neither (FORMAT.md §8).
type squeeze struct {
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

func (s *squeeze) begins(r *record) {
	s.tasks, s.inTurn, s.asked, s.open = true, true, false, nil
	if w := r.GetInt64("model_context_window"); w > 0 {
		s.window = w
	}
}

// ends closes the turn. If the turn held a compaction but no prompt, the user had typed
// /compact.
func (s *squeeze) ends() {
	if s.open != nil && s.tasks {
		s.trigger("manual")
	}
	s.inTurn, s.inLoop = false, false
}

func (s *squeeze) prompted() {
	if s.open != nil && s.tasks {
		s.trigger("auto")
	}
	s.asked, s.open, s.inLoop = true, nil, false
}

// context takes a turn_context in versions without task_started. No prompt came between
// the compaction and this line, so the turn went on after the compaction: it was
// automatic.
func (s *squeeze) context() {
	if s.open != nil && !s.tasks {
		s.trigger("auto")
	}
}

func (s *squeeze) trigger(word string) {
	s.open.Trigger, s.open.TriggerInferred = word, true
	s.open = nil
}

func (s *squeeze) loop() { s.inLoop = true }

func (s *squeeze) counted(n int64) {
	if n != 0 { // an invalid count becomes a problem with the compaction's row
		s.real = n
	}
	s.estimate, s.last = tables.Maybe[int64]{}, nil
}

// estimated takes Codex's estimate of the tokens after a compaction. The estimate
// stands before or after the compaction's line (FORMAT.md §8).
func (s *squeeze) estimated(n int64) {
	s.estimate = tables.Some(n)
	if s.last != nil {
		s.last.PostTokens, s.last.TokensEstimated = s.estimate, true
		s.last = nil
	}
}

func (s *squeeze) take(c *tables.Compaction) {
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
		s.trigger("auto")
	case s.tasks:
		s.trigger("manual")
	default:
		s.byFullness()
	}
}

// nearlyFull is the share of the window at which Codex compacts by itself.
const nearlyFull = 0.85

// byFullness guesses the trigger of a compaction between two turns from how full the
// context window was, in versions that don't record when turns begin. A later
// turn_context may correct the guess.
func (s *squeeze) byFullness() {
	c := s.open
	word := "auto"
	if s.window > 0 && float64(s.real) < nearlyFull*float64(s.window) {
		word = "manual"
	}
	s.trigger(word)
	s.open = c
}

// compacted takes a compacted line: it replaces the conversation with a summary
// (FORMAT.md §8). The context_compacted event after the line repeats it.
func (t *rollout) compacted(r *record) {
	summary := readers.Text(r.Value, "message")
	answer := t.unheard()
	t.settle()
	history := r.GetArray("replacement_history")
	uuid := t.advance("compacted", summary, readers.Text(r.Value, "window_id"))
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
		if uuid := t.preserved(item); uuid != "" {
			c.PreservedUUIDs = append(c.PreservedUUIDs, uuid)
		}
	}
	t.squeeze.take(c)
	if !answered {
		t.say(m)
	}
	t.emit(c)
}

// unheard returns the answer that the model is giving, if no event has repeated the
// text; nil otherwise. Right before a compaction, this answer is the summary that Codex
// asked for, and Codex doesn't show it to the user.
func (t *rollout) unheard() *tables.Message {
	p := t.response
	if p == nil || p.m.Text == "" || len(p.calls) > 0 || !slices.Contains(t.said, strings.TrimSpace(p.m.Text)) {
		return nil
	}
	return p.m
}

// preserved returns the uuid of the prompt that a compaction kept unchanged; empty if
// item is no known prompt.
func (t *rollout) preserved(item *fastjson.Value) string {
	if readers.Text(item, "role") != "user" {
		return ""
	}
	text, _ := contentText(item.Get("content"))
	if _, request, ok := splitContext(text); ok {
		text = request
	}
	return t.prompts.byText[text]
}
