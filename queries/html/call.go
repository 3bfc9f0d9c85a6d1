package html

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"hindsql/internal/pattern"
	"hindsql/internal/words"
	"hindsql/queries/conversation"
	"hindsql/tables"
)

// looks maps a call's status to a class and a mark.
var looks = map[string]struct{ class, mark string }{
	"ok": {"ok", "✓"}, "error": {"failed", "!"}, "rejected": {"refused", "✗"}, "denied": {"refused", "✗"},
	"interrupted": {"interrupted", "■"}, "skipped": {"skipped", "–"}, "pending": {"pending", "…"}, "lost": {"lost", "?"},
}

// call writes a call: a summary, with folded arguments and output. A refused call is
// unfolded.
func (w *writer) call(p *conversation.Piece) {
	c := p.Call
	look, known := looks[c.Status]
	if !known {
		look.class, look.mark = "other", "·"
	}
	refused := c.Refusal != nil && !c.Refusal.Cascaded
	if c.Refusal != nil {
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
		look.mark, c.Tool, w.gist(c), c.State())
	w.input(c)
	if c.Refusal != nil {
		for _, said := range c.Refusal.Why() {
			w.words(words.Capital(said.Name), said.Text, mostReason)
		}
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
		if all := c.Arguments(); len(all) > 0 {
			text = all[0].Text
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
	below := conversation.RelativePath(w.of.Project, name)
	if below != name || w.Path == nil {
		return below
	}
	return w.Path(name)
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
			w.linkFull(diff, 0, c.ID, part)
		}
	}
	if c.Command != "" && diff == "" {
		command, left := c.Command, 0
		if w.fold > 0 {
			command, left = cut(c.Command, w.fold)
		}
		w.html(Code("bash", command))
		w.html(more(left))
		w.linkFull(c.Command, longestCode, c.ID, "input")
	}
	if len(rest) == 0 {
		return
	}
	w.put(`<dl class="arguments">`)
	for _, a := range rest {
		w.put("<div><dt>%s</dt><dd>", a.Name)
		text, left := cut(a.Indented(), w.longest())
		language := ""
		if path.Ext(c.File) != "" && a.Name != "prompt" && a.Name != "description" {
			language = c.File
		}
		if strings.Contains(text, "\n") {
			w.html(Code(language, text))
		} else {
			w.put(`<span class="text">%s</span>`, text)
		}
		w.html(more(left))
		w.put("</dd></div>")
	}
	w.put("</dl>")
	if diff == "" && c.Command == "" {
		w.linkFull(c.Input, longestPart, c.ID, "input")
	}
}

// oldNew matches names of an edit's arguments: the old and the new text.
var oldNew = pattern.Lazy(`(?i)^(old|new)_?(string|str|text|content|source)$`)

// editOf returns a call's edit as a diff, empty if the call is no edit, and the
// arguments missing from the diff.
func editOf(c *conversation.ToolCall) (diff string, rest []conversation.Argument) {
	rest = c.Arguments()
	isEdit := func(a conversation.Argument) bool { return oldNew.MatchString(a.Name) }
	if c.Refusal != nil && c.Refusal.Diff != "" {
		for _, a := range rest {
			if strings.Contains(a.Indented(), "\n") { // part of the diff
				rest = slices.DeleteFunc(slices.Clone(rest), func(o conversation.Argument) bool { return o.Name == a.Name })
			}
		}
		return c.Refusal.Diff, slices.DeleteFunc(rest, isEdit)
	}
	var old, new *conversation.Argument
	for _, a := range c.Inputs() { // either may be empty
		if m := oldNew.FindStringSubmatch(a.Name); m != nil && strings.EqualFold(m[1], "old") {
			old = &a
		} else if m != nil {
			new = &a
		}
	}
	if old == nil || new == nil || len(old.Text)+len(new.Text) > longestDiff/8 {
		return "", rest
	}
	diff = tables.UnifiedDiff(old.Text, new.Text)
	if diff == "" {
		return "", rest
	}
	return diff, slices.DeleteFunc(rest, isEdit)
}

// longestPart is the limit for a shown argument or output, in bytes.
const longestPart = 6 << 10

// output writes the beginning and the end of a call's output.
func (w *writer) output(c *conversation.ToolCall) {
	text := strings.Trim(c.Output, "\r\n")
	if strings.TrimSpace(text) == "" || c.Refusal != nil && strings.Contains(text, c.Refusal.Reason) && len(text) < 2000 {
		return // the agent only tells the model of the refusal
	}
	if w.fold > 0 && len(text) > w.fold {
		w.put(`<details class="output"><summary>%s</summary>`, "Output, "+words.Quantity(utf8.RuneCountInString(text), "character"))
		w.ends(text, w.fold)
		w.put("</details>")
		return
	}
	w.put("<h4>Output</h4>")
	if len(text) <= longestPart {
		w.put(`<pre class="code output">%s</pre>`, text)
		return
	}
	w.ends(text, longestPart)
	w.linkFull(text, longestPart, c.ID, "output")
}

// ends writes two thirds of the given bytes from a text's beginning, and a third from its
// end.
func (w *writer) ends(text string, most int) {
	head, _ := cut(text, most*2/3)
	from := len(text) - most/3
	for from < len(text) && text[from]&0xc0 == 0x80 {
		from++
	}
	w.put(`<pre class="code output">%s</pre>`, head)
	w.html(more(utf8.RuneCountInString(text[len(head):from])))
	w.put(`<pre class="code output">%s</pre>`, text[from:])
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
