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

// Markdown returns GitHub's Markdown as HTML. HTML in the text is shown as text, an
// image as a link to the image. Only links to the web and to mail are links. Text with
// unusually deep nesting is shown as text.
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
	return columns*strings.Count(text, "\n") > mostCells // short rows are filled with cells
}
