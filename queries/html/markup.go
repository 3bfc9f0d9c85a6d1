// Package html makes the pieces of HTML that reports and the web page are put
// together of: tables, figures, charts, code, diffs, Markdown and conversations.
//
// In: results, texts of logs, conversations. Out: HTML whose every text is escaped
// and free of what is no text, without script, attributes of style, or anything
// from elsewhere; and the CSS that it takes. The package runs no SQL, and knows
// neither pages nor servers: a URL comes from who asks for a piece.
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

// Style is the CSS of all pieces, and the colours of pages, light and dark, as
// custom properties.
func Style() string { return style }

var parsed = sync.OnceValue(func() *template.Template { return template.Must(template.New("pieces").Parse(pieces)) })

// execute fills one of the templates of pieces.html; that one doesn't go with its
// data is a mistake of the program's.
func execute(name string, data any) template.HTML {
	var b bytes.Buffer
	if err := parsed().ExecuteTemplate(&b, name, data); err != nil {
		panic(err)
	}
	return template.HTML(b.String())
}
