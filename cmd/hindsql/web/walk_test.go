package web_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// Bounds of a walk: the size of a page in bytes, and the number of pages of one kind to
// check.
const (
	mostOfPage = 3 << 20
	mostOfKind = 2
)

// policy is the Content-Security-Policy of each answer.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// walk follows each link and form from a site's first page, as a browser with the
// cookie would, and checks every answer.
type walk struct {
	t      *testing.T
	base   *url.URL
	client *http.Client
	queue  []string
	most   int               // most answers to check
	from   map[string]string // a page with a link, by the link's address
	kinds  map[string]int    // number of checked answers, by kind
}

// walked walks a site up to most answers, and returns the number of answers by kind.
func walked(t *testing.T, client *http.Client, base string, most int) map[string]int {
	t.Helper()
	at, err := url.Parse(base)
	must(t, err)
	w := &walk{t: t, base: at, client: client, most: most, from: map[string]string{}, kinds: map[string]int{}}
	w.add("", "/")
	for looked := 0; looked < w.most && len(w.queue) > 0; {
		next := w.queue[0]
		w.queue = w.queue[1:]
		if kind := kindOf(next); w.kinds[kind] < mostOfKind {
			w.kinds[kind]++
			looked++
			began := time.Now()
			w.look(next)
			if d := time.Since(began); d > time.Second {
				t.Logf("SLOW %v %s", d, next)
			}
		}
	}
	return w.kinds
}

