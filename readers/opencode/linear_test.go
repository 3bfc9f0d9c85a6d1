package opencode_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"hindsql/readers/opencode"
)

// hostile returns the SQL of a session and its fork with many messages. Each message is
// a refused batch, a compaction or a stop, and all have about the same time.
func hostile(messages int) string {
	var sql strings.Builder
	sql.WriteString(schema)
	for _, id := range []string{"ses_a", "ses_b"} {
		created := begun + 5000*strings.Index("ab", id[4:])
		sql.WriteString(insert("session", id, "", "/w", "A", "1.18.33", `{"messageID":"ses_a_m5"}`, created, created))
		for i := range messages {
			message := fmt.Sprintf("%s_m%d", id, i)
			data := fmt.Sprintf(`{"role":"assistant","parentID":"%s_m%d","summary":%v,"finish":"stop","time":{"created":%d,"completed":%d}}`, id, i/2, i%3 == 0, begun+i%10, begun+900)
			if i%4 == 0 {
				data = fmt.Sprintf(`{"role":"user","time":{"created":%d}}`, begun+i%10)
			}
			sql.WriteString(insert("message", message, id, begun+i%10, begun, data))
			sql.WriteString(insert("part", message+"_c", message, id, begun, begun, fmt.Sprintf(`{"type":"compaction","tail_start_id":"%s_m0"}`, id)))
			for k := range 3 {
				sql.WriteString(insert("part", fmt.Sprintf("%s_p%d", message, k), message, id, begun, begun,
					fmt.Sprintf(`{"type":"tool","tool":"bash","callID":"c","state":{"status":"error","error":"The user rejected permission to use this specific tool call.","time":{"start":%d,"end":%d}}}`, begun, begun+k)))
			}
		}
	}
	return sql.String()
}

// TestLinear: a database with twice as many messages takes about twice the memory.
func TestLinear(t *testing.T) {
	allocated := func(messages int) uint64 {
		folder := t.TempDir()
		lay(t, folder, hostile(messages))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if rows := loadAll(t, opencode.Reader, folder)["ses_b"]; len(rows["messages"]) != messages {
			t.Fatalf("%d messages, want %d", len(rows["messages"]), messages)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	few, many := allocated(1000), allocated(2000)
	if many > 3*few {
		t.Errorf("1000 messages take %d bytes, and twice as many %d", few, many)
	}
}
