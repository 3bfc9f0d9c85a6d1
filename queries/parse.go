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
	paramForm = pattern.Lazy(`^([a-z][a-z0-9_]*) (\S[^=]*?)(?: = (\S.*?))?(?: +\{([^{}:'"]*)\})?  +([^\s=].*)$`)
	valueForm = pattern.Lazy(`^[a-z0-9_-]+$`)
)

// Parse reads a query's file. name is the file's name without .sql, and the query's
// name. A file without a title in the first line is a query, too: its comments are
// comments, and each $name in its SQL is a parameter without a default. An error begins
// with a line number and a colon.
func Parse(name, text string) (*Query, error) {
	p := &parser{query: &Query{Name: name, SQL: text}}
	first, _, _ := strings.Cut(text, "\n")
	m := titleForm.FindStringSubmatch(comment(first))
	body := text
	if m != nil {
		body = p.parseHeader(text, m)
	} else {
		p.query.Title = strings.ReplaceAll(name, "-", " ")
	}
	if p.err == nil && WithoutHeader(body) == "" {
		p.fail(p.line+1, "no SQL")
	}
	if p.err == nil {
		p.checkUse(body, m != nil)
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

	titled      string // the name in the title
	exampleLine int
}

func (p *parser) fail(line int, format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("%d: %s", line, fmt.Sprintf(format, args...))
	}
}

// comment returns the text of a comment line; empty for any other line.
func comment(line string) string {
	text, _ := strings.CutPrefix(strings.TrimRight(line, " \t\r"), "--")
	if len(text) == len(line) {
		return ""
	}
	return strings.TrimPrefix(text, " ")
}

// parseHeader reads the comment lines at the top and returns the text after them. title is
// the first line, split into the title's name and text.
func (p *parser) parseHeader(text string, title []string) (body string) {
	// The file's name counts, not the name in the title, so that a copied file is a query
	// under its new name.
	p.titled, p.query.Title = title[1], title[2]
	if letters := utf8.RuneCountInString(title[2]); letters > titleLimit {
		p.fail(1, "the title has %d letters, at most %d are shown", letters, titleLimit)
	}
	p.line = 1
	_, rest, _ := strings.Cut(text, "\n")
	var paragraph []string
	for p.err == nil && strings.HasPrefix(rest, "--") {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		p.line++
		if line = comment(line); line == "" {
			p.parseParagraph(paragraph, p.line-len(paragraph))
			paragraph = nil
			continue
		}
		paragraph = append(paragraph, line)
	}
	p.parseParagraph(paragraph, p.line+1-len(paragraph))
	return rest
}

// parseParagraph reads the comment lines between two empty lines. A paragraph that begins
// with a small letter has a key on each line; any other paragraph is prose.
func (p *parser) parseParagraph(lines []string, first int) {
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
			p.parseParam(value, first+i)
		case "format":
			p.query.Format = strings.TrimSpace(value)
		case "row":
			p.parseRow(strings.TrimSpace(value), first+i)
		case "chart":
			p.parseChart(value, first+i)
		case "card":
			p.parseCard(value, first+i)
		case "hidden":
			p.parseHidden(value, first+i)
		case "takes":
			p.parseTakes(value, first+i)
		case "example":
			p.parseExample(strings.TrimSpace(value), first+i)
		default:
			p.fail(first+i, "unknown header key %q; the keys are takes, param, format, row, card, hidden, chart and example, and prose begins with a capital letter", key)
		}
	}
}

func (p *parser) parseParam(s string, line int) {
	m := paramForm.FindStringSubmatch(s)
	switch {
	case m == nil:
		p.fail(line, `a parameter is written "-- param name TYPE = default   what it is for", with two spaces or more before the prose; without "= default" a value must be given`)
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

// parseRow reads the name of a row, such as "project".
func (p *parser) parseRow(s string, line int) {
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

// parseChart reads a chart's declaration. The declaration keeps its file and line, because
// its columns can be checked only when the query runs.
func (p *parser) parseChart(s string, line int) {
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

// parseExample reads a command line that runs the query with example values.
func (p *parser) parseExample(s string, line int) {
	words := strings.Fields(s)
	switch {
	case p.query.Example != "":
		p.fail(line, "a second example; one is enough")
	case len(words) < 3 || words[0] != "hindsql" || words[1] != "run" || words[2] != p.query.Name && words[2] != p.titled:
		p.fail(line, `an example is written "-- example hindsql run %s param=value"`, p.query.Name)
	default:
		words[2] = p.query.Name
		p.query.Example, p.exampleLine = strings.Join(words, " "), line
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

// checkUse compares the declared parameters with the parameters in the SQL. Without a
// title, it declares them: a shared parameter with its type, any other as a text.
func (p *parser) checkUse(body string, titled bool) {
	used := map[string]bool{}
	for token := range sqltext.Tokens(body) {
		if token.Kind != sqltext.Parameter {
			continue
		}
		line, name := p.line+1+strings.Count(body[:token.At], "\n"), token.Parameter()
		param, isShared := sharedParam(name)
		switch {
		case name == "":
			p.fail(line, "a parameter without a name; write $name")
		case p.query.Param(name) != nil:
		case !titled:
			if !isShared {
				param = Param{Name: name, Type: "VARCHAR"}
			}
			param.Default = ""
			p.query.Params = append(p.query.Params, param)
			p.checkStray(body, name)
		case isShared:
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

// checkStray returns an error if a file without a title declares a parameter at its
// top, because the declaration would be a mere comment.
func (p *parser) checkStray(text, name string) {
	for line := range strings.Lines(text) {
		words := strings.Fields(comment(line))
		switch {
		case !strings.HasPrefix(line, "--"):
			return
		case len(words) > 1 && (words[0] == "param" && words[1] == name || words[0] == "takes" && slices.Contains(words[1:], name)):
			p.fail(1, "expected the first line to be `-- %s: TITLE`, because a line declares $%s", p.query.Name, name)
		}
	}
}
