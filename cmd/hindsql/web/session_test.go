package web_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"hindsql/internal/whole"
)

// refusedSession is a session of the sample with refusals, a stop and a batch.
const refusedSession = "/session/claude/4ccbee6e-2202-416e-b263-f0924ba8248d"

func TestSession(t *testing.T) {
	o := onSample(t)
	o.shows(refusedSession,
		"<h1>Fix layout shift in the product gallery</h1>", `<article class="message by-you" id="m0"`, `<code id="resume">claude --resume`,
		`class="piece call refused"`, "no inline styles, they break our CSP", `<tr class="add">`, `aria-label="2 calls at once"`, `<div class="across piece stop"`,
		`<li>21 messages</li>`, `<rect class="refused" width="10" height="10"/></svg> 3 refusals`, ">refusal at :", `data-live="append"`,
	)
	o.fails("/session/claude/none", http.StatusNotFound, "no session none")
	o.fails("/session/none/4ccbee6e-2202-416e-b263-f0924ba8248d", http.StatusNotFound)
	o.fails(refusedSession+"?from=x", http.StatusBadRequest, "from=x")
	o.fails(refusedSession+"?from=-1", http.StatusBadRequest)
	o.shows(refusedSession+"?from=9223372036854775807", `id="m20"`)
}

// TestSessionFind checks that hits are links, and marked in the text, even in parts
// that would be folded.
func TestSessionFind(t *testing.T) {
	whole.Test(t, "loads the sample, 1.2 s of processor time")
	o := onSample(t)
	page := o.shows(refusedSession+"?find=LAYOUT+shift", `<mark class="found">layout shift</mark>`, `#m0">:0</a>`, "on this page")
	if strings.Contains(page, `<mark class="found">layout shift</mark></h1>`) {
		t.Error("the title is no message")
	}
	o.shows(refusedSession+"?find=%3Cnothing%3E", "No message has “&lt;nothing&gt;”")
}

// TestSessionOfManyPages checks that each message is on exactly 1 page, and that pages
// link to their neighbours.
func TestSessionOfManyPages(t *testing.T) {
	h := sampleHome(t)
	long(longID, "/work/long", 200, time.Date(2026, 10, 1, 9, 0, 0, 0, time.UTC)).write(t, h.folder, "-work-long")
	s, err := h.server()
	must(t, err)
	o := open(t, s)
	path := "/session/claude/" + longID
	first := o.shows(path, `id="m0"`, `id="m199"`, `?from=200" rel="next">Next</a>`)
	for _, not := range []string{`id="m200"`, `rel="prev"`} {
		if strings.Contains(first, not) {
			t.Errorf("the first page has %s", not)
		}
	}
	if strings.Contains(first, "<body data-live>") {
		t.Error("a page follows the logs that has others behind it")
	}
	o.shows(path+"?from=200", `id="m200"`, `?from=0" rel="prev">Previous</a>`, ` data-before="`+path)
	if !regexp.MustCompile(` data-after="`+path+`\?from=200#m\d+"`).MatchString(first) || strings.Contains(first, "data-before") {
		t.Error("the first page doesn't lead to the next refusal, or to one before it")
	}
	o.shows(path+"?find=Prompt+199", fmt.Sprintf(`%s?find=Prompt&#43;199&amp;from=`, path), "Next hit")
}

// TestWholeTexts checks that texts of any length are sent unchanged.
func TestWholeTexts(t *testing.T) {
	h := sampleHome(t)
	s := newScript(longID, "/work/long", time.Date(2026, 10, 1, 9, 0, 0, 0, time.UTC))
	text := "<script>" + strings.Repeat("é long ", 30_000)
	s.prompt(text)
	s.answer("done")
	_ = s.write(t, h.folder, filepath.Base("-work-long"))
	server, err := h.server()
	must(t, err)
	o := open(t, server)
	page := o.shows("/session/claude/"+longID, "All of it, as text", "/text/claude/"+longID+"/m0/message")
	if len(page) > 200_000 {
		t.Errorf("a page of %d bytes", len(page))
	}
	answer, err := o.browser.Get("http://" + o.address + "/text/claude/" + longID + "/m0/message")
	must(t, err)
	defer answer.Body.Close()
	if kind, sniff := answer.Header.Get("Content-Type"), answer.Header.Get("X-Content-Type-Options"); kind != "text/plain; charset=utf-8" || sniff != "nosniff" {
		t.Errorf("%s, %s", kind, sniff)
	}
	if _, got := o.get("/text/claude/" + longID + "/m0/message"); strings.TrimSpace(got) != strings.TrimSpace(text) {
		t.Errorf("%d bytes, want %d", len(got), len(text))
	}
	for _, path := range []string{"/m0/output", "/none/input", "/m0/nothing", "/mx/message", "/m7/message"} {
		o.fails("/text/claude/"+longID+path, http.StatusNotFound)
	}
}
