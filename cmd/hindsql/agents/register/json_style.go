package register

import (
	"bytes"
	"encoding/json"

	"github.com/tailscale/hujson"
)

// style is the layout of a JSON file: its line ends and its indentation.
type style struct {
	newline string
	unit    string // of indentation
}

func styleOf(text []byte, root *hujson.Value) style {
	s := style{"\n", "  "}
	if bytes.Contains(text, []byte("\r\n")) {
		s.newline = "\r\n"
	}
	if object := root.Value.(*hujson.Object); len(object.Members) > 0 {
		if indent, ok := lastLine(object.Members[0].Name.BeforeExtra); ok && indent != "" {
			s.unit = indent
		}
	}
	return s
}

// lastLine returns the text after the last newline; false if there is no newline.
func lastLine(extra hujson.Extra) (string, bool) {
	i := bytes.LastIndexByte(extra, '\n')
	return string(extra[i+1:]), i >= 0
}

// inside returns the indentation of an object's members. indent is the object's own.
func (s style) inside(object *hujson.Object, indent string) string {
	if len(object.Members) > 0 {
		if own, ok := lastLine(object.Members[0].Name.BeforeExtra); ok {
			return own
		}
	}
	return indent + s.unit
}

// add appends a member to an object. A one-line object with members stays on one line.
// An empty object becomes one of several lines.
func (s style) add(object *hujson.Object, indent, name string, value hujson.ValueTrimmed) {
	added := hujson.ObjectMember{Name: hujson.Value{Value: hujson.String(name)}, Value: hujson.Value{BeforeExtra: hujson.Extra(" "), Value: value}}
	count := len(object.Members)
	if count > 0 && object.Members[count-1].Value.AfterExtra != nil {
		added.Value.AfterExtra = hujson.Extra{} // the object has a trailing comma
	}
	before, after := object.AfterExtra, object.AfterExtra
	inLines := count == 0 || bytes.ContainsRune(object.Members[0].Name.BeforeExtra, '\n') || bytes.ContainsRune(before, '\n')
	if inLines {
		if i := bytes.LastIndex(before, []byte(s.newline)); i >= 0 {
			before, after = before[:i], before[i:]
		} else {
			after = hujson.Extra(s.newline + indent)
		}
		added.Name.BeforeExtra = append(bytes.Clone(before), s.newline+s.inside(object, indent)...)
	} else {
		before = bytes.TrimRight(before, " \t")
		after = after[len(before):]
		added.Name.BeforeExtra = append(bytes.Clone(before), ' ')
		if packed, err := hujson.Minimize(hujson.Value{Value: value}.Pack()); err == nil {
			added.Value.Value = oneLine(packed)
		}
	}
	object.AfterExtra = after
	object.Members = append(object.Members, added)
}

// oneLine returns JSON with a blank after each comma and colon.
func oneLine(text []byte) hujson.ValueTrimmed {
	v, err := hujson.Parse(text)
	if err != nil {
		return nil
	}
	for v := range v.All() {
		switch c := v.Value.(type) {
		case *hujson.Object:
			for i := range c.Members {
				c.Members[i].Value.BeforeExtra = hujson.Extra(" ")
				if i > 0 {
					c.Members[i].Name.BeforeExtra = hujson.Extra(" ")
				}
			}
		case *hujson.Array:
			for i := range c.Elements[min(1, len(c.Elements)):] {
				c.Elements[i+1].BeforeExtra = hujson.Extra(" ")
			}
		}
	}
	return v.Value
}

// nested returns an object with the fields, inside an object for each of the names.
// indent is the indentation of the line in which the outermost object begins.
func (s style) nested(names []string, fields []field, indent string) hujson.ValueTrimmed {
	object := &hujson.Object{}
	if len(names) > 0 {
		s.add(object, indent, names[0], s.nested(names[1:], fields, indent+s.unit))
		return object
	}
	for _, f := range fields {
		s.add(object, indent, f.name, literal(f.value))
	}
	return object
}

// setEntry updates a server's existing entry. If the entry starts a program, setEntry
// replaces its command line and adds missing fields, but keeps the other fields. It
// replaces any other entry completely.
func (s style) setEntry(at *hujson.Value, fields []field, indent string) {
	object, ok := at.Value.(*hujson.Object)
	if !ok || member(object, "command") == nil {
		at.Value = s.nested(nil, fields, indent)
		return
	}
	for _, f := range fields {
		old := member(object, f.name)
		switch {
		case old == nil:
			s.add(object, indent, f.name, literal(f.value))
		case f.ours:
			old.Value = literal(f.value)
		}
	}
}

// literal returns a value as JSON on one line.
func literal(value any) hujson.ValueTrimmed { return oneLine(pack(value)) }

// pack encodes a value as JSON.
func pack(value any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		panic(err) // strings and lists always encode
	}
	return bytes.TrimSpace(b.Bytes())
}
