package readertest

import (
	"runtime"
	"strings"
	"testing"

	"hindsql/readers"
	"hindsql/tables"
)

// Linear fails the test if a log with twice as many lines takes much more than twice
// the memory to read, even if the lines are damaged. line returns the i-th line without
// its end. Linear counts allocated bytes and not time. No other test may run in
// parallel.
func Linear(t *testing.T, r *readers.Reader, rel string, line func(i int) string) {
	t.Helper()
	const lines = 4000
	few, many := allocated(r, rel, lines, line), allocated(r, rel, 2*lines, line)
	if many > 3*few {
		t.Errorf("%d lines take %d bytes, and twice as many %d", lines, few, many)
	}
}

func allocated(r *readers.Reader, rel string, lines int, line func(i int) string) uint64 {
	var log strings.Builder
	for i := range lines {
		log.WriteString(line(i))
		log.WriteByte('\n')
	}
	in := Text(rel, log.String(), nil)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	batch := tables.NewBatch(nil)
	r.LoadFrom(in, tables.Source{Agent: r.Agent, Path: rel}).AppendTo(batch)
	for _, t := range tables.Loaded() {
		batch.Records(t)
	}
	batch.Release()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
