package readers

import (
	"fmt"
	"math/bits"
	"strings"
	"sync"

	"hindsql/internal/fastjson"
	"hindsql/internal/pattern"
	"hindsql/tables"
)

// FieldList lists the known key paths of an agent's records, by kind of record. Agents
// change monthly: an unlisted path came with a newer version, and may hold information
// that the reader doesn't use yet.
//
// In the text form, each kind is a line. The lines below it begin with a tab and hold
// paths separated by spaces. Paths under kind * apply to every kind. A path is up to
// three keys joined by dots. [] after a key means the list's elements. * means a key
// that is data, for example a file name. A slash after a path closes it: the value holds
// text by people, models or tools, and the keys below are not checked. Close a path by
// hand, and delete the paths below it.
type FieldList struct {
	kinds map[string]*field
}

// field is a known key with its known subkeys and list elements.
type field struct {
	path     string // full path from the record
	below    map[string]*field
	keys     keyTable // below, for findUnknown
	elements *field
	closed   bool // the keys below this one are not checked
}

// Fields parses a list at its first use, because most commands read no log.
func Fields(text string) func() *FieldList {
	return sync.OnceValue(func() *FieldList { return parseFields(text) })
}

// Lists reports whether the list has the kind of record.
func (l *FieldList) Lists(kind string) bool { return l.kinds[kind] != nil }

func parseFields(text string) *FieldList {
	list := &FieldList{kinds: map[string]*field{}}
	var common []string
	var kind string
	for line := range strings.Lines(text) {
		paths, indented := strings.CutPrefix(line, "\t")
		switch {
		case !indented:
			kind = strings.TrimSuffix(line, "\n")
			list.kinds[kind] = &field{}
		case kind == "*":
			common = append(common, strings.Fields(paths)...)
		default:
			list.kinds[kind].addAll(strings.Fields(paths))
		}
	}
	for _, fields := range list.kinds {
		fields.addAll(common)
		fields.index()
	}
	return list
}

// index makes the tables of the field and of all fields below it.
func (f *field) index() {
	if f == nil {
		return
	}
	f.keys = newKeyTable(f.below)
	f.elements.index()
	for _, below := range f.below {
		below.index()
	}
}

func (f *field) addAll(paths []string) {
	for _, path := range paths {
		f.add(path)
	}
}

func (f *field) add(path string) {
	path, closed := strings.CutSuffix(path, "/")
	for key := range strings.SplitSeq(path, ".") {
		key, list := strings.CutSuffix(key, "[]")
		f = f.key(key)
		if list {
			if f.elements == nil {
				f.elements = &field{path: f.path + "[]"}
			}
			f = f.elements
		}
	}
	f.closed = f.closed || closed && f.below == nil // a kind that lists subkeys is checked
}

// key returns the field of a key, and creates a missing field.
func (f *field) key(key string) *field {
	if f.below == nil {
		f.below = map[string]*field{}
	}
	if f.below[key] == nil {
		f.below[key] = &field{path: f.pathOf(key)}
	}
	return f.below[key]
}

func (f *field) pathOf(key string) string {
	if f.path == "" {
		return key
	}
	return f.path + "." + key
}

const (
	fieldDepth   = 3   // keys of a path
	fieldsOfFile = 500 // most unknown fields recorded; a log with more comes from another program
	elementsSeen = 8   // number of a list's elements that are checked, because all are alike
)

// fieldName matches the name of a field, and not a key that is data: an id, a path, a
// date or a model's name.
var fieldName = pattern.Lazy(`^[_$]?[A-Za-z][A-Za-z_]{0,39}[0-9]{0,2}[A-Za-z_]{0,20}$`)

