package result

import (
	"strconv"
	"strings"
)

// Type is a parsed DuckDB type. The zero Type is an unknown type, with values formatted
// as they are.
type Type struct {
	Base   string  // upper case, without parameters; LIST for lists and arrays
	scale  int     // of a DECIMAL: digits after the point
	fields []field // of a STRUCT or UNION, in order
	key    *Type   // of a MAP
	elem   *Type   // of a LIST; for a MAP, the values' type
}

type field struct {
	name string
	Type
}

// Types returns the columns' types.
func Types(columns []Column) []Type {
	types := make([]Type, len(columns))
	for i, c := range columns {
		types[i] = TypeOf(c.Type)
	}
	return types
}

// TypeOf parses the name of a type, as written by DuckDB.
func TypeOf(name string) Type {
	p := typeParser{name}
	return p.parse()
}

// IsNumber reports whether the type's values are numbers.
func (t *Type) IsNumber() bool {
	switch t.Base {
	case "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT",
		"UHUGEINT", "BIGNUM", "FLOAT", "DOUBLE", "DECIMAL":
		return true
	}
	return false
}

// IsTime reports whether the type's values are dates or timestamps.
func (t *Type) IsTime() bool { return t.Base == "DATE" || strings.HasPrefix(t.Base, "TIMESTAMP") }

func (t *Type) isNested() bool {
	return t.Base == "LIST" || t.Base == "STRUCT" || t.Base == "MAP" || t.Base == "UNION"
}

func (t *Type) isZoned() bool { return t.Base == "TIMESTAMPTZ" || t.Base == "TIMESTAMP WITH TIME ZONE" }

// Label returns the type's name for people: lower case, without parameters.
func (t *Type) Label() string {
	switch t.Base {
	case "LIST":
		return t.elem.Label() + "[]"
	case "TIMESTAMP WITH TIME ZONE":
		return "timestamptz"
	}
	return strings.ToLower(t.Base)
}

// of returns the type of a field of a STRUCT or UNION.
func (t *Type) of(name string) *Type {
	for i := range t.fields {
		if t.fields[i].name == name {
			return &t.fields[i].Type
		}
	}
	return &Type{}
}

// keys returns the type of a MAP's keys; the unknown type for other types.
func (t *Type) keys() *Type {
	if t.key == nil {
		return &Type{}
	}
	return t.key
}

// element returns the type of a LIST's or MAP's values; the unknown type for other
// types.
func (t *Type) element() *Type {
	if t.elem == nil {
		return &Type{}
	}
	return t.elem
}

// typeParser parses a type's name from the front. Unknown syntax is left out, because a
// wrong type only makes a value look plainer.
type typeParser struct{ rest string }

func (p *typeParser) parse() Type {
	end := strings.IndexAny(p.rest, "([,)")
	if end < 0 {
		end = len(p.rest)
	}
	t := Type{Base: strings.ToUpper(strings.TrimSpace(p.rest[:end]))}
	p.rest = p.rest[end:]
	if p.eat('(') {
		p.parameters(&t)
	}
	for p.eat('[') {
		_, p.rest, _ = strings.Cut(p.rest, "]")
		elem := t
		t = Type{Base: "LIST", elem: &elem}
	}
	return t
}

func (p *typeParser) parameters(t *Type) {
	switch t.Base {
	case "STRUCT", "UNION":
		for more := true; more; more = p.eat(',') {
			name := p.fieldName()
			t.fields = append(t.fields, field{name, p.parse()})
		}
		p.eat(')')
	case "MAP":
		key := p.parse()
		p.eat(',')
		value := p.parse()
		p.eat(')')
		t.key, t.elem = &key, &value
	default:
		inner, rest, _ := strings.Cut(p.rest, ")")
		p.rest = rest
		if _, scale, ok := strings.Cut(inner, ","); ok && t.Base == "DECIMAL" {
			t.scale, _ = strconv.Atoi(strings.TrimSpace(scale))
		}
	}
}

func (p *typeParser) fieldName() string {
	p.rest = strings.TrimLeft(p.rest, " ")
	if !strings.HasPrefix(p.rest, `"`) {
		name, rest, _ := strings.Cut(p.rest, " ")
		p.rest = rest
		return name
	}
	var name strings.Builder
	for p.eat('"') {
		part, rest, _ := strings.Cut(p.rest, `"`)
		p.rest = rest
		name.WriteString(part)
		if strings.HasPrefix(rest, `"`) {
			name.WriteByte('"')
		}
	}
	return name.String()
}

func (p *typeParser) eat(c byte) bool {
	rest := strings.TrimLeft(p.rest, " ")
	if rest == "" || rest[0] != c {
		return false
	}
	p.rest = rest[1:]
	return true
}
