package engine_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"hindsql/internal/whole"
)

// largeText is the size of each of a log's largeTexts, in bytes. DuckDB holds the texts
// of three logs together in memory, which is more than a load's ordinary limit.
const (
	largeText  = 4 << 20
	largeTexts = 20
)

// writeLarge writes a log of large texts, each different.
func writeLarge(h *home, name string) {
	h.T.Helper()
	lines := make([]string, largeTexts)
	for i := range lines {
		lines[i] = fmt.Sprintf(`{"id":"%s-%d","text":"%s"}`+"\n", name, i, strings.Repeat(fmt.Sprintf("%.5s-%02d", name, i), largeText/8))
	}
	h.Write(name, lines...)
}

// wantLarge checks that the store holds the whole large texts of a number of logs.
func wantLarge(h *home, logs int) {
	h.T.Helper()
	n := largeTexts * logs
	h.Want("SELECT count(*), count(DISTINCT text), sum(strlen(text)) FROM messages", fmt.Sprintf("%d|%[1]d|%d", n, n*largeText))
}

// TestLargeTextsAreLoaded: large texts are loaded at first, and by an update of a store
// with other large texts. The texts stay after their logs are gone and the tables
// change.
func TestLargeTextsAreLoaded(t *testing.T) {
	whole.Test(t, "loads 240 MB, several times")
	logs := []string{"first.jsonl", "second.jsonl", "third.jsonl"}
	m := newHome(t)
	for _, name := range logs {
		writeLarge(m, name)
	}
	m.Sync()
	wantLarge(m, 3)

	grown := newHome(t)
	writeLarge(grown, logs[0])
	writeLarge(grown, logs[1])
	grown.Sync()
	wantLarge(grown, 2)
	writeLarge(grown, logs[2])
	grown.Sync()
	wantLarge(grown, 3)

	must(t, os.RemoveAll(m.Path("")))
	m.Tamper("UPDATE store_info SET schema_hash = 'older'")
	m.Write("small.jsonl", line(1, ""))
	m.Sync()
	m.Remove("small.jsonl")
	m.Want("SELECT count(*), sum(strlen(text)) FROM messages WHERE text NOT LIKE 'text%'", fmt.Sprintf("%d|%d", 3*largeTexts, 3*largeTexts*largeText))
}
