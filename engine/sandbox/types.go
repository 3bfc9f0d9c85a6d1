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
	list, fixed, structure, mapping, union = "LIST", "ARRAY", "STRUCT", "MAP", "UNION"
)

// deepest is the deepest nesting of types allowed. DuckDB's own parser accepts less.
const deepest = 1000

// parseType parses the name of a type. It returns nil if the name is unknown.
func parseType(name string) *shape {
	p := typeText{rest: name}
	t := p.whole()
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

func (p *typeText) whole() *shape {
	word := p.word()
	for _, zoned := range []string{"TIME", "TIMESTAMP"} {
		if word == zoned && p.eat(" WITH TIME ZONE") {
			word += " WITH TIME ZONE"
		}
	}
	return p.from(word)
}

// from continues after a type's first word.
func (p *typeText) from(word string) *shape {
	if p.deep++; p.deep > deepest || word == "" {
		p.bad = true
		return nil
	}
	defer func() { p.deep-- }()
	t := &shape{base: word}
	switch {
	case !strings.HasPrefix(p.rest, "("):
	case word == structure || word == union:
		p.fields(t)
	case word == mapping:
		p.eat("(")
		t.inner = append(t.inner, p.whole())
		p.must(", ")
		t.inner = append(t.inner, p.whole())
		p.must(")")
	default:
		t.suffix = p.parameters()
	}
	for !p.bad && p.eat("[") {
		size, rest, ok := strings.Cut(p.rest, "]")
		if p.rest = rest; !ok || strings.Trim(size, "0123456789") != "" {
			p.bad = true
		}
		if t = (&shape{base: list, inner: []*shape{t}}); size != "" {
			t.base, t.suffix = fixed, size
		}
	}
	return t
}

// fields reads the fields of a STRUCT, whose names are optional, or of a UNION. A word
// is a name if a type follows.
func (p *typeText) fields(t *shape) {
	p.eat("(")
	for more := true; more && !p.bad; more = p.eat(", ") {
		before := *p
		word := p.word()
		name := word
		if strings.HasPrefix(name, `"`) {
			name = strings.ReplaceAll(name[1:len(name)-1], `""`, `"`)
		}
		zoned := (word == "TIME" || word == "TIMESTAMP") && strings.HasPrefix(p.rest, " WITH TIME ZONE")
		if !zoned && p.eat(" ") {
			t.names, t.inner = append(t.names, name), append(t.inner, p.whole())
			continue
		}
		*p = before
		t.inner = append(t.inner, p.whole())
	}
	if len(t.names) != 0 && len(t.names) != len(t.inner) {
		p.bad = true
	}
	p.must(")")
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

func (p *typeText) eat(what string) bool {
	rest, ok := strings.CutPrefix(p.rest, what)
	p.rest = rest
	return ok
}

func (p *typeText) must(what string) { p.bad = !p.eat(what) || p.bad }

// sql returns the type's name as SQL that DuckDB reads as this type.
func (t *shape) sql() string {
	inner := make([]string, len(t.inner))
	for i, in := range t.inner {
		if inner[i] = in.sql(); len(t.names) > 0 {
			inner[i] = sqltext.Identifier(t.names[i]) + " " + inner[i]
		}
	}
	switch t.base {
	case list:
		return inner[0] + "[]"
	case fixed:
		return inner[0] + "[" + t.suffix + "]"
	case structure, mapping, union:
		return t.base + "(" + strings.Join(inner, ", ") + ")"
	}
	return t.base + t.suffix
}

// any reports whether the function so returns true for the type or an inner type.
func (t *shape) any(so func(*shape) bool) bool {
	return so(t) || slices.ContainsFunc(t.inner, func(in *shape) bool { return in.any(so) })
}
