// Package roff writes manual pages in macros known to every man.
//
// In: titles and texts. Out: the page. The package knows no command of hindsql.
package roff

import (
	"strings"

	"hindsql/internal/pattern"
)

// Page is the text of a manual page.
type Page struct{ strings.Builder }

// Line adds a line of roff without escaping.
func (p *Page) Line(text string) { p.WriteString(text + "\n") }

// Macro adds a call of a macro.
func (p *Page) Macro(name string, args ...string) {
	for i, arg := range args {
		args[i] = ` "` + strings.ReplaceAll(Escaped(arg), `"`, `\(dq`) + `"`
	}
	p.Line("." + name + strings.Join(args, ""))
}

// Section begins a section.
func (p *Page) Section(title string) { p.Macro("SH", title) }

// Item adds a name with its description.
func (p *Page) Item(name, text string) {
	p.Line(".TP")
	p.Line(`\fB` + Escaped(name) + `\fR`)
	p.Line(Escaped(text))
}

// indented matches an indented paragraph, to keep its line breaks.
var indented = pattern.Lazy(`(?m)^(  |\t)`)

// Prose adds text in paragraphs. Indented paragraphs keep their lines.
func (p *Page) Prose(text string) {
	for i, paragraph := range strings.Split(strings.Trim(text, "\n"), "\n\n") {
		if i > 0 {
			p.Macro("PP")
		}
		if indented.MatchString(paragraph) {
			p.Literal(paragraph)
		} else {
			p.Line(Escaped(paragraph))
		}
	}
}

// Literal adds text and keeps its lines.
func (p *Page) Literal(text string) {
	p.Macro("nf")
	p.Line(Escaped(text))
	p.Macro("fi")
}

// Escaped returns text that roff prints literally: backslashes and marks at the
// beginning of lines are escaped, and hyphens stay hyphens instead of typographic
// dashes.
func Escaped(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
