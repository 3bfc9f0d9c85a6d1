package html

import (
	"fmt"
	"path"
	"strings"
	"time"

	"hindsql/internal/words"
	"hindsql/queries/conversation"
)

// looks maps a call's status to a class, a mark and words.
var looks = map[string]struct{ class, mark, words string }{
	"ok": {"ok", "✓", ""}, "error": {"failed", "!", "failed"}, "rejected": {"refused", "✗", "refused by you"}, "denied": {"refused", "✗", "denied"},
	"interrupted": {"interrupted", "■", "interrupted"}, "skipped": {"skipped", "–", "skipped"}, "pending": {"pending", "…", "no result yet"}, "lost": {"lost", "?", "lost: its result is not in the log"},
}

// call writes a call: a summary, with folded arguments and output. A refused call is
// unfolded.
func (w *writer) call(p *conversation.Piece) {
	c := p.Call
	look, known := looks[c.Status]
	if !known {
		look.class, look.mark, look.words = "other", "·", c.Status
	}
	refused := c.Refusal != nil && !c.Refusal.Cascaded
	if c.Refusal != nil {
		look.words = refusedBy(c.Refusal)
		look.class = map[bool]string{true: "refused", false: "skipped"}[refused]
	}
	if c.Parent != "" {
		look.class += " of-script"
	}
	id := w.id("c-" + c.ID)
	w.put(`<details class="piece call %s" id="%s"`, look.class, id)
	if refused {
		w.put(" open")
	} else {
		w.open(c.Input, c.Output)
	}
	w.put(`><summary><span class="mark" aria-hidden="true">%s</span> <b class="tool">%s</b> <code class="gist">%s</code> <span class="state">%s</span></summary><div class="inside">`+"\n",
		look.mark, c.Tool, w.gist(c), states(c, look.words))
	w.input(c)
	if c.Refusal != nil {
		w.refusal(c.Refusal)
	}
	w.output(c)
	w.subagent(c)
	w.put("</div></details>\n")
}

// gist returns a one-line summary of a call.
func (w *writer) gist(c *conversation.ToolCall) string {
	text := c.About
	if c.File != "" {
		text = w.path(c.File)
	}
	if text == "" {
		for _, a := range arguments(c.Input) {
			if text = a.text; text != "" {
				break
			}
		}
	}
	text, _, more := strings.Cut(strings.TrimSpace(text), "\n")
	shown, rest := cut(text, brief)
	if more || rest > 0 {
		shown += "…"
	}
	return shown
}

// path returns a path for people, relative to the session's folder if below.
func (w *writer) path(name string) string {
	if below, ok := strings.CutPrefix(name, w.of.Project+"/"); ok && w.of.Project != "" {
		return below
	}
	if w.Path == nil {
		return name
	}
	return w.Path(name)
}

// states describes how a call ended, for its summary line; empty if nothing is worth
// saying. said comes first.
func states(c *conversation.ToolCall, said string) string {
	var all []string
	if said != "" {
		all = append(all, said)
	}
	if c.ExitCode != nil && *c.ExitCode != 0 {
		all = append(all, fmt.Sprintf("exit code %d", *c.ExitCode))
	}
	if c.Decision == "granted" && c.DecidedBy == "user" {
		all = append(all, "allowed by you")
	}
	if c.Duration >= time.Second {
		all = append(all, words.Duration(c.Duration))
	}
	return strings.Join(all, " · ")
}

func refusedBy(r *conversation.Refusal) string {
	switch {
	case r.Cascaded:
		return "dropped: a call of the same batch was refused"
	case r.By == "user":
		return "refused by you"
	case r.By == "nobody":
		return "refused: nobody answered"
	case r.By == "" || r.By == "unknown":
		return "refused"
	}
	return "refused by a " + r.By
}

// refusal writes the reason of a refusal and the next prompt.
func (w *writer) refusal(r *conversation.Refusal) {
	if r.Reason != "" {
		w.words("Because", r.Reason, mostReason)
	}
	if r.Next != "" && r.By == "user" && !r.Cascaded && r.Next != r.Reason {
		w.words("What you typed next", r.Next, 1000)
	}
}

// mostReason is the limit for a shown reason, in bytes. A person's reason is shorter; a
// hook may return any length.
const mostReason = 10_000

// words writes a titled text, cut to a length.
func (w *writer) words(title, text string, most int) {
	shown, rest := cut(text, most)
	w.put(`<div class="because"><h4>%s</h4><div class="text">%s</div>`, title, shown)
	w.html(more(rest))
	w.put("</div>")
}

