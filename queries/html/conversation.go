package html

import (
	"fmt"
	"html/template"
	"regexp"
	"strings"
	"time"

	"hindsql/internal/lists"
	"hindsql/internal/words"
	"hindsql/queries/conversation"
)

// Links holds the URLs for a conversation's pieces, and the text to find. If a function
// is nil or returns an empty URL, the page has no link.
type Links struct {
	Session func(agent, id string, message int64) string
	// Whole returns the URL of the whole text if the page shows a cut one. part is
	// input, output or diff of a call, or message or thinking of a message, whose id is
	// m<N>.
	Whole func(agent, session, id, part string) string
	Path  func(string) string // shortens a path for people; nil for no change
	// Inside returns the session started by a call, to show folded; nil for none.
	Inside func(agent, id string) *conversation.Conversation
	ID     string // prefix of element ids
	Find   string // text to mark; pieces with the text are unfolded

	fold int // of a file: limit for an argument or output, in bytes; 0 for a page's limits
}

// longest returns the limit for a shown argument or output of a call, in bytes.
func (l *Links) longest() int {
	if l.fold > 0 {
		return l.fold
	}
	return longestPart
}

// Conversation returns a session's pieces in order. Each message is an article with the
// id m and the message's index. Each call in a message has the id c- and the call's id.
// Pieces between messages, such as compactions, are lines across the page.
func Conversation(c *conversation.Conversation, l Links) template.HTML {
	w := &writer{Links: l, of: c, ids: map[string]int{}, inside: l.ID}
	w.conversation()
	if l.Find != "" {
		return markText(template.HTML(w.String()), l.Find)
	}
	return template.HTML(w.String())
}

// writer writes one conversation.
type writer struct {
	strings.Builder
	Links
	of     *conversation.Conversation
	inside string         // prefix of ids in a nested conversation
	ids    map[string]int // uses of each id
	day    string         // day of the last piece
	who    string         // last speaker
}

func (w *writer) conversation() {
	pieces := w.of.Pieces
	for len(pieces) > 0 {
		n := 1
		for n < len(pieces) && pieces[0].IsOfMessage() && pieces[n].IsOfMessage() && pieces[n].Index == pieces[0].Index && speaker(&pieces[n]) == speaker(&pieces[0]) {
			n++
		}
		if at := pieces[0].Time; !at.IsZero() && at.Format(time.DateOnly) != w.day {
			w.day, w.who = at.Format(time.DateOnly), ""
			w.put(`<p class="across day" id="%s"><time datetime="%s">%s</time></p>`+"\n", w.id("d"+w.day), w.day, at.Format("Monday, 2 January 2006"))
		}
		if pieces[0].IsOfMessage() {
			w.message(pieces[:n])
		} else {
			w.across(&pieces[0])
			w.who = ""
		}
		pieces = pieces[n:]
	}
}

// speaker returns the name of the speaker, to print above a piece.
func speaker(p *conversation.Piece) string {
	if p.Kind == conversation.Thinking || p.Kind == conversation.Call {
		return "agent"
	}
	return p.Who
}

// id makes an id unique on the page.
func (w *writer) id(name string) string {
	name = w.inside + name
	w.ids[name]++
	if n := w.ids[name]; n > 1 {
		return fmt.Sprintf("%s-%d", name, n)
	}
	return name
}

// put writes HTML. The arguments are escaped.
func (w *writer) put(format string, args ...string) {
	escaped := lists.Map(args, func(a string) any { return escape(a) })
	w.WriteString(fmt.Sprintf(format, escaped...))
}

func (w *writer) html(h template.HTML) { w.WriteString(string(h)) }

// time writes a time of day, with a link to its own place on the page.
func (w *writer) time(at time.Time, id, place string) {
	text := place
	if !at.IsZero() {
		text = at.Format("15:04")
	}
	if text == "" {
		return
	}
	if id != "" {
		w.put(`<a class="at" href="#%s" title="%s">`, id, strings.TrimSpace(place+" "+at.Format("2006-01-02 15:04:05")))
		defer w.WriteString("</a>")
	}
	if at.IsZero() {
		w.put("%s", text)
		return
	}
	w.put(`<time datetime="%s">%s</time>`, at.Format(time.RFC3339), text)
}

