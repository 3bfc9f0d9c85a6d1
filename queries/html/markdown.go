package html

import (
	"bytes"
	"html/template"
	"regexp"
	"strings"
	"sync"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// Markdown is a text of GitHub's Markdown. HTML in it is shown as text, an image as
// a link to it, and only links to the web and to mail are links. What nests deeper
// than people write is shown as text.
func Markdown(text string) (body template.HTML) {
	defer func() {
		if recover() != nil {
			body = Text(text)
		}
	}()
	shown, rest := cut(text, longestText)
	shown = clean(shown)
	if nestsDeep(shown) {
		return Text(text)
	}
	var b bytes.Buffer
	if err := markdown().Convert([]byte(shown), &b); err != nil {
		return Text(text)
	}
	return template.HTML(`<div class="md">`+string(Seen(policy().SanitizeBytes(b.Bytes()), ""))+"</div>") + more(rest)
}

var markdown = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.Linkify, extension.TaskList),
		goldmark.WithParserOptions(parser.WithASTTransformers(util.Prioritized(lowered{}, 100))),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(plainParts{}, 100))),
	)
})

// policy is what of the HTML is let through: a second lock, behind a renderer that
// writes nothing else.
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
	p.AddTargetBlankToFullyQualifiedLinks(true) // which adds noopener, too
	return p
})

// Marks of what no person writes, and what takes a parser the square of its length.
const (
	deepest      = 40   // quotes and lists in one another
	mostBrackets = 2000 // that begin a link, or an emphasis, in one paragraph
	mostCells    = 20000
)

// nestsDeep says that a text is made to keep a parser busy.
func nestsDeep(text string) bool {
	marks, columns := 0, 0
	for line := range strings.SplitSeq(text, "\n") {
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
	return columns*strings.Count(text, "\n") > mostCells // a short row has all cells
}
