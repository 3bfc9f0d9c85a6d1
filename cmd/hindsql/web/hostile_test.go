package web_test

import (
	"math"
	"net/url"
	"strings"
	"testing"

	"hindsql/internal/whole"
)

// TestHostileLogs walks each page and download of logs with only hostile texts.
func TestHostileLogs(t *testing.T) {
	t.Parallel()
	whole.Test(t, "walks hundreds of pages")
	h := &home{folder: hostileHome(t), own: t.TempDir()}
	s, err := h.server()
	must(t, err)
	o := open(t, s)
	kinds := walked(t, o.browser, "http://"+o.address, math.MaxInt)
	for kind, n := range kinds {
		t.Logf("%4d × %s", n, kind)
	}
}

// TestTenMegabytes checks pages with texts of ten megabytes.
func TestTenMegabytes(t *testing.T) {
	t.Parallel()
	whole.Test(t, "shows texts of ten megabytes")
	h := &home{folder: t.TempDir(), own: t.TempDir()}
	largeSession(t, h.folder, 10<<20)
	s, err := h.server()
	must(t, err)
	o := open(t, s)
	base, err := url.Parse("http://" + o.address)
	must(t, err)
	w := &walk{t: t, base: base, client: o.browser, from: map[string]string{}}
	for _, address := range []string{
		"/", "/session/claude/large", "/refusals", "/compactions", "/sessions", "/search?q=alert", "/query/rejections", "/query/rejections.csv", "/query/rejections.json",
		"/query/rejections.parquet", "/table/messages", "/table/messages.ndjson", "/table/tool_calls", "/table/tool_calls.csv", "/report/refusals",
	} {
		w.look(address)
	}
	for _, address := range w.queue {
		if strings.HasPrefix(address, "/text/") {
			w.look(address)
		}
	}
	if len(w.queue) < 50 {
		t.Errorf("%d links", len(w.queue))
	}
}

// TestSampleWalk walks the sample's pages and checks every link.
func TestSampleWalk(t *testing.T) {
	whole.Test(t, "walks hundreds of pages")
	t.Parallel()
	o := onSample(t)
	kinds := walked(t, o.browser, "http://"+o.address, math.MaxInt)
	for kind, n := range kinds {
		t.Logf("%4d × %s", n, kind)
	}
}

// TestFirstPagesOfTheSample walks the pages next to the home page.
func TestFirstPagesOfTheSample(t *testing.T) {
	t.Parallel()
	o := onSample(t)
	most := whole.Or(30, 16)
	kinds, seen := walked(t, o.browser, "http://"+o.address, most), 0
	for _, n := range kinds {
		seen += n
	}
	if seen != most || len(kinds) < most/mostOfKind {
		t.Errorf("%d pages of %d kinds: %v", seen, len(kinds), kinds)
	}
}

// TestReadPage checks that readPage finds all faults on a page.
func TestReadPage(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`<p>zq7 <a href="/x">y</a>`:                                            "",
		`<script>zq7()</script>`:                                               "a script in the page",
		`<script src="//zq7.example/x.js"></script>`:                           "src of <script>",
		`<p onclick="zq7()">x</p>`:                                             "an attribute onclick of <p>",
		`<p style="color:red">x</p>`:                                           "an attribute style of <p>",
		`<svg onload=zq7()></svg>`:                                             "an attribute onload of <svg>",
		`<img src="http://zq7.example/x.png">`:                                 "an element <img>",
		`<style>p{}</style>`:                                                   "an element <style>",
		`<a href="javascript:zq7()">x</a>`:                                     "href of <a>",
		"<a href=\"java\tscript:zq7()\">x</a>":                                 "href",
		`<a href=" javascript:zq7()">x</a>`:                                    "href",
		`<a href="//zq7.example">x</a>`:                                        "href of <a>",
		`<a href="/\zq7.example">x</a>`:                                        "href of <a>",
		`<a href="https://zq7.example">x</a>`:                                  "without noopener",
		`<a href="data:text/html,zq7">x</a>`:                                   "href of <a>",
		`<form action="https://zq7.example"></form>`:                           "action of <form>",
		`<meta http-equiv="refresh" content="0;url=//zq7.example">`:            "an attribute http-equiv",
		`<base href="/x/">`:                                                    "an element <base>",
		`<iframe src="/x"></iframe>`:                                           "an element <iframe>",
		"<p>\u202etxt.exe</p>":                                                 "not seen",
		"<p>&#x202e;txt.exe</p>":                                               "not seen",
		"<p>\x1b[31mred</p>":                                                   "not seen",
		"<p>\x00</p>":                                                          "not seen",
		`<p id="a">x</p><p id="a">y</p>`:                                       "stands twice",
		"<p>\xff</p>":                                                          "not seen",
		`<a href="https://x.example" rel="noopener noreferrer nofollow">x</a>`: "",
	} {
		got := strings.Join(readPage([]byte("<!DOCTYPE html><html><body>"+body)).wrong, "; ")
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}
