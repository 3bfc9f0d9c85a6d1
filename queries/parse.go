package queries

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hindsql/internal/chart"
	"hindsql/internal/pattern"
	"hindsql/internal/sqltext"
)

const titleLimit = 60 // letters

var (
	rowForm   = pattern.Lazy(`^([a-z]+(?: [a-z]+)*)(, with a total)?$`)
	titleForm = pattern.Lazy(`^([a-z0-9]+(?:-[a-z0-9]+)*): (\S.*)$`)
	paramForm = pattern.Lazy(`^([a-z][a-z0-9_]*) (\S.*?) = (\S.*?)(?: +\{([^{}:'"]*)\})?  +(\S.*)$`)
	valueForm = pattern.Lazy(`^[a-z0-9_-]+$`)
)

// Parse reads a query's file. name is the file's name without .sql. An error begins
// with a line number and a colon.
func Parse(name, text string) (*Query, error) {
	p := &parser{query: &Query{Name: name, SQL: text}}
	body := p.header(text)
	if p.err == nil {
		p.checkUse(body)
		p.checkExample()
	}
	if p.err != nil {
		return nil, p.err
	}
	return p.query, nil
}

// parser reads one file and keeps the first error.
type parser struct {
	query *Query
	line  int
	err   error

	exampleLine int
}

func (p *parser) fail(line int, format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("%d: %s", line, fmt.Sprintf(format, args...))
	}
}

// header reads the comment lines at the top and returns the text after them.
func (p *parser) header(text string) (body string) {
	var paragraph []string
	rest := text
	for p.err == nil {
		line, after, _ := strings.Cut(rest, "\n")
		comment, ok := strings.CutPrefix(strings.TrimRight(line, " \t\r"), "--")
		if !ok {
			break
		}
		p.line++
		comment = strings.TrimPrefix(comment, " ")
		switch {
		case p.line == 1:
			p.title(comment)
		case comment == "":
			p.paragraph(paragraph, p.line-len(paragraph))
			paragraph = nil
		case p.line == 2:
			p.fail(2, `the line after the title holds nothing but "--"`)
		default:
			paragraph = append(paragraph, comment)
		}
		rest = after
	}
	p.paragraph(paragraph, p.line+1-len(paragraph))
	switch {
	case p.line == 0:
		p.fail(1, "expected the first line to be `-- %s: TITLE`", p.query.Name)
	case p.query.Prose == "":
		p.fail(p.line, "no help: the title is followed by a paragraph that begins with a capital letter")
	case strings.TrimSpace(rest) == "":
		p.fail(p.line+1, "no SQL after the header")
	}
	return rest
}

func (p *parser) title(s string) {
	m := titleForm.FindStringSubmatch(s)
	switch {
	case m == nil:
		p.fail(1, "expected the first line to be `-- %s: TITLE`", p.query.Name)
	case m[1] != p.query.Name:
		p.fail(1, "the file is called %s.sql, the query %s; both need the same name", p.query.Name, m[1])
	case utf8.RuneCountInString(m[2]) > titleLimit:
		p.fail(1, "the title has %d letters, at most %d are shown", utf8.RuneCountInString(m[2]), titleLimit)
	default:
		p.query.Title = m[2]
	}
}

// paragraph reads the comment lines between two empty lines. A paragraph that begins
// with a small letter has a key on each line; any other paragraph is prose.
func (p *parser) paragraph(lines []string, first int) {
	if len(lines) == 0 {
		return
	}
	if r, _ := utf8.DecodeRuneInString(lines[0]); !unicode.IsLower(r) {
		if p.query.Prose != "" {
			p.query.Prose += "\n\n"
		}
		p.query.Prose += strings.Join(lines, "\n")
		return
	}
	for i, line := range lines {
		key, value, _ := strings.Cut(line, " ")
		switch key {
		case "param":
			p.param(value, first+i)
		case "format":
			p.query.Format = strings.TrimSpace(value)
		case "row":
			p.row(strings.TrimSpace(value), first+i)
		case "chart":
			p.chart(value, first+i)
		case "card":
			p.card(value, first+i)
		case "hidden":
			p.hidden(value, first+i)
		case "takes":
			p.takes(value, first+i)
		case "example":
			p.example(strings.TrimSpace(value), first+i)
		default:
			p.fail(first+i, "unknown header key %q; the keys are takes, param, format, row, card, hidden, chart and example, and prose begins with a capital letter", key)
		}
	}
}

