package engine_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"hindsql/internal/whole"
)

const decided = ".claude/projects/-home-ann-shop/5e550401-0000-4000-8000-000000000001"

// refusedBy is a transcript with one call that ends in the words of a refusal, as
// Claude Code writes them after the user stops the turn.
func refusedBy(call, more string) string {
	const envelope = `"isSidechain":false,"sessionId":"5e550401-0000-4000-8000-000000000001","version":"2.1.150","cwd":"/home/ann/shop"`
	return fmt.Sprintf(`{"type":"user","uuid":"a1","parentUuid":null,%[1]s,"timestamp":"2026-03-02T09:00:00Z","message":{"role":"user","content":"look around"}}
{"type":"assistant","uuid":"a2","parentUuid":"a1",%[1]s,"timestamp":"2026-03-02T09:00:01Z","message":{"id":"m1","role":"assistant","model":"x","content":[{"type":"tool_use","id":"toolu_a","name":%[2]s}]}}
{"type":"user","uuid":"a3","parentUuid":"a2",%[1]s,"timestamp":"2026-03-02T09:00:09Z","toolUseResult":"User rejected tool use","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_a","is_error":true,"content":"The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed."}]}}
{"type":"user","uuid":"a4","parentUuid":"a3",%[1]s,"timestamp":"2026-03-02T09:00:09Z","message":{"role":"user","content":[{"type":"text","text":"[Request interrupted by user for tool use]"}]}}
`, envelope, call) + more
}

const (
	whatWasDecided = `SELECT t.status, t.decision, t.decided_by, t.waited_ms, i.phase, i.paired_rejection, count(r.tool_use_id)
		FROM tool_calls t LEFT JOIN interruptions i USING (session_id, tool_use_id) LEFT JOIN with_copies.rejections r USING (session_id, tool_use_id)
		WHERE tool_use_id = 'toolu_a' GROUP BY ALL`
	subagentsStart = `{"type":"user","uuid":"s1","parentUuid":null,"isSidechain":true,"agentId":"a1","sessionId":"5e550401-0000-4000-8000-000000000001","version":"2.1.150","timestamp":"2026-03-02T09:00:0%dZ","message":{"role":"user","content":%q}}
`
)

// TestCallThatStartedASubagentRan: a call that started a subagent ran, whichever of the
// two files is read first.
func TestCallThatStartedASubagentRan(t *testing.T) {
	whole.Test(t, "loads three homes with the agents' own readers, twice each")
	t.Parallel()
	const call = `"Task","input":{"prompt":"find the shop"}`
	for _, test := range []struct {
		name, start, want string
	}{
		{"its prompt, while it ran", fmt.Sprintf(subagentsStart, 2, "find the shop"), "interrupted|NULL|NULL|NULL|tool|false|0"},
		{"another prompt", fmt.Sprintf(subagentsStart, 2, "find the till"), "rejected|refused|user|8000|approval|true|1"},
		{"before it", fmt.Sprintf(subagentsStart, 0, "find the shop"), "rejected|refused|user|8000|approval|true|1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := &home{T: t, Dir: t.TempDir(), Store: filepath.Join(t.TempDir(), "h.duckdb")}
			h.Put(decided+".jsonl", refusedBy(call, ""))
			h.Sync()
			h.Want(whatWasDecided, "rejected|refused|user|8000|approval|true|1")
			h.Put(decided+"/subagents/agent-a1.jsonl", test.start)
			h.Sync()
			h.Want(whatWasDecided, test.want)
			load(t, h.Dir).Want(whatWasDecided, test.want)
		})
	}
}

// TestAcceptedPlanIsGranted: if the user accepts a plan and clears the context, the log
// says that the call was rejected. Once the log of the session with the plan is loaded,
// the call's decision is granted and its status ok.
func TestAcceptedPlanIsGranted(t *testing.T) {
	whole.Test(t, "loads several stores, 0.6 s of processor time")
	t.Parallel()
	h := &home{T: t, Dir: t.TempDir(), Store: filepath.Join(t.TempDir(), "h.duckdb")}
	h.Put(decided+".jsonl", refusedBy(`"ExitPlanMode","input":{"plan":"1. pages"}`, ""))
	h.Sync()
	h.Want(whatWasDecided, "rejected|refused|user|8000|approval|true|1")
	h.Put(".claude/projects/-home-ann-shop/5e550402-0000-4000-8000-000000000001.jsonl", `{"type":"user","uuid":"b1","parentUuid":null,"isSidechain":false,"sessionId":"5e550402-0000-4000-8000-000000000001","version":"2.1.150","cwd":"/home/ann/shop","timestamp":"2026-03-02T09:00:09.5Z","planContent":"1. pages","message":{"role":"user","content":"Implement the following plan:\n\n1. pages\n\nIf you need specific details, read the full transcript at: /home/ann/`+decided+`.jsonl"}}
`)
	h.Sync()
	h.Want(whatWasDecided, "ok|granted|user|NULL|NULL|NULL|0")
}
