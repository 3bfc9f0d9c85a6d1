package html

import (
	"html/template"
	"strings"
)

// Card is a call that is worth looking at: what it wanted, and what was said.
type Card struct {
	Head    []string // what is known of it, such as the time and the project
	File    string
	Diff    string // unified
	Command string
	Said    string
}

// Cards are pieces one below the other.
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
