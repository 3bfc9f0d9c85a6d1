// Package html makes the pieces of HTML for reports and the web page: tables, figures,
// charts, code, diffs, Markdown and conversations.
//
// In: results, texts of logs, conversations. Out: HTML, and the CSS for the HTML. Every
// text is escaped and free of unprintable characters. The HTML has no script, no style
// attributes and no content from other sites. The package runs no SQL, and knows
// neither pages nor servers: callers pass URLs.
package html

import (
	"bufio"
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"sync"
	"unicode/utf8"

	"hindsql/internal/printable"
	"hindsql/internal/words"
	"hindsql/queries/conversation"
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

// Limits for texts on a page, in bytes.
const (
	longestText = 64 << 10
	longestCode = 32 << 10 // highlighted, which takes time
	longestLine = 2000     // line of a diff
	longestCell = 8 << 10  // cell of a table
	// longestLabel is the limit for a column's title and for words in a drawing.
	longestLabel = 200
)

// escape returns a text as HTML. Unprintable characters are shown as codes.
func escape(s string) string { return template.HTMLEscapeString(clean(s)) }

// clean replaces unprintable characters by codes and Windows line ends by \n.
func clean(s string) string { return printable.Text(strings.ReplaceAll(s, "\r\n", "\n")) }

// cut returns the beginning of a text, and the number of characters left out.
func cut(s string, most int) (shown string, rest int) {
	end := words.Bytes(s, most)
	return s[:end], utf8.RuneCountInString(s[end:])
}

// beginning cuts a text in a line or cell, and says how much is shown.
func beginning(s string, most int) string {
	short, _ := words.CutCounted(s, most, words.Bytes)
	return short
}

// more returns a note such as "… 12 more characters"; empty if rest is 0.
func more(rest int) template.HTML {
	if rest == 0 {
		return ""
	}
	return template.HTML(fmt.Sprintf(`<p class="note more">… %s</p>`, words.Quantity(rest, "more character")))
}

// Text returns a text with its line ends, cut if very long.
func Text(s string) template.HTML {
	shown, rest := cut(s, longestText)
	return template.HTML(`<div class="text">`+escape(shown)+"</div>") + more(rest)
}

// EscapeUnprintable replaces unprintable characters in finished HTML by codes, wherever
// they are: Markdown can write a character by number, and a template may insert one
// from a name. Codes are valid text everywhere in HTML. Line ends, tabs and the
// characters in but stay.
func EscapeUnprintable(html []byte, but string) []byte {
	shown := make([]byte, 0, len(html))
	var before rune
	for len(html) > 0 {
		if b := html[0]; b >= ' ' && b <= '~' || b == '\n' || b == '\t' || b < ' ' && strings.IndexByte(but, b) >= 0 {
			shown, before, html = append(shown, b), rune(b), html[1:]
			continue
		}
		r, size := utf8.DecodeRune(html)
		if r == utf8.RuneError && size == 1 || !printable.IsText(r, before) {
			shown = append(shown, template.HTMLEscapeString(printable.Code(r, size, html[0]))...)
		} else {
			shown = append(shown, html[:size]...)
		}
		before, html = r, html[size:]
	}
	return shown
}

// foldedPart is the limit for a shown argument or output of a call in a file, in bytes.
// Longer outputs are folded. A session of 20 MB thus makes a file of some 5 MB at most.
const foldedPart = 4 << 10

// FileHead begins each page that is a file, up to the title. The page follows the screen's
// light or dark setting, runs no script and loads nothing.
const FileHead = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
`

// File writes a session as a page of its own: one file without scripts, which loads
// nothing. inside returns the session that a call started, shown folded; nil for none.
func File(w io.Writer, c *conversation.Conversation, inside func(agent, id string) *conversation.Conversation) error {
	b := bufio.NewWriter(w)
	title := escape(cmp.Or(c.About, c.ID))
	b.WriteString(FileHead + `<title>` + title + `</title>
<style>
` + Style() + `body { margin: 0 auto; max-width: 64rem; padding: 1rem; }
</style>
</head>
<body>
<header><h1>` + title + `</h1>
`)
	for _, line := range facts(c) {
		b.WriteString(string(RenderNote(line)) + "\n")
	}
	b.WriteString(`</header><main><div class="conversation">` + "\n")
	b.WriteString(string(Conversation(c, Links{Inside: inside, fold: foldedPart})))
	b.WriteString("</div></main>\n<footer><p class=\"note\">Made by hindsql from the agent’s log. Texts above 4 kB are shown in part.</p></footer>\n</body>\n</html>\n")
	return b.Flush()
}

// facts returns lines about a session: its project and time, its amounts, and the
// command that resumes the session.
func facts(c *conversation.Conversation) (lines []string) {
	lines = append(lines, c.Facts(), c.ID+" · "+c.Amounts())
	if c.Resume != "" {
		lines = append(lines, "Go on: "+c.Resume)
	}
	return lines
}