// input writes the arguments of a call: as a diff, as a command, or each by name.
func (w *writer) input(c *conversation.ToolCall) {
	diff, rest := editOf(c)
	if diff != "" {
		w.html(Diff(diff, c.File))
		part := "diff"
		if c.Refusal == nil || c.Refusal.Diff == "" {
			part = "input"
		}
		if strings.Count(diff, "\n") > diffRows {
			w.whole(diff, 0, c.ID, part)
		}
	}
	if c.Command != "" && diff == "" {
		command, left := c.Command, 0
		if w.fold > 0 {
			command, left = cut(c.Command, w.fold)
		}
		w.html(Code("bash", command))
		w.html(more(left))
		w.whole(c.Command, longestCode, c.ID, "input")
	}
	var shown []argument
	for _, a := range rest {
		if a.text != "" && a.text != c.Command && a.text != c.File {
			shown = append(shown, a)
		}
	}
	if len(shown) == 0 {
		return
	}
	w.put(`<dl class="arguments">`)
	for _, a := range shown {
		w.put("<div><dt>%s</dt><dd>", a.name)
		if strings.Contains(a.text, "\n") {
			text, left := cut(a.text, w.longest())
			w.html(Code(languageOf(a, c), text))
			w.html(more(left))
		} else {
			text, left := cut(a.text, w.longest())
			w.put(`<span class="text">%s</span>`, text)
			w.html(more(left))
		}
		w.put("</dd></div>")
	}
	w.put("</dl>")
	if diff == "" && c.Command == "" {
		w.whole(c.Input, longestPart, c.ID, "input")
	}
}

// longestPart is the limit for a shown argument or output, in bytes.
const longestPart = 6 << 10

func languageOf(a argument, c *conversation.ToolCall) string {
	if path.Ext(c.File) != "" && a.name != "prompt" && a.name != "description" {
		return c.File
	}
	return ""
}

// output writes the beginning and the end of a call's output.
func (w *writer) output(c *conversation.ToolCall) {
	text := strings.Trim(c.Output, "\r\n")
	if strings.TrimSpace(text) == "" || c.Refusal != nil && strings.Contains(text, c.Refusal.Reason) && len(text) < 2000 {
		return // the agent only tells the model of the refusal
	}
	if w.fold > 0 && len(text) > w.fold {
		w.foldedOutput(text)
		return
	}
	w.put("<h4>Output</h4>")
	if len(text) <= longestPart {
		w.put(`<pre class="code output">%s</pre>`, text)
		return
	}
	head, _ := cut(text, longestPart*2/3)
	_, tail := cutEnd(text, longestPart/3)
	between := text[len(head) : len(text)-len(tail)]
	w.put(`<pre class="code output">%s</pre>`, head)
	w.html(more(len([]rune(between))))
	w.put(`<pre class="code output">%s</pre>`, tail)
	w.whole(text, longestPart, c.ID, "output")
}

// cutEnd splits a text into beginning and end. The end has at most the given bytes.
func cutEnd(s string, most int) (before, end string) {
	from := len(s) - most
	for from < len(s) && s[from]&0xc0 == 0x80 {
		from++
	}
	return s[:from], s[from:]
}

// mostInside is the limit for shown pieces of a nested session.
const mostInside = 60

// subagent writes the session started by a call: a link, and the folded pieces.
func (w *writer) subagent(c *conversation.ToolCall) {
	if c.Subagent == "" {
		return
	}
	w.put(`<p class="note">It started session `)
	w.session(c.Subagent, -1)
	w.put("</p>")
	if w.Inside == nil || w.inside != w.ID {
		return
	}
	of := w.Inside(w.of.Agent, c.Subagent)
	if of == nil || len(of.Pieces) == 0 {
		return
	}
	part := *of
	left := len(part.Pieces) - mostInside
	if left > 0 {
		part.Pieces = part.Pieces[:mostInside]
	}
	in := &writer{Links: w.Links, of: &part, ids: w.ids, day: w.day, inside: w.ID + "s-" + of.ID + "-"}
	in.conversation()
	w.put(`<details class="nested"><summary>What it did</summary><div class="conversation">`)
	w.WriteString(in.String())
	w.put("</div>")
	if left > 0 {
		w.put(`<p class="note">… %s: `, words.Quantity(left, "more piece"))
		w.session(of.ID, -1)
		w.put("</p>")
	}
	w.put("</details>")
}
