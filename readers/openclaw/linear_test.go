package openclaw_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"hindsql/readers/openclaw"
	"hindsql/readers/readertest"
)

// hostile is a file of one response with many calls, and as many crashes and stops.
func hostile(n int) string {
	var log strings.Builder
	log.WriteString(`{"type":"session","version":4,"id":"h","timestamp":"2026-11-18T13:00:00Z","cwd":"/w"}` + "\n")
	log.WriteString(`{"type":"message","id":"a","parentId":null,"timestamp":"2026-11-18T13:00:01Z","message":{"role":"assistant","stopReason":"toolUse","__openclaw":{"runId":"r"},"content":[`)
	for i := range n {
		if i > 0 {
			log.WriteString(",")
		}
		fmt.Fprintf(&log, `{"type":"toolCall","id":"c%d","name":"exec","arguments":{"command":"ls"}}`, i)
	}
	log.WriteString("]}}\n")
	for i := range n {
		fmt.Fprintf(&log, `{"type":"message","id":"u%d","parentId":"a","timestamp":"2026-11-18T13:00:02Z","message":{"role":"user","content":"x","provenance":{"kind":"internal_system","sourceTool":"main_session_restart_recovery"}}}`+"\n", i)
		fmt.Fprintf(&log, `{"type":"message","id":"b%d","parentId":"a","timestamp":"2026-11-18T13:00:02Z","message":{"role":"assistant","content":[],"provider":"openclaw","model":"gateway-injected","openclawAbort":{"aborted":true,"runId":"r"}}}`+"\n", i)
		fmt.Fprintf(&log, `{"type":"leaf","id":"l%d","parentId":"b%[1]d","timestamp":"2026-11-18T13:00:02Z","targetId":"a"}`+"\n", i)
	}
	return log.String()
}

// TestLinear: a log of twice as many stops takes no more than about twice the memory.
func TestLinear(t *testing.T) {
	allocated := func(n int) uint64 {
		log := hostile(n)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if rows := readertest.RowsOf(openclaw.Reader, "agents/main/sessions/h.jsonl", log); len(rows["tool_calls"]) != n || len(rows["interruptions"]) != 2*n {
			t.Fatal(len(rows["tool_calls"]), len(rows["interruptions"]))
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	few, many := allocated(1500), allocated(3000)
	if many > 3*few {
		t.Errorf("1500 stops take %d bytes, and twice as many %d", few, many)
	}
}
