package tables_test

import (
	"testing"
	"time"

	"hindsql/tables"
)

// TestWaits: how long a person took to refuse a call is computed from the times of call
// and refusal, unless the reader recorded it.
func TestWaits(t *testing.T) {
	at := func(ms int) time.Time {
		return time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC).Add(time.Duration(ms) * time.Millisecond)
	}
	for _, test := range []struct {
		name      string
		rejection tables.Rejection
		decision  tables.Decision
		called    time.Time
		want      any
	}{
		{"the user's refusal", tables.Rejection{DecidedBy: tables.ByUser, Timestamp: at(3000)}, tables.Decision{}, at(0), int64(3000)},
		{"at once", tables.Rejection{DecidedBy: tables.ByUser, Timestamp: at(500)}, tables.Decision{}, at(0), nil},
		{"just later", tables.Rejection{DecidedBy: tables.ByUser, Timestamp: at(501)}, tables.Decision{}, at(0), int64(501)},
		{"a rule's", tables.Rejection{DecidedBy: tables.ByRule, Timestamp: at(3000)}, tables.Decision{}, at(0), nil},
		{"nobody's", tables.Rejection{DecidedBy: tables.ByNobody, Timestamp: at(3000)}, tables.Decision{}, at(0), nil},
		{"as the log records it", tables.Rejection{DecidedBy: tables.ByUser, Timestamp: at(3000)}, tables.Decision{WaitedMS: tables.Some[int64](200)}, at(0), int64(200)},
		{"granted after all", tables.Rejection{DecidedBy: tables.ByUser, Timestamp: at(3000)}, tables.Decision{Decision: tables.Granted, DecidedBy: tables.ByUser}, at(0), nil},
		{"undone later", tables.Rejection{DecidedBy: tables.ByUser, Timestamp: at(3000), DenialKind: "undone"}, tables.Decision{}, at(0), nil},
		{"behind other calls", tables.Rejection{DecidedBy: tables.ByUser, Timestamp: at(3000)}, tables.Decision{WaitUnknown: true}, at(0), nil},
		{"no time of the call", tables.Rejection{DecidedBy: tables.ByUser, Timestamp: at(3000)}, tables.Decision{}, time.Time{}, nil},
		{"no time of the refusal", tables.Rejection{DecidedBy: tables.ByUser}, tables.Decision{}, at(0), nil},
	} {
		test.rejection.ToolUseID, test.decision.ToolUseID = "c", "c"
		status := tables.StatusRejected
		if test.rejection.DenialKind == "undone" {
			status = tables.StatusOK
		}
		rows := rowsOf(t, &tables.Session{SessionID: "s"}, &tables.Message{Kind: tables.KindResponse},
			&tables.ToolCall{ToolUseID: "c", ToolName: "Bash", Timestamp: test.called}, &tables.Message{Kind: tables.KindToolResult},
			&tables.ToolResult{ToolUseID: "c", Status: status, Timestamp: test.rejection.Timestamp}, &test.rejection, &test.decision)
		if got := rows["tool_calls"][0]["waited_ms"]; got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// TestDurations: a clock that was set back gives no duration, not a duration of 0.
func TestDurations(t *testing.T) {
	begin := time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		name       string
		begun, end time.Time
		want       any
	}{
		{"later", begin, begin.Add(1500 * time.Millisecond), int64(1500)},
		{"at once", begin, begin, int64(0)},
		{"set back", begin, begin.Add(-time.Millisecond), nil},
		{"set back by an hour", begin, begin.Add(-time.Hour), nil},
		{"40 years later", begin, begin.AddDate(40, 0, 0), nil},
		{"no beginning", time.Time{}, begin, nil},
		{"no end", begin, time.Time{}, nil},
	} {
		rows := rowsOf(t, &tables.Session{SessionID: "s"}, &tables.Message{Kind: tables.KindResponse},
			&tables.ToolCall{ToolUseID: "c", ToolName: "Bash", Timestamp: test.begun},
			&tables.ToolResult{ToolUseID: "c", Status: tables.StatusOK, Timestamp: test.end})
		if got := rows["tool_calls"][0]["duration_ms"]; got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}
