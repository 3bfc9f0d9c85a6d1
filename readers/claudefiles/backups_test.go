package claudefiles

import (
	"slices"
	"testing"
	"time"

	"hindsql/internal/fastjson"
)

// TestBackups: only files saved between the prompt's snapshot and the stop have changed.
func TestBackups(t *testing.T) {
	var b Backups
	for _, line := range []string{
		`{"snapshot":{"messageId":"p1","trackedFileBackups":{},"timestamp":"2026-03-02T09:00:00.000Z"},"isSnapshotUpdate":false}`,
		`{"messageId":"a1","snapshot":{"messageId":"p1","trackedFileBackups":{"a.go":{"backupTime":"2026-03-02T09:00:05.000Z"}}},"isSnapshotUpdate":true}`,
		`{"messageId":"a2","snapshot":{"messageId":"p1","trackedFileBackups":{"a.go":{"backupTime":"2026-03-02T09:00:05.000Z"},"b.go":{"backupTime":"2026-03-02T09:00:08.000Z"}}},"isSnapshotUpdate":true}`,
		`{"snapshot":{"messageId":"p2","trackedFileBackups":{"a.go":{"backupTime":"2026-03-02T09:01:00.000Z"},"b.go":{"backupTime":"2026-03-02T09:00:08.000Z"}},"timestamp":"2026-03-02T09:01:00.000Z"},"isSnapshotUpdate":false}`,
		`{"messageId":"a3","snapshot":{"messageId":"p1","trackedFileBackups":{"late.go":{"backupTime":"2026-03-02T09:01:01.000Z"}}},"isSnapshotUpdate":true}`,
		`{"type":"file-history-delta","snapshotMessageId":"p2","trackingPath":"b.go","backup":{"backupTime":"2026-03-02T09:01:02.000Z"}}`,
		`{"snapshot":{"messageId":"p3","trackedFileBackups":{},"timestamp":"2026-03-02T09:02:00.000Z"},"isSnapshotUpdate":false}`,
	} {
		v, err := fastjson.Parse(line)
		if err != nil {
			t.Fatal(err)
		}
		b.Add(v)
	}
	for clock, want := range map[string][]string{
		"08:59:59": nil, "09:00:04": {}, "09:00:06": {"a.go"}, "09:00:59": {"a.go", "b.go"}, "09:01:30": {"b.go"}, "09:03:00": {},
	} {
		moment, err := time.Parse(time.DateTime, "2026-03-02 "+clock)
		if err != nil {
			t.Fatal(err)
		}
		if got := b.ChangedUntil(moment); !slices.Equal(got, want) || (got == nil) != (want == nil) {
			t.Errorf("%s: %q, want %q", clock, got, want)
		}
	}
}
