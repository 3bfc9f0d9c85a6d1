package sandbox

import (
	"slices"
	"strings"

	"hindsql/internal/sqltext"
)

// shape is a DuckDB type, parsed from the name in DESCRIBE.
type shape struct {
	base   string   // name of a leaf such as "DECIMAL", or LIST, ARRAY, STRUCT, MAP, UNION
	suffix string   // a leaf's parameters with parentheses, or an ARRAY's size
	names  []string // field names of a STRUCT or UNION; a STRUCT may have no names
	inner  []*shape // fields; a MAP's key and value; elements
}

// Names of types with inner types.
const (
	listType, arrayType, structType, mapType, unionType = "LIST", "ARRAY", "STRUCT", "MAP", "UNION"
)

// deepest is the deepest nesting of types allowed. DuckDB's own parser accepts less.
const deepest = 1000

// parseType parses the name of a type. It returns nil if the name is unknown.
func parseType(name string) *shape {
	p := typeText{rest: name}
	t := p.parse()
	if p.bad || p.rest != "" {
		return nil
	}
	return t
}

// typeText is the unread rest of a type's name.
type typeText struct {
	rest string
	bad  bool
	deep int
}

func (p *typeText) parse() *shape {
	word := p.word()
	for _, zoned := range []string{"TIME", "TIMESTAMP"} {
		if word == zoned && p.consume(" WITH TIME ZONE") {
			word += " WITH TIME ZONE"
		}
	}
	return p.parseAfter(word)
}

// parseAfter continues after a type's first word.
func (p *typeText) parseAfter(word string) *shape {
	if p.deep++; p.deep > deepest || word == "" {
		p.bad = true
		return nil
	}
	defer func() { p.deep-- }()
	t := &shape{base: word}
	switch {
	case !strings.HasPrefix(p.rest, "("):
	case word == structType || word == unionType:
		p.parseFields(t)
	case word == mapType:
		p.consume("(")
		t.inner = append(t.inner, p.parse())
		p.expect(", ")
		t.inner = append(t.inner, p.parse())
		p.expect(")")
	default:
		t.suffix = p.parameters()
	}
	for !p.bad && p.consume("[") {
		size, rest, ok := strings.Cut(p.rest, "]")
		if p.rest = rest; !ok || strings.Trim(size, "0123456789") != "" {
			p.bad = true
		}
		if t = (&shape{base: listType, inner: []*shape{t}}); size != "" {
			t.base, t.suffix = arrayType, size
		}
	}
	return t
}

// parseFields reads the fields of a STRUCT, whose names are optional, or of a UNION. A
// word is a name if a type follows.
func (p *typeText) parseFields(t *shape) {
	p.consume("(")
	for more := true; more && !p.bad; more = p.consume(", ") {
		before := *p
		word := p.word()
		name := word
		if strings.HasPrefix(name, `"`) {
			name = strings.ReplaceAll(name[1:len(name)-1], `""`, `"`)
		}
		zoned := (word == "TIME" || word == "TIMESTAMP") && strings.HasPrefix(p.rest, " WITH TIME ZONE")
		if !zoned && p.consume(" ") {
			t.names, t.inner = append(t.names, name), append(t.inner, p.parse())
			continue
		}
		*p = before
		t.inner = append(t.inner, p.parse())
	}
	if len(t.names) != 0 && len(t.names) != len(t.inner) {
		p.bad = true
	}
	p.expect(")")
}

// word reads a word up to a space or a sign, or a word in double quotes.
func (p *typeText) word() string {
	end := strings.IndexAny(p.rest, ` ([,)]`)
	if strings.HasPrefix(p.rest, `"`) {
		end = quoted(p.rest)
	}
	if end < 0 {
		end = len(p.rest)
	}
	word := p.rest[:end]
	p.rest = p.rest[end:]
	p.bad = p.bad || word == "" || strings.HasPrefix(word, `"`) && (len(word) < 2 || !strings.HasSuffix(word, `"`))
	return word
}

// parameters reads the numbers and quoted texts after the name of a leaf. Other people
// may choose a type's name, so SQL in the parameters makes the whole name unknown.
func (p *typeText) parameters() string {
	for i := 0; i < len(p.rest); i++ {
		switch p.rest[i] {
		case '\'':
			n := quoted(p.rest[i:])
			if n < 0 {
				p.bad = true
				return ""
			}
			i += n - 1
		case ')':
			found := p.rest[:i+1]
			p.rest = p.rest[i+1:]
			return found
		default:
			if !strings.ContainsRune("(0123456789, ", rune(p.rest[i])) || i > 0 && p.rest[i] == '(' {
				p.bad = true
				return ""
			}
		}
	}
	p.bad = true
	return ""
}

// quoted returns the length of the quoted text at the beginning of s, -1 if the end is
// missing.
func quoted(s string) int {
	token := sqltext.First(s)
	if token.Open {
		return -1
	}
	return len(token.Text)
}

func (p *typeText) consume(what string) bool {
	rest, ok := strings.CutPrefix(p.rest, what)
	p.rest = rest
	return ok
}

func (p *typeText) expect(what string) { p.bad = !p.consume(what) || p.bad }

// sql returns the type's name as SQL that DuckDB reads as this type.
func (t *shape) sql() string {
	inner := make([]string, len(t.inner))
	for i, in := range t.inner {
		if inner[i] = in.sql(); len(t.names) > 0 {
			inner[i] = sqltext.Identifier(t.names[i]) + " " + inner[i]
		}
	}
	switch t.base {
	case listType:
		return inner[0] + "[]"
	case arrayType:
		return inner[0] + "[" + t.suffix + "]"
	case structType, mapType, unionType:
		return t.base + "(" + strings.Join(inner, ", ") + ")"
	}
	return t.base + t.suffix
}

// any reports whether the function so returns true for the type or an inner type.
func (t *shape) any(so func(*shape) bool) bool {
	return so(t) || slices.ContainsFunc(t.inner, func(in *shape) bool { return in.any(so) })
}
