package readers

import (
	"strconv"
	"strings"
	"time"

	"hindsql/tables"
)

// Kinds counts a file's records by kind, known or not, so that every line of a
// log is accounted for.
type Kinds struct {
	byKind map[string]*tables.RecordKind
	order  []*tables.RecordKind
}

// Count counts one record. Version and time are empty where the record has none.
func (k *Kinds) Count(kind string, known bool, version string, at time.Time) {
	r := k.byKind[kind]
	if r == nil {
		if k.byKind == nil {
			k.byKind = map[string]*tables.RecordKind{}
		}
		r = &tables.RecordKind{Kind: kind, Known: known}
		k.byKind[kind] = r
		k.order = append(k.order, r)
	}
	r.Lines++
	if version != "" && version != r.LastVersion && version != r.FirstVersion {
		if r.FirstVersion == "" || compareVersions(version, r.FirstVersion) < 0 {
			r.FirstVersion = version
		}
		if r.LastVersion == "" || compareVersions(version, r.LastVersion) > 0 {
			r.LastVersion = version
		}
	}
	if !at.IsZero() {
		if r.FirstSeen.IsZero() || at.Before(r.FirstSeen) {
			r.FirstSeen = at
		}
		if at.After(r.LastSeen) {
			r.LastSeen = at
		}
	}
}

// Emit emits the counts, in the order the kinds were first met.
func (k *Kinds) Emit(emit func(tables.Event)) {
	for _, r := range k.order {
		emit(r)
	}
}

// compareVersions compares dotted versions by their numbers: 2.1.9 < 2.1.10.
func compareVersions(a, b string) int {
	for a != "" || b != "" {
		var x, y string
		x, a, _ = strings.Cut(a, ".")
		y, b, _ = strings.Cut(b, ".")
		if i, j := leadingNumber(x), leadingNumber(y); i != j {
			return i - j
		}
	}
	return 0
}

// leadingNumber is 10 for "10-beta", and 0 for what begins with no digit.
func leadingNumber(s string) int {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	i, _ := strconv.Atoi(s[:n])
	return i
}
