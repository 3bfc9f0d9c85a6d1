package engine_test

import (
	"fmt"
	"hindsql/engine/export"
	"os"
	"strings"
	"testing"
)

// largeText is the size of each of a log's largeTexts. DuckDB holds those of
// three logs together in memory, which are more than a load's own limit.
const (
	largeText  = 4 << 20
	largeTexts = 20
)

// writeLarge writes a log of large texts, each another one.
func (h *home) writeLarge(name string) {
	h.t.Helper()
	lines := make([]string, largeTexts)
	for i := range lines {
		lines[i] = fmt.Sprintf(`{"id":"%s-%d","text":"%s"}`+"\n", name, i, strings.Repeat(fmt.Sprintf("%.5s-%02d", name, i), largeText/8))
	}
	h.write(name, lines...)
}

// wantLarge says whether the store holds the large texts of so many logs, whole.
func (h *home) wantLarge(logs int) {
	h.t.Helper()
	n := largeTexts * logs
	h.want("SELECT count(*), count(DISTINCT text), sum(strlen(text)) FROM messages", fmt.Sprintf("%d|%[1]d|%d", n, n*largeText))
}

// TestLargeTextsAreLoaded at first, by an update of a store that holds others,
// and out of an export; they stay when their logs are gone and the tables change.
func TestLargeTextsAreLoaded(t *testing.T) {
	if testing.Short() {
		t.Skip("240 MB, several times")
	}
	logs := []string{"first.jsonl", "second.jsonl", "third.jsonl"}
	m := newMachine(t, "here")
	for _, name := range logs {
		m.writeLarge(name)
	}
	m.sync(false)
	m.wantLarge(3)

	other := newMachine(t, "there")
	other.take(m.export(export.Options{Format: export.Parquet}), "here")
	other.wantLarge(3)

	grown := newMachine(t, "here")
	grown.writeLarge(logs[0])
	grown.writeLarge(logs[1])
	grown.sync(false)
	grown.wantLarge(2)
	grown.writeLarge(logs[2])
	grown.sync(false)
	grown.wantLarge(3)

	must(t, os.RemoveAll(m.path("")))
	m.tamper("UPDATE store_info SET schema_hash = 'older'")
	m.write("small.jsonl", line(1, ""))
	m.sync(false)
	m.remove("small.jsonl")
	m.want("SELECT count(*), sum(strlen(text)) FROM messages WHERE text NOT LIKE 'text%'", fmt.Sprintf("%d|%d", 3*largeTexts, 3*largeTexts*largeText))
}
