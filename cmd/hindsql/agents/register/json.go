package register

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// jsonFile edits JSON, with or without comments and trailing commas. All bytes outside
// the entry stay the same.
type jsonFile struct{}

func (jsonFile) values(text []byte) (map[string]any, error) {
	root, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	root.Standardize()
	var values map[string]any
	return values, json.Unmarshal(root.Pack(), &values)
}

func (jsonFile) set(text []byte, key []string, fields []field) ([]byte, error) {
	root, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	s := styleOf(text, &root)
	object, indent := root.Value.(*hujson.Object), ""
	for i, name := range key {
		at := s.inside(object, indent)
		m := member(object, name)
		last := i == len(key)-1
		switch {
		case m == nil:
			s.add(object, indent, name, s.nested(key[i+1:], fields, at))
			return root.Pack(), nil
		case last:
			s.setEntry(m, fields, at)
			return root.Pack(), nil
		}
		next, ok := m.Value.(*hujson.Object)
		if !ok {
			return nil, fmt.Errorf("%s is no object", strings.Join(key[:i+1], "."))
		}
		object, indent = next, at
	}
	return root.Pack(), nil
}

func (jsonFile) remove(text []byte, key []string) ([]byte, error) {
	root, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	objects := []*hujson.Object{root.Value.(*hujson.Object)}
	for _, name := range key[:len(key)-1] {
		m := member(objects[len(objects)-1], name)
		if m == nil {
			return text, nil
		}
		next, ok := m.Value.(*hujson.Object)
		if !ok {
			return text, nil
		}
		objects = append(objects, next)
	}
	for i := len(key) - 1; i >= 0; i-- {
		drop(objects[i], key[i])
		if len(objects[i].Members) > 0 || len(objects[i].AfterExtra) > 0 {
			break // keep an object with other members; otherwise remove the empty object, too
		}
	}
	return root.Pack(), nil
}

// parseJSON parses a file whose value is an object. Blank text is an empty object.
func parseJSON(text []byte) (hujson.Value, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	root, err := hujson.Parse(bytes.Clone(text)) // the result refers to the bytes, and edits change them
	if err != nil {
		return root, err
	}
	if _, ok := root.Value.(*hujson.Object); !ok {
		return root, errors.New("no object")
	}
	return root, twice(&root)
}

// twice returns an error if an object repeats a name, because some programs read the
// first of the two and others the last.
func twice(v *hujson.Value) (err error) {
	for v := range v.All() {
		object, ok := v.Value.(*hujson.Object)
		if !ok {
			continue
		}
		seen := map[string]bool{}
		for _, m := range object.Members {
			name := nameOf(m)
			if seen[name] {
				err = fmt.Errorf("%q is there twice", name)
			}
			seen[name] = true
		}
	}
	return err
}

func nameOf(m hujson.ObjectMember) string {
	name, _ := m.Name.Value.(hujson.Literal)
	return name.String()
}

func member(object *hujson.Object, name string) *hujson.Value {
	for i := range object.Members {
		if nameOf(object.Members[i]) == name {
			return &object.Members[i].Value
		}
	}
	return nil
}

// drop removes a member from an object. Comments before the member stay, because they
// may be about the line before them.
func drop(object *hujson.Object, name string) {
	i := slices.IndexFunc(object.Members, func(m hujson.ObjectMember) bool { return nameOf(m) == name })
	if i < 0 {
		return
	}
	gone := object.Members[i]
	var comment hujson.Extra
	if bytes.ContainsRune(gone.Name.BeforeExtra, '/') {
		comment = bytes.TrimRight(gone.Name.BeforeExtra, " \t\r\n")
	}
	object.Members = slices.Delete(object.Members, i, i+1)
	switch {
	case i < len(object.Members):
		next := &object.Members[i].Name
		next.BeforeExtra = append(slices.Clone(comment), next.BeforeExtra...)
		return
	case i > 0 && gone.Value.AfterExtra == nil: // no trailing comma after the last member, so none after the member before
		last := &object.Members[i-1].Value
		comment = append(slices.Clone(last.AfterExtra), comment...)
		last.AfterExtra = nil
	case i > 0 && object.Members[i-1].Value.AfterExtra == nil:
		object.Members[i-1].Value.AfterExtra = hujson.Extra{}
	}
	object.AfterExtra = append(slices.Clone(comment), object.AfterExtra...)
	if len(object.Members) == 0 && len(bytes.TrimSpace(object.AfterExtra)) == 0 {
		object.AfterExtra = nil
	}
}