func (p *parser) param(s string, line int) {
	m := paramForm.FindStringSubmatch(s)
	switch {
	case m == nil:
		p.fail(line, `a parameter is written "-- param name TYPE = default   what it is for", with two spaces or more before the prose`)
	case p.query.Param(m[1]) != nil:
		p.fail(line, "parameter %s is declared twice", m[1])
	default:
		param := Param{Name: m[1], Type: m[2], Default: m[3], Doc: m[5], line: line}
		if m[4] != "" {
			param.Values = strings.Split(m[4], ",")
		}
		p.query.Params = append(p.query.Params, param)
		p.checkValues(&param)
	}
}

// checkValues checks a parameter's values: words without duplicates, and a text default
// must be one of the values.
func (p *parser) checkValues(param *Param) {
	for i, value := range param.Values {
		if !valueForm.MatchString(value) || slices.Contains(param.Values[:i], value) {
			p.fail(param.line, `the values of %s are words between commas, without spaces, each once: {day,week,month}`, param.Name)
		}
	}
	text, quoted := strings.CutPrefix(param.Default, "'")
	if text = strings.TrimSuffix(text, "'"); quoted && param.Values != nil && !slices.Contains(param.Values, text) {
		p.fail(param.line, "the default of %s is none of its values, %s", param.Name, strings.Join(param.Values, ", "))
	}
}

// row reads the name of a row, such as "project".
func (p *parser) row(s string, line int) {
	m := rowForm.FindStringSubmatch(s)
	switch {
	case p.query.Row != "":
		p.fail(line, "a second row; one is enough")
	case m == nil:
		p.fail(line, `a row is written "-- row project" or "-- row project, with a total", in the singular`)
	default:
		p.query.Row, p.query.Total = m[1], m[2] != ""
	}
}

// chart reads a chart's declaration. The declaration keeps its file and line, because
// its columns can be checked only when the query runs.
func (p *parser) chart(s string, line int) {
	d, err := chart.Parse(s)
	switch {
	case p.query.Chart != nil:
		p.fail(line, "a second chart; one is enough")
	case err != nil:
		p.fail(line, "%v", err)
	default:
		d.Place = fmt.Sprintf("%s.sql:%d", p.query.Name, line)
		p.query.Chart = d
	}
}

// example reads a command line that runs the query with example values.
func (p *parser) example(s string, line int) {
	words := strings.Fields(s)
	switch {
	case p.query.Example != "":
		p.fail(line, "a second example; one is enough")
	case len(words) < 3 || words[0] != "hindsql" || words[1] != "run" || words[2] != p.query.Name:
		p.fail(line, `an example is written "-- example hindsql run %s param=value"`, p.query.Name)
	default:
		p.query.Example, p.exampleLine = s, line
	}
}

// checkExample checks the example's parameters against the declared ones.
func (p *parser) checkExample() {
	for _, word := range p.query.ExampleArgs() {
		name, value, ok := strings.Cut(word, "=")
		param := p.query.Param(name)
		if !ok || param == nil {
			p.fail(p.exampleLine, "the example's %s is no param=value of this query; a value has no spaces", word)
			continue
		}
		if _, err := param.Value(value); err != nil {
			p.fail(p.exampleLine, "the example's %v", err)
		}
	}
}

// checkUse compares the declared parameters with the parameters in the SQL.
func (p *parser) checkUse(body string) {
	used := map[string]bool{}
	for token := range sqltext.Tokens(body) {
		if token.Kind != sqltext.Parameter {
			continue
		}
		line, name := p.line+1+strings.Count(body[:token.At], "\n"), token.Parameter()
		switch {
		case name == "":
			p.fail(line, "a parameter without a name; write $name and declare it in the header")
		case p.query.Param(name) != nil:
		case isShared(name):
			p.fail(line, "parameter $%s is not declared; add a line \"-- takes %s\"", name, name)
		default:
			p.fail(line, "parameter $%s is not declared; add a line \"-- param %s TYPE = default   what it is for\"", name, name)
		}
		used[name] = true
	}
	for _, param := range p.query.Params {
		if !used[param.Name] {
			p.fail(param.line, "parameter %s is not used; the SQL has no $%s", param.Name, param.Name)
		}
	}
}
