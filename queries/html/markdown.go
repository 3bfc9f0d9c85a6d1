package html

import (
	"bytes"
	"html/template"
	"regexp"
	"strings"
	"sync"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Markdown returns GitHub's Markdown as HTML. HTML in the text is shown as text, an
// image as a link to the image. Only links to the web and to mail are links. Text with
// unusually deep nesting is shown as text.
func Markdown(source string) (body template.HTML) {
	defer func() {
		if recover() != nil {
			body = Text(source)
		}
	}()
	shown, rest := cut(source, longestText)
	shown = clean(shown)
	if nestsDeep(shown) {
		return Text(source)
	}
	var b bytes.Buffer
	if err := markdown().Convert([]byte(shown), &b); err != nil {
		return Text(source)
	}
	return template.HTML(`<div class="md">`+string(EscapeUnprintable(policy().SanitizeBytes(b.Bytes()), ""))+"</div>") + more(rest)
}

var markdown = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.Linkify, extension.TaskList),
		goldmark.WithParserOptions(parser.WithASTTransformers(util.Prioritized(lowered{}, 100))),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(plainParts{}, 100))),
	)
})

// policy limits the HTML to known elements: a second safeguard, behind a renderer that
// writes only such elements.
var policy = sync.OnceValue(func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "code", "em", "strong", "del", "br", "hr",
		"table", "thead", "tbody", "tr", "th", "td", "span", "div")
	p.AllowAttrs("start").Matching(regexp.MustCompile(`^\d{1,9}$`)).OnElements("ol")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^([kstcnf]|code|note more)$`)).OnElements("span", "pre", "p", "div")
	p.AllowAttrs("align").Matching(regexp.MustCompile(`^(left|center|right)$`)).OnElements("th", "td")
	p.AllowURLSchemes("http", "https", "mailto")
	p.AllowAttrs("href").OnElements("a")
	p.RequireParseableURLs(true)
	p.RequireNoFollowOnLinks(true)
	p.RequireNoReferrerOnLinks(true)
	p.AddTargetBlankToFullyQualifiedLinks(true) // also adds noopener
	return p
})

// Limits beyond which no person writes, and a parser may take quadratic time.
const (
	deepest      = 40   // nested quotes and lists
	mostBrackets = 2000 // brackets and emphasis marks in one paragraph
	mostCells    = 20000
)

// nestsDeep reports whether a text was made to keep a parser busy.
func nestsDeep(source string) bool {
	marks, columns := 0, 0
	for line := range strings.SplitSeq(source, "\n") {
		lead, depth := strings.TrimLeft(line, " \t>*+-0123456789.)"), 0
		for _, r := range line[:len(line)-len(lead)] {
			if strings.ContainsRune(">*+-.)", r) {
				depth++
			}
		}
		if strings.Trim(line, "-*= >") == "" && !strings.Contains(line, ">") {
			depth = 0 // a rule across the page
		}
		if line == "" {
			marks = 0
		}
		if strings.Trim(line, "|:- \t") == "" { // below a table's head
			columns = max(columns, strings.Count(line, "|"))
		}
		marks += strings.Count(line, "[") + strings.Count(line, "*") + strings.Count(line, "_") + strings.Count(line, "`") + strings.Count(line, "<")
		if depth > deepest || marks > mostBrackets {
			return true
		}
	}
	return columns*strings.Count(source, "\n") > mostCells // short rows are filled with cells
}

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
	r.Register(ast.KindImage, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		return link(w, n.(*ast.Image).Destination, "image: ", entering)
	})
	r.Register(ast.KindLink, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		return link(w, n.(*ast.Link).Destination, "", entering)
	})
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

// link begins or ends a link: a link of the text, or a link to an image, because a page
// loads nothing from elsewhere. Without an allowed URL only the link's text is shown.
func link(w util.BufWriter, to []byte, label string, entering bool) (ast.WalkStatus, error) {
	begin, end := "", ""
	if mayLink(to) {
		begin, end = `<a href="`+template.HTMLEscapeString(string(util.URLEscape(to, true)))+`">`, "</a>"
	}
	if entering {
		put(w, begin+label)
	} else {
		put(w, end)
	}
	return ast.WalkContinue, nil
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
