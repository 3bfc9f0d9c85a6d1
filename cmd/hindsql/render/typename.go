package render

import (
	"strconv"
	"strings"
)

// dtype is a DuckDB type, taken apart from its name.
type dtype struct {
	base   string  // upper case, without parameters; LIST for lists and arrays
	scale  int     // of a DECIMAL: digits after the point
	fields []field // of a STRUCT or UNION, in order
	key    *dtype  // of a MAP
	elem   *dtype  // of a LIST; of a MAP the values' type
}

type field struct {
	name string
	dtype
}

func parseTypes(cols []Column) []dtype {
	types := make([]dtype, len(cols))
	for i, c := range cols {
		types[i] = parseType(c.Type)
	}
	return types
}

func parseType(name string) dtype {
	p := typeParser{name}
	return p.parse()
}

func (t *dtype) isNumber() bool {
	switch t.base {
	case "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT",
		"UHUGEINT", "BIGNUM", "FLOAT", "DOUBLE", "DECIMAL":
		return true
	}
	return false
}

// isShort says that values of the type are short, and useless when cut.
func (t *dtype) isShort() bool {
	return t.isNumber() || t.base == "BOOLEAN" || t.base == "DATE" || strings.HasPrefix(t.base, "TIME")
}

// label is the name shown below a column's name: lower case, short.
func (t *dtype) label() string {
	switch t.base {
	case "LIST":
		return t.elem.label() + "[]"
	case "TIMESTAMP WITH TIME ZONE":
		return "timestamptz"
	}
	return strings.ToLower(t.base)
}

// of gives the type of a field of a STRUCT or UNION.
func (t *dtype) of(name string) *dtype {
	for i := range t.fields {
		if t.fields[i].name == name {
			return &t.fields[i].dtype
		}
	}
	return &dtype{}
}

// keys is the type of a MAP's keys, unknown for other types.
func (t *dtype) keys() *dtype {
	if t.key == nil {
		return &dtype{}
	}
	return t.key
}

// element is the type of a LIST's or MAP's values, unknown for other types.
func (t *dtype) element() *dtype {
	if t.elem == nil {
		return &dtype{}
	}
	return t.elem
}

// typeParser eats a type's name from the front. What it doesn't understand it
// leaves out: a wrong type only makes a value look plainer.
type typeParser struct{ rest string }

func (p *typeParser) parse() dtype {
	end := strings.IndexAny(p.rest, "([,)")
	if end < 0 {
		end = len(p.rest)
	}
	t := dtype{base: strings.ToUpper(strings.TrimSpace(p.rest[:end]))}
	p.rest = p.rest[end:]
	if p.eat('(') {
		p.parameters(&t)
	}
	for p.eat('[') {
		_, p.rest, _ = strings.Cut(p.rest, "]")
		elem := t
		t = dtype{base: "LIST", elem: &elem}
	}
	return t
}

func (p *typeParser) parameters(t *dtype) {
	switch t.base {
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
		if _, scale, ok := strings.Cut(inner, ","); ok && t.base == "DECIMAL" {
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