// message writes the pieces of one message.
func (w *writer) message(pieces []conversation.Piece) {
	first := &pieces[0]
	name, place := speaker(first), ""
	id := w.id(fmt.Sprintf("m%d", first.Index))
	if first.Index >= 0 {
		place = fmt.Sprintf(":%d", first.Index)
	}
	class := "message by-" + className(name)
	if name == w.who {
		class += " on" // the same speaker goes on
	}
	w.who = name
	if first.Abandoned {
		class += " abandoned"
	}
	w.put(`<article class="%s" id="%s" aria-labelledby="%s-h"><header><h3 id="%s-h">%s<span class="unseen"> %s</span></h3> `, class, id, id, id, name, place)
	w.time(first.Time, id, place)
	if first.Abandoned {
		w.put(` <span class="state">%s</span>`, "abandoned")
	}
	w.put(`</header><div class="pieces">` + "\n")
	for i := 0; i < len(pieces); {
		n := batch(pieces[i:])
		if n > 1 {
			w.put(`<section class="batch" aria-label="%s"><p class="note">%s</p>`+"\n", fmt.Sprintf("%d calls at once", n), fmt.Sprintf("%d calls at once", n))
		}
		for k := range n {
			w.piece(&pieces[i+k])
		}
		if n > 1 {
			w.put("</section>\n")
		}
		i += n
	}
	w.put("</div></article>\n")
}

// batch returns how many pieces at the start are calls that the model made at once; at
// least 1.
func batch(pieces []conversation.Piece) (n int) {
	for n < len(pieces) && pieces[n].Kind == conversation.Call && pieces[n].Call.Parent == "" {
		n++
	}
	return max(1, n)
}

// className returns a name as a CSS class: small letters only.
func className(s string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' {
			return r
		}
		return -1
	}, strings.ToLower(s))
}

// piece writes a text, a thought or a call.
func (w *writer) piece(p *conversation.Piece) {
	id := fmt.Sprintf("m%d", p.Index)
	switch p.Kind {
	case conversation.Call:
		w.call(p)
	case conversation.Answer:
		w.put(`<div class="piece answer">`)
		w.html(Markdown(p.Text))
		w.linkFull(p.Text, longestText, id, "message")
		w.put("</div>\n")
	case conversation.Prompt, conversation.Command:
		w.put(`<div class="piece %s">`, className(string(p.Kind)))
		w.html(Text(p.Text))
		w.linkFull(p.Text, longestText, id, "message")
		w.put("</div>\n")
	case conversation.Thinking:
		w.folded("thinking", "thinking", p.Text, id)
	default:
		w.folded(className(string(p.Kind)), words.Spaced(string(p.Kind)), p.Text, id)
	}
}

// brief is the length up to which a text isn't worth folding, in bytes.
const brief = 160

// folded writes a text that few readers want: the first line, and the whole text
// folded.
func (w *writer) folded(class, name, text, id string) {
	text = strings.TrimSpace(text)
	first, rest, _ := strings.Cut(text, "\n")
	shown, cutOff := cut(first, brief)
	if rest == "" && cutOff == 0 {
		w.put(`<div class="piece aside %s"><span class="kind">%s</span> <span class="text">%s</span></div>`+"\n", class, name, text)
		return
	}
	w.put(`<details class="piece aside %s"`, class)
	w.open(text)
	w.put(`><summary><span class="kind">%s</span> %s…</summary>`, name, shown)
	if class == "thinking" {
		w.html(Markdown(text))
	} else {
		w.html(Text(text))
	}
	part := "message"
	if class == "thinking" {
		part = class
	}
	w.linkFull(text, longestText, id, part)
	w.put("</details>\n")
}

// open unfolds an element if a text contains Find.
func (w *writer) open(texts ...string) {
	for _, t := range texts {
		if w.Find != "" && strings.Contains(strings.ToLower(t), strings.ToLower(w.Find)) {
			w.put(" open")
			return
		}
	}
}

// linkFull writes a link to the whole text if the page shows only a part.
func (w *writer) linkFull(text string, shown int, id, part string) {
	if len(text) <= shown || w.Whole == nil {
		return
	}
	if url := w.Whole(w.of.Agent, w.of.ID, id, part); url != "" {
		w.put(`<p class="note"><a href="%s">All of it, as text</a></p>`, url)
	}
}

// session writes a session's id, as a link if a URL exists.
func (w *writer) session(id string, message int64) {
	letters := id[:min(len(id), 8)]
	url := ""
	if w.Session != nil {
		url = w.Session(w.of.Agent, id, message)
	}
	if url == "" {
		w.put(`<span class="session" title="%s">%s</span>`, id, letters)
		return
	}
	w.put(`<a class="session" href="%s" title="%s">%s</a>`, url, id, letters)
}

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

// markText marks every occurrence of a text in HTML, in any case.
func markText(html template.HTML, text string) template.HTML {
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