// findUnknown records each field of the record v that the list doesn't have.
func (f *field) findUnknown(v *fastjson.Value, depth int, met *unknownFields) {
	if f == nil || f.closed || v == nil {
		return
	}
	object := v.GetObject()
	if object == nil {
		return
	}
	for i := range object.Pairs() {
		key, v := object.Pair(i)
		known := f.keys.field(key)
		if known == nil {
			name := "*"
			if fieldName.MatchString(key) {
				name = strings.Clone(key)
			}
			if known = f.keys.field(name); known == nil {
				met.add(f.pathOf(name), v)
				continue
			}
		}
		if depth == fieldDepth || known.closed {
			continue
		}
		switch v.Type() {
		case fastjson.TypeObject:
			known.findUnknown(v, depth+1, met)
		case fastjson.TypeArray:
			known.findUnknownElements(v, depth, met)
		}
	}
}

// findUnknownElements checks the first objects of a list.
func (f *field) findUnknownElements(v *fastjson.Value, depth int, met *unknownFields) {
	list := v.GetArray()
	for _, element := range list[:min(len(list), elementsSeen)] {
		if element.Type() != fastjson.TypeObject {
			continue
		}
		if f.elements == nil {
			met.add(f.path+"[]", element)
			return
		}
		f.elements.findUnknown(element, depth+1, met)
	}
}

// unknownFields holds the unknown fields of one log.
type unknownFields struct {
	byPath        map[string]*tables.RecordField // by kind and path
	order         []*tables.RecordField
	kind, version string // of the record being checked
}

func (m *unknownFields) add(path string, v *fastjson.Value) {
	kind, version := m.kind, m.version
	key := kind + "\t" + path
	f := m.byPath[key]
	if f == nil {
		if len(m.order) == fieldsOfFile {
			return
		}
		if m.byPath == nil {
			m.byPath = map[string]*tables.RecordField{}
		}
		f = &tables.RecordField{Kind: kind, Field: path, FirstVersion: version, Example: shapeOf(v)}
		m.byPath[key] = f
		m.order = append(m.order, f)
	}
	f.Lines++
	if version != "" && (f.FirstVersion == "" || CompareVersions(version, f.FirstVersion) < 0) {
		f.FirstVersion = version
	}
}

// shapeOf returns a value's type and length, never the value.
func shapeOf(v *fastjson.Value) string {
	switch v.Type() {
	case fastjson.TypeString:
		return fmt.Sprintf("string of %d bytes", len(v.GetStringBytes()))
	case fastjson.TypeObject:
		return fmt.Sprintf("object of %d keys", v.GetObject().Len())
	case fastjson.TypeArray:
		return fmt.Sprintf("array of %d", len(v.GetArray()))
	case fastjson.TypeTrue, fastjson.TypeFalse:
		return "boolean"
	}
	return v.Type().String()
}

// keyTable finds the fields of an object by their keys. It is a quarter of a map's cost:
// three bytes and the length are enough to tell an agent's keys apart, and nearly all
// keys of a log are in the table.
type keyTable struct {
	slots []keySlot // a power of two, at most half full; nil if there are no keys
}

type keySlot struct {
	key   string
	field *field // nil for a free slot
}

func newKeyTable(fields map[string]*field) keyTable {
	if len(fields) == 0 {
		return keyTable{}
	}
	t := keyTable{make([]keySlot, 4<<bits.Len(uint(len(fields))))}
	for key, f := range fields {
		at := t.start(key)
		for t.slots[at].field != nil {
			at = (at + 1) & (len(t.slots) - 1)
		}
		t.slots[at] = keySlot{key, f}
	}
	return t
}

// start returns the first slot for a key.
func (t keyTable) start(key string) int {
	n := len(key)
	if n == 0 {
		return 0
	}
	return (n + int(key[0])*7 + int(key[n/2])*31 + int(key[n-1])*113) & (len(t.slots) - 1)
}

// field returns the field of a key, or nil.
func (t keyTable) field(key string) *field {
	if t.slots == nil {
		return nil
	}
	for at := t.start(key); ; at = (at + 1) & (len(t.slots) - 1) {
		slot := &t.slots[at]
		if slot.field == nil || slot.key == key {
			return slot.field
		}
	}
}