// kindOf returns an address without ids and values.
func kindOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	parts := strings.Split(u.EscapedPath(), "/")
	keep := 2
	switch {
	case parts[1] == "text" && len(parts) > 4:
		parts = []string{"", "text", parts[len(parts)-1]}
		keep = 3
	case parts[1] == "query" || parts[1] == "table":
		parts[2] = regexp.MustCompile(`^[^.]*`).ReplaceAllString(parts[2], "")
		keep = 3
	}
	var names []string
	for name, values := range u.Query() { // any number of filters makes the same kind
		if values[0] != "" && !slices.Contains(alike, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(parts[:min(keep, len(parts))], "/") + "?" + strings.Join(names, "&") + u.Query().Get("format")
}

// alike lists the fields of ranges and filters.
var alike = []string{"since", "until", "during", "agent", "project", "tool", "decided_by", "kind", "trigger", "phase", "type"}

// add puts an address in the queue once.
func (w *walk) add(from, address string) {
	at, err := url.Parse(from)
	must(w.t, err)
	u, err := at.Parse(address)
	if err != nil {
		w.t.Errorf("%.200s: a link to %.200q: %v", from, address, err)
		return
	}
	u.Fragment, u.RawFragment = "", ""
	whole := u.String()
	if u.Host != "" || strings.HasPrefix(whole, "/live") {
		return
	}
	if _, known := w.from[whole]; !known {
		w.from[whole] = from
		w.queue = append(w.queue, whole)
	}
}

func (w *walk) look(address string) {
	answer, err := w.client.Get(w.base.Scheme + "://" + w.base.Host + address)
	if err != nil {
		w.t.Errorf("%.300s (linked from %.100s): %v", address, w.from[address], err)
		return
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	must(w.t, err)
	kind, _, _ := strings.Cut(answer.Header.Get("Content-Type"), ";")
	where := fmt.Sprintf("%.300s (linked from %.100s)", address, w.from[address])
	if strings.Contains(string(body), "No page is at this address.") && (!strings.Contains(address[1:], "/") || regexp.MustCompile(`^/(session|refusal|text)/`).MatchString(address)) {
		w.t.Logf("%s: not there yet", where)
	} else if answer.StatusCode != http.StatusOK {
		w.t.Errorf("%s: %s: %.300q", where, answer.Status, text(body))
	}
	for _, wrong := range headersOf(answer.Header) {
		w.t.Errorf("%s: %s", where, wrong)
	}
	if kind != "text/html" {
		return
	}
	if len(body) > mostOfPage {
		w.t.Errorf("%s: %d bytes", where, len(body))
	}
	p := readPage(body)
	for _, wrong := range p.wrong {
		w.t.Errorf("%s: %s", where, wrong)
	}
	for _, link := range p.links {
		w.add(address, link)
	}
}

// text returns the text of a page's elements, for messages.
func text(body []byte) string {
	_, main, _ := strings.Cut(string(body), "<main")
	return strings.Join(strings.Fields(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(main, " ")), " ")
}

// headersOf returns the faults of an answer's headers.
func headersOf(header http.Header) (wrong []string) {
	for name, want := range map[string]string{"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin"} {
		if got := header.Values(name); len(got) != 1 || got[0] != want {
			wrong = append(wrong, fmt.Sprintf("%s: %q", name, got))
		}
	}
	for name, values := range header {
		if strings.HasPrefix(name, "Access-Control-") || strings.ContainsFunc(strings.Join(values, ""), func(r rune) bool { return r < ' ' || r > '~' }) {
			wrong = append(wrong, fmt.Sprintf("%s: %q", name, values))
		}
	}
	if kind := header.Get("Content-Type"); !slices.Contains(served, kind) {
		wrong = append(wrong, fmt.Sprintf("type %q", kind))
	}
	return wrong
}

// served lists the types of answers. With recorded content, a browser could run only
// HTML, and hindsql writes all HTML itself.
var served = []string{
	"text/html; charset=utf-8", "text/plain; charset=utf-8", "text/css; charset=utf-8", "text/javascript; charset=utf-8", "text/csv; charset=utf-8",
	"application/json", "application/json; charset=utf-8", "application/x-ndjson", "application/vnd.apache.parquet", "image/svg+xml", "text/event-stream",
}

// page is the content of an HTML page.
type page struct {
	links []string
	wrong []string
	ids   map[string]bool
}

func (p *page) fault(format string, args ...any) {
	if len(p.wrong) < 10 {
		p.wrong = append(p.wrong, fmt.Sprintf(format, args...))
	}
}

// readPage parses a page and finds forbidden content of any origin.
func readPage(body []byte) *page {
	p := &page{ids: map[string]bool{}}
	if !utf8.Valid(body) || bytes.ContainsFunc(body, invisible) {
		at := bytes.IndexFunc(body, func(r rune) bool { return invisible(r) || r == utf8.RuneError })
		p.fault("a character that is not seen, at %.150q", body[max(at-80, 0):])
	}
	root, err := html.Parse(bytes.NewReader(body))
	if err != nil {
		p.fault("%v", err)
		return p
	}
	p.visit(root)
	return p
}

// invisible reports whether a character moves, turns or hides text.
func invisible(r rune) bool {
	switch {
	case r == '\n' || r == '\t' || r == '\r': // line ends of browsers, in typed text
		return false
	case r < ' ', 0x7f <= r && r <= 0x9f, r == 0x2028, r == 0x2029:
		return true
	case r == 0x200c || r == 0x200d: // used in words of some scripts
		return false
	}
	return unicode.Is(unicode.Bidi_Control, r) || r == 0x200b || r == 0xfeff
}

func (p *page) visit(n *html.Node) {
	switch n.Type {
	case html.ElementNode:
		p.element(n)
	case html.CommentNode:
		if strings.Contains(n.Data, mark) {
			p.fault("a comment %.100q", n.Data)
		}
	case html.TextNode:
		if strings.ContainsFunc(n.Data, invisible) {
			p.fault("a character that is not seen, in %.200q", n.Data)
		}
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		p.visit(c)
	}
}

// elements lists the elements of pages. Any other element is a fault.
var elements = strings.Fields(`html head meta title link script body header nav main section article aside footer div span p h1 h2 h3 h4 h5 h6 a ul ol li dl dt dd
	table caption thead tbody tfoot tr th td colgroup col form label input select option optgroup textarea button fieldset legend output datalist details summary
	pre code samp kbd del ins s strong em b i small sub sup mark blockquote q hr br time abbr figure figcaption template search progress meter wbr bdi
	svg g path rect line text tspan circle polyline polygon desc defs clippath clipPath noscript`)

// attributes lists the attributes of elements, without aria- and data- attributes.
var attributes = strings.Fields(`id class target href rel src type name value content charset lang method action for colspan rowspan scope open checked selected disabled multiple placeholder
	required min max step size maxlength minlength autocomplete autofocus spellcheck autocapitalize list rows cols wrap title datetime role tabindex start reversed hidden download media label defer
	accesskey align dir translate inputmode enctype novalidate readonly headers abbr crossorigin hreflang dirname pattern enterkeyhint popover popovertarget
	viewbox viewBox xmlns width height x y x1 y1 x2 y2 dx dy cx cy r rx ry d points fill stroke stroke-width stroke-linecap stroke-linejoin stroke-dasharray text-anchor dominant-baseline
	font-size font-family font-weight transform opacity fill-opacity clip-path preserveaspectratio preserveAspectRatio focusable http-equiv`)

func (p *page) element(n *html.Node) {
	if !slices.Contains(elements, n.Data) {
		p.fault("an element <%s>", n.Data)
	}
	values := map[string]string{}
	for _, a := range n.Attr {
		values[a.Key] = a.Val
		known := slices.Contains(attributes, a.Key) || regexp.MustCompile(`^(aria|data)-[a-z-]+$`).MatchString(a.Key)
		if !known || strings.Contains(a.Key, mark) || a.Key == "http-equiv" {
			p.fault("an attribute %s of <%s>", a.Key, n.Data)
		}
		if strings.ContainsFunc(a.Val, invisible) {
			p.fault("a character that is not seen, in %s of <%s>: %.200q", a.Key, n.Data, a.Val)
		}
	}
	if strings.Contains(values["class"], mark) {
		p.fault("a class %.100q", values["class"])
	}
	if id, has := values["id"]; has && (id == "" || p.ids[id]) {
		p.fault("the id %.100q is empty or stands twice", id)
	} else if has {
		p.ids[id] = true
	}
	p.leads(n, values)
}

// leads checks where the addresses in an element's attributes lead.
func (p *page) leads(n *html.Node, values map[string]string) {
	switch {
	case n.Data == "script" && (values["src"] == "" || n.FirstChild != nil):
		p.fault("a script in the page")
	case n.Data == "link" && values["rel"] != "stylesheet" && values["rel"] != "icon" && values["rel"] != "modulepreload":
		p.fault("a link of kind %q", values["rel"])
	case n.Data == "form" && strings.EqualFold(values["method"], "post") || values["formmethod"] != "":
	case n.Data == "form":
		p.form(n, values["action"])
	}
	for _, name := range []string{"href", "src", "action", "formaction", "poster", "data", "xlink:href", "cite", "ping", "srcset", "background", "manifest"} {
		address, has := values[name]
		if !has {
			continue
		}
		u, err := url.Parse(address)
		switch {
		case err != nil:
			p.fault("%s %.200q: %v", name, address, err)
		case u.Scheme == "" && u.Host == "" && !strings.HasPrefix(address, "//") && !strings.HasPrefix(address, `/\`) && !strings.HasPrefix(address, `\`) && u.Opaque == "":
			if name != "action" {
				p.links = append(p.links, address)
			}
		case n.Data == "a" && name == "href" && slices.Contains([]string{"http", "https", "mailto"}, u.Scheme):
			for _, rel := range []string{"noopener", "noreferrer", "nofollow"} {
				if !slices.Contains(strings.Fields(values["rel"]), rel) {
					p.fault("a link to %.100q without %s", address, rel)
				}
			}
		default:
			p.fault("%s of <%s>: %.200q", name, n.Data, address)
		}
	}
}

// form adds the address that an unchanged GET form sends.
func (p *page) form(form *html.Node, action string) {
	query := url.Values{}
	for n := range form.Descendants() {
		values := map[string]string{}
		for _, a := range n.Attr {
			values[a.Key] = a.Val
		}
		switch {
		case n.Type != html.ElementNode || values["name"] == "":
		case n.Data == "input" && values["type"] != "submit" && values["type"] != "checkbox" && values["type"] != "radio":
			query.Set(values["name"], values["value"])
		case n.Data == "select" || n.Data == "textarea":
			query.Set(values["name"], "")
		}
	}
	p.links = append(p.links, strings.TrimSuffix(action, "?")+"?"+query.Encode())
}
