package load

import (
	"testing"
	"time"

	"hindsql/tables"
)

// TestFingerprintsTellFilesApart: the fingerprint depends on all properties that a plan
// compares.
func TestFingerprintsTellFilesApart(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 1, 0, 0, 0, 1000, time.UTC)
	file := func(id, size int64, modifiedAt time.Time, version int) foundLog {
		return foundLog{id: id, source: tables.Source{Size: size, ModifiedAt: modifiedAt, ReaderVersion: version, LoadedAt: time.Now()}}
	}
	a, b := file(1, 10, at, 1), file(2, 10, at, 1)
	met := map[string]int{}
	for i, logs := range [][]foundLog{
		nil, {a}, {b}, {a, b},
		{file(1, 11, at, 1)}, {file(1, 10, at.Add(time.Microsecond), 1)}, {file(1, 10, at, 2)},
	} {
		print := fingerprint(logs)
		if other, ok := met[print]; ok || len(print) != 16 {
			t.Errorf("%s is the fingerprint of lists %d and %d", print, i, other)
		}
		met[print] = i
	}
	if fingerprint([]foundLog{a, b}) != fingerprint([]foundLog{file(1, 10, at, 1), file(2, 10, at, 1)}) {
		t.Error("the same files have another fingerprint later on")
	}
}
