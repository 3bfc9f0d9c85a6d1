package gemini

import (
	"testing"

	"hindsql/internal/fastjson"
	"hindsql/readers"
	"hindsql/tables"
)

// Kinds of user messages.
func TestUserKind(t *testing.T) {
	for _, test := range []struct{ content, parent, want, text string }{
		{`"hello"`, "", tables.KindPrompt, "hello"},
		{`[{"text":"a"},{"text":"b"}]`, "", tables.KindPrompt, "a\nb"},
		{`{"text":"a"}`, "", tables.KindPrompt, "a"},
		{`["a"]`, "", tables.KindPrompt, "a"},
		{`{}`, "", tables.KindInjected, ""},
		{`"hello"`, "parent", tables.KindInjected, "hello"},
		{`"/plan:go on"`, "", tables.KindCommand, "/plan:go on"},
		{`"/home/ada/x is broken"`, "", tables.KindPrompt, "/home/ada/x is broken"},
		{`[{"functionResponse":{"id":"x","response":{"output":"y"}}}]`, "", tables.KindToolResult, ""},
		{`[{"functionResponse":{"id":"x","response":{}}},{"text":"and this"}]`, "", tables.KindPrompt, "and this"},
		{`[{"inlineData":{"mimeType":"image/png","data":"AAAA"}}]`, "", tables.KindInjected, ""},
		{`[{"text":"<session_context>\nToday"}]`, "", tables.KindInjected, "<session_context>\nToday"},
		{`[{"text":"<hook_context>x</hook_context>"}]`, "", tables.KindInjected, "<hook_context>x</hook_context>"},
		{`[{"text":"<state_snapshot>x"}]`, "", tables.KindSummary, "<state_snapshot>x"},
		{`[{"text":"System: Please continue."}]`, "", tables.KindInjected, "System: Please continue."},
		{"[{\"text\":\"I ran the following shell command:\\n```sh\\nls\"}]", "", tables.KindCommand, "I ran the following shell command:\n```sh\nls"},
		{`[{"text":"User steering update:\n<user_input>\nslower\n</user_input>"}]`, "", tables.KindPrompt, "slower"},
		{`[{"text":"User steering update: slower"}]`, "", tables.KindPrompt, "slower"},
	} {
		c := newFile(&readers.Input{}, place{parent: test.parent}).current
		e := &entry{kind: "user"}
		c.setFields(e, fastjson.MustParse(`{"content":`+test.content+`}`))
		if e.Message.Kind != test.want || e.Text != test.text {
			t.Errorf("%s: %s %q, want %s %q", test.content, e.Message.Kind, e.Text, test.want, test.text)
		}
	}
}

func TestTokensAddUp(t *testing.T) {
	var m tables.Message
	setTokens(&m, fastjson.MustParse(`{"input":100,"output":10,"cached":60,"thoughts":5,"tool":3,"total":118}`))
	if sum := m.InputTokens.Value + m.CacheReadTokens.Value + m.OutputTokens.Value; sum != 118 || m.InputTokens.Value != 43 || m.ReasoningTokens.Value != 5 {
		t.Errorf("%+v", m)
	}
	var none tables.Message
	setTokens(&none, fastjson.MustParse(`{}`))
	if none.InputTokens.OK || none.OutputTokens.OK || none.TokensReliable.OK {
		t.Errorf("tokens out of nothing: %+v", none)
	}
}

func TestCompressionNotice(t *testing.T) {
	some := tables.Some[int64]
	for _, test := range []struct {
		text, model string
		want        tables.Compaction
		none        bool
	}{
		{text: "IMPORTANT: This conversation approached the input token limit for gemini-2.5-pro. A compressed context will be sent for future messages (compressed from: 900000 to 30000 tokens).",
			want: tables.Compaction{Trigger: "auto", PreTokens: some(900000), PostTokens: some(30000)}},
		{text: "IMPORTANT: This conversation exceeded the compress threshold. A compressed context will be sent for future messages (compressed from: unknown to 30000 tokens).",
			want: tables.Compaction{Trigger: "auto", PostTokens: some(30000)}},
		{text: "Context compressed from 50% to 10%.", model: "gemini-3-pro-preview",
			want: tables.Compaction{Trigger: "auto", PreTokens: some(524288), PostTokens: some(104857), TokensEstimated: true}},
		{text: "Context compressed from 50% to 10%.", model: "a local one", want: tables.Compaction{Trigger: "auto"}},
		{text: "", want: tables.Compaction{Trigger: "manual", TriggerInferred: true}},
		{text: "Sending this message (1000 tokens) might exceed the context window limit", none: true},
		{text: "Failed to compress chat history: no", none: true},
	} {
		got := parseCompressionNotice(test.text, test.model)
		if (got == nil) != test.none {
			t.Errorf("%q: %+v", test.text, got)
			continue
		}
		if got == nil {
			continue
		}
		if got.Trigger != test.want.Trigger || got.TriggerInferred != test.want.TriggerInferred || got.PreTokens != test.want.PreTokens ||
			got.PostTokens != test.want.PostTokens || got.TokensEstimated != test.want.TokensEstimated {
			t.Errorf("%q: %+v, want %+v", test.text, got, test.want)
		}
	}
}

func TestSystemStops(t *testing.T) {
	for text, want := range map[string]bool{
		"Agent execution stopped: by a hook":                                      true,
		"Agent execution blocked: by a hook":                                      true,
		"A potential loop was detected. This can happen":                          true,
		"The session has reached the maximum number of turns: 100. Please update": true,
		"⚠️  Response stopped due to malformed function call.":                    true,
		"⚠️  Response truncated due to token limits.":                             true,
		"[API Error: You have exhausted your capacity on this model.]":            true,
		"This request failed. Press F12 for diagnostics":                          true,
		"Switched to fallback model gemini-2.5-flash.":                            false,
		"Loop detection has been disabled for this session. Retrying request...":  false,
		"Restored project to the state before the tool call.":                     false,
		"Error during discovery for MCP server 'postgres': [API Error: no":        false,
	} {
		if got := systemStops.MatchString(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestPlaces(t *testing.T) {
	for rel, want := range map[string]logKind{
		"tmp/p/chats/session-2026-01-01T00-00-aaaaaaaa.json":      chatDocument,
		"tmp/p/chats/session-2026-01-01T00-00-aaaaaaaa.jsonl":     chatJournal,
		"tmp/p/chats/aaaaaaaa-0000-4000-8000-000000000000/x.json": chatDocument,
		"tmp/p/chats/skill-extraction-1/x/y.jsonl":                chatJournal,
		"tmp/p/logs.json":                    promptLog,
		"tmp/p/logs.json.invalid_json.1.bak": promptLog,
		"tmp/p/checkpoint-a.json":            notLog,
		"tmp/p/checkpoints/a.json":           notLog,
		"tmp/p/logs/session-a.jsonl":         notLog,
		"tmp/p/chats/session-2026-01-01T00-00-aaaaaaaa.jsonl.unreadable-1778911440": notLog,
		"tmp/p/chats/session-2026-01-01T00-00-aaaaaaaa.jsonl.tmp-12":                notLog,
		"tmp/logs.json":       notLog,
		"projects.json":       projectList,
		"tmp/p/projects.json": notLog,
	} {
		if got := placeOf(rel).kind; got != want {
			t.Errorf("%s: %v, want %v", rel, got, want)
		}
	}
}
