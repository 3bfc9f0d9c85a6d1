// Package html makes the pieces of HTML for reports and the web page: tables, figures,
// charts, code, diffs, Markdown and conversations.
//
// In: results, texts of logs, conversations. Out: HTML, and the CSS for the HTML. Every
// text is escaped and free of unprintable characters. The HTML has no script, no style
// attributes and no content from other sites. The package runs no SQL, and knows
// neither pages nor servers: callers pass URLs.
package html

import (
	"bytes"
	_ "embed" // style.css and pieces.html
	"html/template"
	"sync"
)

//go:embed style.css
var style string

//go:embed pieces.html
var pieces string

// Style returns the CSS of all pieces, and the pages' light and dark colours as custom
// properties.
func Style() string { return style }

var parsed = sync.OnceValue(func() *template.Template { return template.Must(template.New("pieces").Parse(pieces)) })

// execute fills a template of pieces.html. A mismatch between template and data is a
// bug, and panics.
func execute(name string, data any) template.HTML {
	var b bytes.Buffer
	if err := parsed().ExecuteTemplate(&b, name, data); err != nil {
		panic(err)
	}
	return template.HTML(b.String())
}
