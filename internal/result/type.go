package result

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"hindsql/internal/lists"
	"hindsql/internal/words"
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
	return lists.Map(columns, func(c Column) Type { return TypeOf(c.Type) })
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

// Words formats a value for people: an amount with commas, a duration in words, a time
// to the minute. The column's name tells amounts from places, such as a line, and from
// names, such as a year. Any other value is formatted by [Type.Text].
func (t *Type) Words(v any, column string) string {
	text := t.Text(v)
	switch {
	case v == nil:
	case t.Base == "INTERVAL":
		return words.Interval(text)
	case strings.HasPrefix(t.Base, "TIMESTAMP"):
		if at, ok := v.(time.Time); ok && at.Year() > 0 && at.Year() < 10000 {
			return words.Moment(at)
		}
	case !t.IsNumber():
	case secondsOf(column) > 0:
		if f, err := strconv.ParseFloat(text, 64); err == nil && !math.IsNaN(f) && !math.IsInf(f, 0) {
			return words.Seconds(f * secondsOf(column))
		}
	case t.isAmount(column) && strings.HasSuffix(column, "usd"):
		return cents(words.Amount(text))
	case t.isAmount(column):
		return words.Amount(text)
	}
	return text
}

// cents gives an amount of dollars two digits after the point, if it has fewer.
func cents(amount string) string {
	if at := strings.LastIndexByte(amount, '.'); at == len(amount)-2 && at > 0 {
		return amount + "0"
	}
	return amount
}

// isAmount reports whether a number counts or measures: not a place, such as a line or
// an index, and not a name, such as an id or a year.
func (t *Type) isAmount(column string) bool {
	switch t.Base {
	case "BIGINT", "UBIGINT", "HUGEINT", "UHUGEINT", "DOUBLE", "FLOAT", "DECIMAL":
	default:
		return false // positions and years are cast to INTEGER
	}
	switch column[strings.LastIndexByte(column, '_')+1:] {
	case "id", "line", "index", "year", "code", "pid", "port":
		return false
	}
	return true
}

// secondsOf returns the seconds in a column's unit of time, as in median_seconds; 0 if
// the name doesn't end in such a unit, or has no other part.
func secondsOf(column string) float64 {
	at := strings.LastIndexByte(column, '_')
	if at <= 0 {
		return 0
	}
	return words.UnitSeconds(strings.ToLower(column[at+1:]))
}

// Names returns the names of columns.
func Names(columns []Column) []string {
	return lists.Map(columns, func(c Column) string { return c.Name })
}

// Heads returns the names of columns for values in words. A duration has its unit in
// each value, so the unit is cut off the name, unless a different column has the short
// name.
func Heads(columns []Column) []string {
	heads := Names(columns)
	for i, c := range columns {
		if !c.IsNumber() || secondsOf(c.Name) == 0 {
			continue
		}
		short := c.Name[:strings.LastIndexByte(c.Name, '_')]
		if !slices.Contains(heads, short) {
			heads[i] = short
		}
	}
	return heads
}
