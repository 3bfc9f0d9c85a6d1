package html

import (
	"fmt"
	"html/template"
	"regexp"
	"strings"

	"hindsql/internal/words"
	"hindsql/queries/conversation"
)

// across writes a piece between messages as a line across the page.
func (w *writer) across(p *conversation.Piece) {
	id := w.id(fmt.Sprintf("%s%d", className(string(p.Kind)), p.Index))
	if p.Index >= 0 && w.ids[fmt.Sprintf("%sm%d", w.inside, p.Index)] == 0 && p.Kind == conversation.Stop {
		id = w.id(fmt.Sprintf("m%d", p.Index))
	}
	w.put(`<div class="across piece %s" id="%s"><p><strong>%s</strong> `, className(string(p.Kind)), id, words.Capital(p.Between()))
	if p.Link != "" {
		w.session(p.Link, -1)
		w.put(" ")
	}
	if p.Kind != conversation.LeftOut {
		w.time(p.Time, id, "")
	}
	w.put("</p>")
	if p.Text != "" {
		name := map[conversation.Kind]string{conversation.Compaction: "The summary that took their place", conversation.Stop: "What was cut off"}[p.Kind]
		w.put("<details")
		w.open(p.Text)
		w.put("><summary>%s</summary>", name)
		if p.Kind == conversation.Compaction {
			w.html(Markdown(p.Text))
		} else {
			w.html(Text(p.Text))
		}
		w.put("</details>")
	}
	w.put("</div>\n")
}

// marked marks every occurrence of a text in HTML, in any case.
func marked(html template.HTML, text string) template.HTML {
	of, err := regexp.Compile("(?i)" + regexp.QuoteMeta(escape(text)))
	if err != nil || text == "" {
		return html
	}
	var b strings.Builder
	for rest := string(html); rest != ""; {
		open := strings.IndexByte(rest, '<')
		if open < 0 {
			open = len(rest)
		}
		b.WriteString(of.ReplaceAllStringFunc(rest[:open], func(s string) string { return `<mark class="found">` + s + "</mark>" }))
		end := strings.IndexByte(rest[open:], '>')
		if end < 0 {
			b.WriteString(rest[open:])
			break
		}
		b.WriteString(rest[open : open+end+1])
		rest = rest[open+end+1:]
	}
	return template.HTML(b.String())
}
