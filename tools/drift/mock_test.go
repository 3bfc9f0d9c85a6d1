package main

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

func testMock(t *testing.T) *mock {
	t.Helper()
	s, err := newScript(scriptText)
	if err != nil {
		t.Fatal(err)
	}
	m, err := startMock(s, shell{tool: "run", command: "line", more: object{"why": "asked"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.close)
	return m
}

// post returns the response to a request.
func post(t *testing.T, m *mock, path, body string) string {
	t.Helper()
	resp, err := http.Post(m.url+path, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d, %v: %s", path, resp.StatusCode, err, text)
	}
	return string(text)
}

// TestAPIs checks each API, whole and streamed: a prompt gets the first answer with
// its call, and the call's result the second answer. Asked again, the mock says the same.
func TestAPIs(t *testing.T) {
	t.Parallel()
	m := testMock(t)
	tests := map[string]struct{ path, streamed, first, second string }{
		"chat": {"/v1/chat/completions", "/v1/chat/completions",
			`"tools":[{"type":"function","function":{"name":"run"}}],"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Make one file"}`,
			`,{"role":"assistant","content":"I make the file.","tool_calls":[{"id":"c"}]},{"role":"tool","tool_call_id":"c","content":"done"}`},
		"responses": {"/v1/responses", "/v1/responses",
			`"tools":[{"type":"function","name":"run"}],"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"Make one file"}]}`,
			`,{"type":"message","role":"assistant","content":[{"type":"output_text","text":"I make the file."}]},{"type":"function_call","call_id":"c"},{"type":"function_call_output","call_id":"c"}`},
		"messages": {"/v1/messages", "/v1/messages",
			`"tools":[{"name":"run"}],"messages":[{"role":"user","content":[{"type":"text","text":"Note: be brief."},{"type":"text","text":"Make one file"}]}`,
			`,{"role":"assistant","content":[{"type":"tool_use","id":"c"}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"done"}]}`},
		"generateContent": {"/v1beta/models/mock:generateContent", "/v1beta/models/mock:streamGenerateContent",
			`"tools":[{"functionDeclarations":[{"name":"run"}]}],"contents":[{"role":"user","parts":[{"text":"Make one file"}]}`,
			`,{"role":"model","parts":[{"functionCall":{"name":"run"}}]},{"role":"user","parts":[{"functionResponse":{"name":"run"}}]}`},
	}
	for name, test := range tests {
		for path, stream := range map[string]string{test.path: `{`, test.streamed: `{"stream":true,`} {
			first := post(t, m, path, stream+test.first+`]}`)
			if !strings.Contains(first, "make file") || !strings.Contains(first, "asked") {
				t.Errorf("%s %s: the first answer makes no call: %s", name, stream, first)
			}
			if streamed := strings.Contains(first, "data: {"); streamed != (strings.Contains(stream, "stream") || path != test.path) {
				t.Errorf("%s %s: streamed %v", name, stream, streamed)
			}
			for range 2 {
				second := post(t, m, path, stream+test.first+test.second+`]}`)
				if !strings.Contains(second, "file") || !strings.Contains(second, "made.") || strings.Contains(second, "make file") {
					t.Errorf("%s %s: not the second answer: %s", name, stream, second)
				}
			}
		}
	}
}

// TestWholeAnswersAreJSON checks that answers without streaming are JSON, with the
// script's tokens.
func TestWholeAnswersAreJSON(t *testing.T) {
	t.Parallel()
	m := testMock(t)
	var chat struct {
		Usage struct {
			Prompt int `json:"prompt_tokens"`
		}
	}
	text := post(t, m, "/v1/chat/completions", `{"tools":[{"function":{"name":"run"}}],"messages":[{"role":"user","content":"First topic"}]}`)
	if err := json.Unmarshal([]byte(text), &chat); err != nil || chat.Usage.Prompt != 20000+cached {
		t.Errorf("%v: %s", err, text)
	}
}

func TestChoose(t *testing.T) {
	t.Parallel()
	s, err := newScript(scriptText)
	if err != nil {
		t.Fatal(err)
	}
	tools := []string{"run"}
	tests := map[string]struct {
		request request
		want    string
	}{
		"a prompt in a frame":            {request{turns: []turn{{"user", "<note>x</note>\n[10:00] Make one file"}}, tools: tools}, "I make the file."},
		"the newest prompt":              {request{turns: []turn{{"user", "First topic"}, {"assistant", ""}, {"user", "Second topic"}}, tools: tools}, "Topic two"},
		"two prompts in one text":        {request{turns: []turn{{"user", "Delete the build\nuse make clean"}}, tools: tools}, "Understood"},
		"a note behind a prompt":         {request{turns: []turn{{"user", "Make one file"}, {"assistant", ""}, {"user", "Note: the user is away."}}, tools: tools}, "One file"},
		"past the last answer":           {request{turns: []turn{{"user", "First topic"}, {"assistant", ""}, {"result", ""}}, tools: tools}, "All done"},
		"a title, without tools":         {request{turns: []turn{{"user", "Make one file"}}}, "Small talk"},
		"a note about summaries":         {request{turns: []turn{{"user", "Third topic"}, {"user", "Note: the context was compacted."}}, tools: tools}, "Topic three"},
		"a summary of one text":          {request{turns: []turn{{"user", "Summarize: [User]: First topic"}}}, "<state_snapshot>"},
		"a summary":                      {request{turns: []turn{{"user", "First topic"}, {"assistant", ""}, {"user", "Summarize the conversation."}}}, "<state_snapshot>"},
		"a prompt behind a summary":      {request{turns: []turn{{"user", "A summary: all is well"}, {"assistant", ""}, {"user", "Third topic"}}, tools: tools}, "Topic three"},
		"a prompt that isn't the script": {request{turns: []turn{{"user", "What now?"}}}, "Fine."},
	}
	for name, test := range tests {
		if got := s.choose(&test.request); !strings.HasPrefix(got.Text, test.want) {
			t.Errorf("%s: %q, want %q", name, got.Text, test.want)
		}
	}
}

// TestListOfCommands checks the call of a tool that takes several commands.
func TestListOfCommands(t *testing.T) {
	t.Parallel()
	m := testMock(t)
	m.shell.list = true
	r := m.reply(&request{turns: []turn{{"user", "Make one file"}}, tools: []string{"run"}})
	if got := r.call.arguments(); got != `{"line":["make file"],"why":"asked"}` {
		t.Error(got)
	}
}
