package grok

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"hindsql/readers/readertest"
	"hindsql/tables"
)

func linearUpdate(i int, kind, body string) string {
	return fmt.Sprintf(`{"timestamp":1795514400,"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":%q%s},"_meta":{"eventId":"e%d","agentTimestampMs":%d}}}`, kind, body, i, 1795514400000+i)
}

// TestDamageIsLinear: a log with many open calls, rewinds or subagents takes memory in
// proportion to its length.
func TestDamageIsLinear(t *testing.T) {
	for name, give := range map[string]func(i int) string{
		"open calls": func(i int) string {
			return linearUpdate(i, "tool_call", fmt.Sprintf(`,"toolCallId":"c%d","title":"write","rawInput":{}`, i))
		},
		"stops": func(i int) string {
			if i%2 == 0 {
				return linearUpdate(i, "tool_call", fmt.Sprintf(`,"toolCallId":"c%d","title":"write"`, i))
			}
			return strings.Replace(linearUpdate(i, "turn_completed", `,"stop_reason":"cancelled"`), `"_meta":{`, `"_meta":{"cancellationCategory":"MidTurnAbort",`, 1)
		},
		"rewinds": func(i int) string {
			if i%2 == 0 {
				return linearUpdate(i, userChunk, fmt.Sprintf(`,"content":{"type":"text","text":"x"},"_meta":{"promptIndex":%d}`, i))
			}
			return linearUpdate(i, "rewind_marker", fmt.Sprintf(`,"target_prompt_index":%d`, i/2))
		},
		"parts of a prompt": func(i int) string {
			return linearUpdate(i, userChunk, `,"content":{"type":"image","data":"AA==","mimeType":"image/png"},"_meta":{"promptIndex":0}`)
		},
		"subagents": func(i int) string {
			if i%2 == 0 {
				return linearUpdate(i, "tool_call", fmt.Sprintf(`,"toolCallId":"c%d","title":"spawn_subagent","rawInput":{"description":"x"}`, i))
			}
			return linearUpdate(i, "subagent_spawned", fmt.Sprintf(`,"child_session_id":"s%d","description":"x"`, i))
		},
		"halves": func(int) string { return `{"timestamp":1795514400,"method":"session/update","params":{` },
	} {
		t.Run(name, func(t *testing.T) { readertest.Linear(t, Reader, madeLog, give) })
	}
}

// TestPairingIsLinear: twice as many calls with twice as many questions take twice the
// memory.
func TestPairingIsLinear(t *testing.T) {
	allocated := func(calls int) uint64 {
		m := newMade().prompt("go")
		for range calls {
			m.call("write", "{}", allowed, 0).result("completed", block("x"), "", "success")
			m.call("write", "{}", denied, 0).result("failed", block("x"), "", "")
		}
		in := inputOf(m.done().String(), nil)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		b := tables.NewBatch(nil)
		Reader.LoadFrom(in, tables.Source{Agent: Reader.Agent, Path: madeLog}).AppendTo(b)
		b.Release()
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	if few, many := allocated(1000), allocated(2000); many > 3*few {
		t.Errorf("1000 calls take %d bytes, 2000 take %d", few, many)
	}
}

// BenchmarkReader reads a long session, with its events.
func BenchmarkReader(b *testing.B) {
	m := newMade()
	for range 2000 {
		m.prompt("Do the next thing, please.").addAnswer(strings.Repeat("I look at it and then I run the tests. ", 10))
		m.call("run_terminal_command", `{"command":"make test"}`, allowed, 0)
		m.result("completed", block(strings.Repeat("ok ", 300)), `{"type":"Bash","output":[`+strings.TrimSuffix(strings.Repeat("111,107,32,", 300), ",")+`],"output_for_prompt":`+asJSON("exit: 0\n"+strings.Repeat("ok ", 300))+`,"exit_code":0}`, "success")
		m.addAnswer("Done.").done()
	}
	log := m.String()
	b.SetBytes(int64(len(log)))
	for range b.N {
		batch := tables.NewBatch(nil)
		Reader.LoadFrom(inputOf(log, nil), tables.Source{Agent: Reader.Agent, Path: madeLog}).AppendTo(batch)
		batch.Release()
	}
}
