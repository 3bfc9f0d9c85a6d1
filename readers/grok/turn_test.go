package grok

import (
	"testing"
	"time"

	"hindsql/tables"
)

// aside is a line typed while the model works.
func aside(text string) string { return `,"content":` + asTextBlock(text) }

// TestWords: the words typed in place of an answer stand in two lines, before or after
// the call's end. They are one reason and no prompt. Other words are prompts.
func TestWords(t *testing.T) {
	ended := func(m *made) *made { return m.result("failed", block(followupText("write")), "", "") }
	for name, test := range map[string]struct {
		make            func(m *made)
		reason          any
		prompts, others int
	}{
		"after the end": {func(m *made) {
			ended(m.call("write", "{}", followedUp, time.Second)).update(userChunk, aside("no")).update(userChunk, aside("no"))
		}, "no", 1, 1},
		"before the end": {func(m *made) {
			ended(m.call("write", "{}", followedUp, time.Second).update(userChunk, aside("no")).update(userChunk, aside("no")))
		}, "no", 1, 1},
		"once": {func(m *made) { ended(m.call("write", "{}", followedUp, time.Second)).update(userChunk, aside("no")) }, "no", 1, 1},
		"two calls": {func(m *made) {
			ended(m.call("write", "{}", followedUp, time.Second)).update(userChunk, aside("no")).update(userChunk, aside("no"))
			ended(m.addAnswer("Or so?").call("write", "{}", followedUp, time.Second)).update(userChunk, aside("no")).update(userChunk, aside("no"))
		}, "no", 1, 2},
		"and another": {func(m *made) {
			ended(m.call("write", "{}", followedUp, time.Second)).update(userChunk, aside("no")).update(userChunk, aside("no"))
			m.wait(time.Second).update(userChunk, aside("faster"))
		}, "no", 2, 1},
		"before the end, and another": {func(m *made) {
			ended(m.call("write", "{}", followedUp, time.Second).update(userChunk, aside("no")).update(userChunk, aside("no")))
			m.wait(time.Second).update(userChunk, aside("faster"))
		}, "no", 2, 1},
		"no words":   {func(m *made) { ended(m.call("write", "{}", followedUp, time.Second)) }, nil, 1, 0},
		"no refusal": {func(m *made) { m.addAnswer("I").update(userChunk, aside("faster")) }, nil, 2, 0},
		"another no": {func(m *made) { m.call("write", "{}", denied, time.Second).update(userChunk, aside("faster")) }, nil, 2, 0},
		"twice the same": {func(m *made) {
			m.addAnswer("I").update(userChunk, aside("go on")).addAnswer("so").update(userChunk, aside("go on"))
		}, nil, 3, 0},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMade().prompt("go").addAnswer("I write.")
			test.make(m)
			rows := rowsOf(m.addAnswer("Done.").done().String(), nil)
			kinds := map[any]int{}
			for _, r := range rows["messages"] {
				kinds[r["kind"]]++
			}
			if kinds[tables.KindPrompt] != test.prompts || kinds[tables.KindInjected] != test.others {
				t.Errorf("messages: %v", kinds)
			}
			for _, r := range rows["rejections"] {
				if r["reason"] != test.reason {
					t.Errorf("reason %v, want %v", r["reason"], test.reason)
				}
			}
		})
	}
}

// TestEndOnlyInEvents: a program that ended right after a stop may have written the
// event, but not the update.
func TestEndOnlyInEvents(t *testing.T) {
	for name, test := range map[string]struct {
		make  func(m *made)
		phase any
	}{
		"in an answer": {func(m *made) {
			m.addAnswer("I").wait(time.Second).event("turn_ended", `,"outcome":"cancelled","cancellation_category":"mid_turn_abort","cancellation_context":{"trigger":"ctrl_c"}`)
		}, "response"},
		"at a question": {func(m *made) {
			m.call("write", "{}", cancelled, time.Second).wait(time.Second).event("turn_ended", `,"outcome":"cancelled","cancellation_category":"permission_cancelled"`)
		}, "approval"},
		"at a question, by the other word": {func(m *made) {
			m.call("write", "{}", cancelled, time.Second).wait(time.Second).event("turn_ended", `,"outcome":"cancelled","cancellation_category":"mid_turn_abort"`)
		}, "approval"},
		"an error": {func(m *made) { m.addAnswer("I").wait(time.Second).event("turn_ended", `,"outcome":"error"`) }, "response"},
		"nobody there": {func(m *made) {
			m.call("write", "{}", cancelled, 0).wait(time.Second).event("turn_ended", `,"outcome":"cancelled","cancellation_category":"permission_cancelled"`)
		}, nil},
		"a refusal": {func(m *made) {
			m.call("write", "{}", denied, time.Second).wait(time.Second).event("turn_ended", `,"outcome":"cancelled","cancellation_category":"permission_rejected"`)
		}, nil},
		"completed": {func(m *made) { m.addAnswer("I").wait(time.Second).event("turn_ended", `,"outcome":"completed"`) }, nil},
		"killed":    {func(m *made) { m.addAnswer("I") }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMade().prompt("go")
			test.make(m)
			for _, log := range []string{m.String(), m.prompt("next").addAnswer("Yes.").done().String()} {
				stops := rowsOf(log, nil)["interruptions"]
				if test.phase == nil {
					if len(stops) > 0 {
						t.Errorf("a stop: %v", stops)
					}
				} else if len(stops) != 1 || stops[0]["phase"] != test.phase {
					t.Errorf("stops: %v, want phase %v", stops, test.phase)
				}
			}
		})
	}
}
