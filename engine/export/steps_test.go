package export

import (
	"encoding/json"
	"strings"
	"testing"
)

// odd is a session object with cases that occur in logs but not in ATIF's trajectories.
const odd = `{"type":"session","session":{"agent":"toy","session_id":"s","agent_version":null,"model":null,"forked_from":"older","cost_usd":0.5,"title":null},
"messages":[
 {"message_index":0,"kind":"prompt","role":"user","text":"copied","timestamp":"2026-01-01T00:00:00.000000Z","is_copy":true,"input_tokens":null},
 {"message_index":1,"kind":"response","role":"assistant","text":null,"thinking":"hm","model":"m","timestamp":null,"input_tokens":1,"cache_read_tokens":10,"cache_write_tokens":100,"output_tokens":7,"is_active":false},
 {"message_index":2,"kind":"command","role":"user","text":"!ls","timestamp":"10000-01-01T00:00:00.000000Z"},
 {"message_index":3,"kind":"tool_result","role":"user","text":null},
 {"message_index":4,"kind":"tool_result","role":"user","text":null},
 {"message_index":5,"kind":"response","role":"assistant","text":"done","model":"m","is_copy":true,"input_tokens":1000},
 {"message_index":6,"kind":"usage","role":"system","text":null,"model":"m","input_tokens":20,"cache_read_tokens":3}],
"tool_calls":[
 {"tool_use_id":"a","message_index":1,"tool_name":"Bash","input":{"b":12345678901234567890},"output":"x","result_message_index":3,"subagent_session_id":"s/sub"},
 {"tool_use_id":"a","message_index":1,"tool_name":null,"input":"text \ud800"},
 {"tool_use_id":null,"message_index":2,"tool_name":"Bash","input":null,"output":null,"result_message_index":null,"subagent_session_id":"gone"},
 {"tool_use_id":"z","message_index":77,"tool_name":"Lost","input":[1]}],
"compaction":{"boundaries":[{"after_message_index":3,"summary":"sum"}]},
"context_clears":[{"after_message_index":null}],
"interruptions":[{"message_index":99,"interrupted_message_index":null}],
"rejections":[{"message_index":3,"tool_use_id":"a","decided_by":"user","reason":"no","denial_kind":"user-rejected"},{"message_index":4,"tool_use_id":"gone"}]}`

// TestOddTrajectory: odd session objects become valid trajectories without loss.
func TestOddTrajectory(t *testing.T) {
	made, err := trajectoryOf([]byte(odd), func(session string) string { return map[string]string{"s/sub": "sub.trajectory.json"}[session] })
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range made.Steps {
		s.Extra = onlyLists(s.Extra)
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(text))
	}
	want := []string{
		`{"step_id":1,"timestamp":"2026-01-01T00:00:00.000000Z","source":"user","message":"copied","is_copied_context":true}`,
		`{"step_id":2,"source":"agent","model_name":"m","message":"","reasoning_content":"hm","tool_calls":[` +
			`{"tool_call_id":"a","function_name":"Bash","arguments":{"b":12345678901234567890},"extra":{"subagent_session_id":"s/sub"}},` +
			`{"tool_call_id":"a#2","function_name":"unknown","arguments":{"input":"text ` + "\uFFFD" + `"},"extra":{"arguments_are":"no object in the log: member input","tool_use_id":"a"}}],` +
			`"observation":{"results":[{"source_call_id":"a","content":"x","subagent_trajectory_ref":[{"trajectory_path":"sub.trajectory.json","session_id":"s/sub"}],"extra":{"result_message_index":3}}]},` +
			`"metrics":{"prompt_tokens":111,"completion_tokens":7,"cached_tokens":10,"extra":{"cache_write_tokens":100}},` +
			`"extra":{"compactions":[{"after_message_index":3,"summary":"sum"}],"rejections":[{"message_index":3,"tool_use_id":"a","decided_by":"user","reason":"no","denial_kind":"user-rejected"}]}}`,
		`{"step_id":3,"source":"user","message":"!ls"}`,
		`{"step_id":4,"source":"agent","message":"","tool_calls":[{"tool_call_id":"call","function_name":"Bash","arguments":{},"extra":{"subagent_session_id":"gone"}}],"llm_call_count":0}`,
		`{"step_id":5,"source":"system","message":"","extra":{"rejections":[{"message_index":4,"tool_use_id":"gone"}]}}`,
		`{"step_id":6,"source":"agent","model_name":"m","message":"done","is_copied_context":true}`,
		`{"step_id":7,"source":"agent","message":"","tool_calls":[{"tool_call_id":"z","function_name":"Lost","arguments":{"input":[1]},"extra":{"arguments_are":"no object in the log: member input"}}]}`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	f, _ := json.Marshal(made.FinalMetrics)
	if string(f) != `{"total_prompt_tokens":134,"total_completion_tokens":7,"total_cached_tokens":13,"total_cost_usd":0.5,"total_steps":7}` {
		t.Errorf("%s", f)
	}
	if rest, _ := json.Marshal(onlyLists(made.Extra)); string(rest) != `{"clears":[{"after_message_index":null}],"interruptions":[{"message_index":99,"interrupted_message_index":null}],`+
		`"usage":[{"message_index":6,"kind":"usage","role":"system","text":null,"model":"m","input_tokens":20,"cache_read_tokens":3}]}` {
		t.Errorf("%s", rest)
	}
	if made.Agent.Version != "unknown" || !strings.Contains(made.Notes, "older session older") {
		t.Errorf("%+v %s", made.Agent, made.Notes)
	}
}

func onlyLists(e extra) extra {
	for name, value := range e {
		if _, ok := value.([]any); !ok {
			delete(e, name)
		}
	}
	return e
}
