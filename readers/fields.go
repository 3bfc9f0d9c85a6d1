package readers

import (
	"fmt"
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
	keys     keyTable // below, for look
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
	fieldsOfFile = 500 // most unknown fields noted; a log with more comes from another program
	elementsSeen = 8   // number of a list's elements that are checked, because all are alike
)

// fieldName matches the name of a field, and not a key that is data: an id, a path, a
// date or a model's name.
var fieldName = pattern.Lazy(`^[_$]?[A-Za-z][A-Za-z_]{0,39}[0-9]{0,2}[A-Za-z_]{0,20}$`)

// look notes each field of the record v that the list doesn't have.
func (f *field) look(v *fastjson.Value, depth int, met *fieldsMet) {
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
				met.note(f.pathOf(name), v)
				continue
			}
		}
		if depth == fieldDepth || known.closed {
			continue
		}
		switch v.Type() {
		case fastjson.TypeObject:
			known.look(v, depth+1, met)
		case fastjson.TypeArray:
			known.lookAtElements(v, depth, met)
		}
	}
}

// lookAtElements checks the first objects of a list.
func (f *field) lookAtElements(v *fastjson.Value, depth int, met *fieldsMet) {
	list := v.GetArray()
	for _, element := range list[:min(len(list), elementsSeen)] {
		if element.Type() != fastjson.TypeObject {
			continue
		}
		if f.elements == nil {
			met.note(f.path+"[]", element)
			return
		}
		f.elements.look(element, depth+1, met)
	}
}

// fieldsMet holds the unknown fields of one log.
type fieldsMet struct {
	byPath        map[string]*tables.RecordField // by kind and path
	order         []*tables.RecordField
	kind, version string // of the record being checked
}

func (m *fieldsMet) note(path string, v *fastjson.Value) {
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
