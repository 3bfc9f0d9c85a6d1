package html

import (
	"bufio"
	"cmp"
	"io"

	"hindsql/internal/words"
	"hindsql/queries/conversation"
)

// foldedPart is the limit for a shown argument or output of a call in a file, in bytes.
// Longer outputs are folded. A session of 20 MB thus makes a file of some 5 MB at most.
const foldedPart = 4 << 10

// File writes a session as a page of its own: one file without scripts, which loads
// nothing. inside returns the session that a call started, shown folded; nil for none.
func File(w io.Writer, c *conversation.Conversation, inside func(agent, id string) *conversation.Conversation) error {
	b := bufio.NewWriter(w)
	title := escape(cmp.Or(c.About, c.ID))
	b.WriteString(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>` + title + `</title>
<style>
` + Style() + `body { margin: 0 auto; max-width: 64rem; padding: 1rem; }
</style>
</head>
<body>
<header><h1>` + title + `</h1>
`)
	for _, line := range facts(c) {
		b.WriteString(`<p class="note">` + escape(line) + "</p>\n")
	}
	b.WriteString(`</header><main><div class="conversation">` + "\n")
	b.WriteString(string(Conversation(c, Links{Inside: inside, fold: foldedPart})))
	b.WriteString("</div></main>\n<footer><p class=\"note\">Made by hindsql from the agent’s log. Texts above 4 kB are shown in part.</p></footer>\n</body>\n</html>\n")
	return b.Flush()
}

// facts returns lines about a session: where and when it ran, and what it held.
func facts(c *conversation.Conversation) (lines []string) {
	lines = append(lines, c.Facts(), c.ID+" · "+c.Held())
	if c.Resume != "" {
		lines = append(lines, "Go on: "+c.Resume)
	}
	return lines
}

// foldedOutput writes an output that is longer than the file's limit, folded.
func (w *writer) foldedOutput(text string) {
	head, _ := cut(text, w.fold*2/3)
	_, tail := cutEnd(text, w.fold/3)
	between := text[len(head) : len(text)-len(tail)]
	w.put(`<details class="output"><summary>%s</summary><pre class="code output">%s</pre>`, "Output, "+words.Quantity(len([]rune(text)), "character"), head)
	w.html(more(len([]rune(between))))
	w.put(`<pre class="code output">%s</pre></details>`, tail)
}
