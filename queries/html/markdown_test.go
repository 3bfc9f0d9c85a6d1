package html_test

import (
	"regexp"
	"strings"
	"testing"

	"hindsql/queries/html"
)

// tag matches HTML elements. attribute matches attributes that run a script or fetch a
// URL.
var (
	tag       = regexp.MustCompile(`<[^>]*>`)
	attribute = regexp.MustCompile(`(?i)\s(on\w+|style|src|srcset|srcdoc|formaction|xlink:href|action|data)\s*=`)
	quoted    = regexp.MustCompile(`"[^"]*"`)
	href      = regexp.MustCompile(`(?i)href="([^"]*)"`)
	name      = regexp.MustCompile(`^</?([a-zA-Z0-9]+)`)
)

// isHarmless fails the test if the HTML has a forbidden element, attribute or URL, or
// an unprintable character.
func isHarmless(t *testing.T, from, page string) {
	t.Helper()
	allowed := " p h3 h4 h5 h6 ul ol li blockquote pre code em strong del ins br hr table caption thead tbody tr th td span div a mark article header section details summary time dl dt dd b aside nav "
	for _, e := range tag.FindAllString(page, -1) {
		if m := name.FindStringSubmatch(e); m == nil || !strings.Contains(allowed, " "+m[1]+" ") {
			t.Errorf("%.60q: element %s", from, e)
		}
		if attribute.MatchString(quoted.ReplaceAllString(e, `""`)) {
			t.Errorf("%.60q: attribute in %s", from, e)
		}
	}
	for _, m := range href.FindAllStringSubmatch(page, -1) {
		if !regexp.MustCompile(`^(https?://|mailto:|#|/)`).MatchString(m[1]) {
			t.Errorf("%.60q: link to %s", from, m[1])
		}
	}
	if bad := regexp.MustCompile("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069\u200b]").FindString(page); bad != "" {
		t.Errorf("%.60q: %q in the page", from, bad)
	}
}

// hostile returns texts of logs that try to inject HTML or scripts.
func hostile() []string {
	return []string{
		"<script>alert(1)</script>", "a <img src=x onerror=alert(1)> b", "<svg onload=alert(1)><script>1</script></svg>",
		"<!--\n<script>alert(1)</script>\n-->", "<div\nonclick='x'>y</div>", "<style>*{display:none}</style>", "<iframe srcdoc='<script>'></iframe>",
		"[x](javascript:alert(1))", "[x](JaVaScRiPt:alert(1))", "[x](java\nscript:alert(1))", "[x](&#106;avascript:alert(1))", "[x]( javascript:alert`1`)",
		"[x](data:text/html,<script>alert(1)</script>)", "![x](data:image/svg+xml;base64,AAAA)", "![x](https://e.example/p.png \"t\\\" onload=x\")",
		"[x](vbscript:x)", "[x](file:///etc/passwd)", "[x](//e.example/)", "[x](../../sql)", "<javascript:alert(1)>", "[x]\n\n[x]: javascript:alert(1)",
		"[x](https://e.example/\"onmouseover=alert(1))", "[a](https://a.example '\"><script>')", "<https://a.example/\"onclick=1>",
		"[![a](javascript:x)](javascript:y)", "![[a](javascript:x)](https://b.example)", "**<b onclick=x>**", "`<script>`", "```html\n<script>alert(1)</script>\n```",
		"```\"><script>\nx\n```", "```javascript:alert(1)\nx\n```", "| a | b |\n|---|:-:|\n| <script> | [x](javascript:1) |", "- [ ] <input>\n- [x] y",
		"\x1b[31mred\x1b[0m \x07", "a\u202eb\u2066c", "&#8238;x&#x202e; &#27;[31m &#0;", "a\u200bb", "</div></article><script>", "<a href=javascript:x>y</a>", "<form action=/sql><button>",
		"# <script>\n<h1 id=x>", "> <script>", "&lt;script&gt;", "\\<script>", "<scr<script>ipt>", "<x y=\"<script>\">", "<![CDATA[<script>]]>", "<?php x ?>", "<!DOCTYPE x>",
	}
}

