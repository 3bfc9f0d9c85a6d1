package html

import (
	"html/template"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// lowered lowers headings below the page's own levels.
type lowered struct{}

// Transform is goldmark's method.
func (lowered) Transform(doc *ast.Document, _ text.Reader, _ parser.Context) {
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the visitor returns no error
		if h, ok := n.(*ast.Heading); ok && entering {
			h.Level = min(h.Level+3, 6)
		}
		return ast.WalkContinue, nil
	})
}

// plainParts writes HTML, images and links in a harmless form.
type plainParts struct{}

// RegisterFuncs is goldmark's method.
func (plainParts) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindRawHTML, rawHTML)
	r.Register(ast.KindHTMLBlock, htmlBlock)
	r.Register(ast.KindImage, image)
	r.Register(ast.KindLink, link)
	r.Register(ast.KindFencedCodeBlock, codeBlock)
	r.Register(ast.KindCodeBlock, codeBlock)
	r.Register(extast.KindTaskCheckBox, checkBox)
}

// put writes to memory, which doesn't fail.
func put(w util.BufWriter, html string) { _, _ = w.WriteString(html) }

func rawHTML(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		writeLines(w, source, n.(*ast.RawHTML).Segments)
	}
	return ast.WalkSkipChildren, nil
}

func htmlBlock(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		put(w, "</code></pre>\n")
		return ast.WalkContinue, nil
	}
	put(w, `<pre class="code"><code>`)
	writeLines(w, source, n.Lines())
	if b := n.(*ast.HTMLBlock); b.HasClosure() {
		put(w, template.HTMLEscapeString(string(b.ClosureLine.Value(source))))
	}
	return ast.WalkContinue, nil
}

func writeLines(w util.BufWriter, source []byte, lines *text.Segments) {
	for i := range lines.Len() {
		at := lines.At(i)
		put(w, template.HTMLEscapeString(string(at.Value(source))))
	}
}

func codeBlock(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	language := ""
	if fenced, ok := n.(*ast.FencedCodeBlock); ok {
		language = string(fenced.Language(source))
	}
	put(w, string(Code(language, string(n.Lines().Value(source))))+"\n")
	return ast.WalkSkipChildren, nil
}

// image writes a link to the image, because a page loads nothing from elsewhere.
func image(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	to := n.(*ast.Image).Destination
	if !entering {
		ends(w, to)
		return ast.WalkContinue, nil
	}
	begins(w, to)
	put(w, "image: ")
	return ast.WalkContinue, nil
}

func link(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	to := n.(*ast.Link).Destination
	if !entering {
		ends(w, to)
		return ast.WalkContinue, nil
	}
	begins(w, to)
	return ast.WalkContinue, nil
}

// begins begins a link, and ends ends a link, if the URL is allowed. Otherwise only the
// link's text is shown.
func begins(w util.BufWriter, to []byte) {
	if mayLink(to) {
		put(w, `<a href="`+template.HTMLEscapeString(string(util.URLEscape(to, true)))+`">`)
	}
}

func ends(w util.BufWriter, to []byte) {
	if mayLink(to) {
		put(w, "</a>")
	}
}

func mayLink(to []byte) bool {
	url := strings.ToLower(string(to))
	return strings.HasPrefix(url, "https://") || strings.HasPrefix(url, "http://") || strings.HasPrefix(url, "mailto:")
}

func checkBox(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	box := "☐ "
	if n.(*extast.TaskCheckBox).IsChecked {
		box = "☑ "
	}
	put(w, box)
	return ast.WalkContinue, nil
}
