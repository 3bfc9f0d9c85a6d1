package html

import (
	"html/template"
	"strings"
)

// Card shows one row of a report as a box: a call that is worth a look, with its diff
// or command and what was said about it, for example a reason.
type Card struct {
	Head    []string // known facts, such as the time and the project
	File    string
	Diff    string // unified
	Command string
	Said    string
}

// Cards returns the HTML of cards, one below the other.
func Cards(all []Card) template.HTML {
	var b strings.Builder
	for _, c := range all {
		b.WriteString(`<article class="card"><header>` + escape(strings.Join(c.Head, " · ")))
		if c.File != "" {
			b.WriteString(` <code>` + escape(c.File) + `</code>`)
		}
		b.WriteString("</header>\n")
		if c.Diff != "" {
			b.WriteString(string(Diff(c.Diff, c.File)))
		} else if c.Command != "" {
			b.WriteString(string(Code("bash", c.Command)))
		}
		if c.Said != "" {
			b.WriteString(`<div class="because">` + string(Text(c.Said)) + "</div>")
		}
		b.WriteString("</article>\n")
	}
	return template.HTML(b.String())
}
