// Package roff writes manual pages in the macros that every man knows.
//
// In: titles and texts. Out: the page. It knows of no command.
package roff

import (
	"regexp"
	"strings"
)

// Page is the text of a manual page.
type Page struct{ strings.Builder }

// Line adds a line, in which roff's marks mean what they do.
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

// Item is a thing and what it is.
func (p *Page) Item(name, text string) {
	p.Line(".TP")
	p.Line(`\fB` + Escaped(name) + `\fR`)
	p.Line(Escaped(text))
}

// indented is a paragraph whose lines are to stay lines.
var indented = regexp.MustCompile(`(?m)^(  |\t)`)

// Prose is text in paragraphs; what is indented in it stays as it is.
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

// Literal is text whose lines stay lines.
func (p *Page) Literal(text string) {
	p.Macro("nf")
	p.Line(Escaped(text))
	p.Macro("fi")
}

// Escaped is text that has no meaning to roff: lines that begin with its marks, its
// escapes, and hyphens, which are to be those that one types.
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
