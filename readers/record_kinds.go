package readers

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"hindsql/internal/fastjson"
	"hindsql/tables"
)

// Kinds counts a file's records by kind, so that every line of a log is accounted for.
// A kind is known if the reader handles it. Kinds also records unknown fields of known
// kinds.
type Kinds struct {
	byKind  map[string]*kindCount
	order   []*tables.RecordKind
	fields  *FieldList // nil: fields are not checked
	unknown unknownFields
	tested  string           // newest version whose logs were tested
	newer   map[string]int64 // records by version, for versions newer than tested
	last    string           // the last version that isn't newer
}

// kindCount is a kind of record with its known fields.
type kindCount struct {
	*tables.RecordKind
	fields *field // nil: not checked
}

// NewKinds returns empty counts for a log, with the reader's list of fields.
func NewKinds(in *Input) Kinds { return Kinds{fields: in.fields, tested: in.tested} }

// Record counts one record, and checks the fields of a known kind. Version and time are
// empty if the record has none.
func (k *Kinds) Record(v *fastjson.Value, kind string, known bool, version string, at time.Time) {
	r := k.count(kind, known, version, at)
	if known && r.fields != nil {
		k.unknown.kind, k.unknown.version = kind, version
		r.fields.findUnknown(v, 1, &k.unknown)
	}
}

// RecordFields records the unknown fields of a record, and skips kinds missing from the
// list: no tested log had such records to compare with.
func (k *Kinds) RecordFields(v *fastjson.Value, kind, version string) {
	if k.fields != nil {
		k.unknown.kind, k.unknown.version = kind, version
		k.fields.kinds[kind].findUnknown(v, 1, &k.unknown)
	}
}

// RecordColumns records the unknown columns of a table of a database.
func (k *Kinds) RecordColumns(table string, columns []string) {
	object := map[string]any{}
	for _, c := range columns {
		object[strings.ToValidUTF8(c, "?")] = true
	}
	if v, err := fastjson.Parse(Object(object)); err == nil {
		k.RecordFields(v, "table/"+table, "")
	}
}

// Count counts one record. Version and time are empty if the record has none.
func (k *Kinds) Count(kind string, known bool, version string, at time.Time) {
	k.count(kind, known, version, at)
}

func (k *Kinds) count(kind string, known bool, version string, at time.Time) *kindCount {
	r := k.byKind[kind]
	if r == nil {
		if k.byKind == nil {
			k.byKind = map[string]*kindCount{}
		}
		r = &kindCount{RecordKind: &tables.RecordKind{Kind: kind, Known: known}}
		if k.fields != nil {
			r.fields = k.fields.kinds[kind]
		}
		k.byKind[kind] = r
		k.order = append(k.order, r.RecordKind)
	}
	r.Lines++
	if version != "" && k.isNewer(version) {
		k.newer[version]++
	}
	if version != "" && version != r.LastVersion && version != r.FirstVersion {
		if r.FirstVersion == "" || CompareVersions(version, r.FirstVersion) < 0 {
			r.FirstVersion = version
		}
		if r.LastVersion == "" || CompareVersions(version, r.LastVersion) > 0 {
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
	return r
}

// isNewer reports whether a version is newer than the newest tested version.
func (k *Kinds) isNewer(version string) bool {
	if _, met := k.newer[version]; met {
		return true
	}
	if k.tested == "" || version == k.last || CompareVersions(version, k.tested) <= 0 {
		k.last = version
		return false
	}
	if k.newer == nil {
		k.newer = map[string]int64{}
	}
	k.newer[version] = 0
	return true
}

// Emit emits the counts in the order in which the kinds were first met, then the
// unknown fields and the newer versions.
func (k *Kinds) Emit(emit func(tables.Event)) {
	for _, r := range k.order {
		emit(r)
	}
	for _, f := range k.unknown.order {
		emit(f)
	}
	for _, version := range slices.Sorted(maps.Keys(k.newer)) {
		emit(&tables.RecordField{
			Kind: tables.FieldNewerVersion, Field: version, FirstVersion: version, Lines: k.newer[version],
			Example: "newest tested: " + k.tested,
		})
	}
}

// CompareVersions compares dotted versions by their numbers: 2.1.9 < 2.1.10.
func CompareVersions(a, b string) int {
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

// leadingNumber returns 10 for "10-beta", and 0 if s doesn't begin with a digit.
func leadingNumber(s string) int {
	i, _ := strconv.Atoi(s[:countDigits(s)])
	return i
}