func TestMarkdownIsHarmless(t *testing.T) {
	for _, text := range hostile() {
		isHarmless(t, text, string(html.Markdown(text)))
		isHarmless(t, text, string(html.Text(text)))
		for _, language := range []string{"", "html", "markdown", "bash", "x.go", text} {
			isHarmless(t, text, string(html.Code(language, text)))
		}
	}
}

// FuzzMarkdown: for any text, no script runs and no URL is fetched.
func FuzzMarkdown(f *testing.F) {
	for _, text := range hostile() {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { isHarmless(t, text, string(html.Markdown(text))) })
}

// TestMarkdown checks how Markdown is shown.
func TestMarkdown(t *testing.T) {
	for text, want := range map[string]string{
		"# A\n\n> # B":                    "<h4>A</h4>\n<blockquote>\n<h4>B</h4>",
		"a <b>c</b>":                      "a &lt;b&gt;c&lt;/b&gt;",
		"<div>\nx\n</div>":                "&lt;div&gt;\nx\n&lt;/div&gt;",
		"[a](https://b.example/?x=1&y=2)": `<a href="https://b.example/?x=1&amp;y=2" rel="nofollow noreferrer noopener" target="_blank">a</a>`,
		"[a](../x.go)":                    "<p>a</p>",
		"![a](https://b.example/c.png)":   `target="_blank">image: a</a>`,
		"- [x] done":                      "<li>☑ done</li>",
		"~~a~~ **b** `c`":                 "<del>a</del> <strong>b</strong> <code>c</code>",
		"```go\nfunc f() {}\n```":         `<pre class="code"><code><span class="k">func</span>`,
		"|a|\n|-|\n|b|":                   "<td>b</td>",
		"&#8238;":                         "&lt;U+202E&gt;",
		"3. c\n4. d":                      `<ol start="3">`,
	} {
		if got := string(html.Markdown(text)); !strings.Contains(got, want) {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// TestMarkdownOfAnySize: texts made to keep a parser busy are shown as text, and long
// texts are cut. If a text takes forever, the test times out.
func TestMarkdownOfAnySize(t *testing.T) {
	const n = 10_000
	for _, text := range []string{
		strings.Repeat(">", n) + "a", strings.Repeat("> ", n) + "a", strings.Repeat("[", n), strings.Repeat("![", n), strings.Repeat("[a](", n), strings.Repeat("*a ", n), strings.Repeat("**a _b ", n),
		strings.Repeat("- ", n), strings.Repeat("1. ", n), strings.Repeat("`", n), strings.Repeat("`a", n), strings.Repeat("<", n), strings.Repeat("<a ", n), strings.Repeat("]", n), strings.Repeat("[a]: b\n", n),
		strings.Repeat("|", n) + "\n" + strings.Repeat("-|", n), strings.Repeat("a|", n) + "\n" + strings.Repeat("-|", n) + "\n" + strings.Repeat("x|\n", n), strings.Repeat("<!--", n), strings.Repeat("&", n), strings.Repeat("~~a ", n),
		strings.Repeat("\\", n), strings.Repeat("http://a.", n), strings.Repeat("a@b.", n), strings.Repeat("> [", 30) + strings.Repeat("[", n), strings.Repeat("x ", 10<<20),
	} {
		page := string(html.Markdown(text))
		isHarmless(t, text, page)
		if len(page) > 4<<20 {
			t.Errorf("%.20q: %d bytes of HTML", text, len(page))
		}
	}
	if page := string(html.Markdown(strings.Repeat("x", 10<<20))); !strings.Contains(page, "… 10,420,224 more characters") {
		t.Errorf("what is cut isn't said: %s", page[len(page)-100:])
	}
}
