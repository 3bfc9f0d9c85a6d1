package html_test

import (
	"fmt"
	"strings"
	"testing"

	"hindsql/queries/html"
)

const small = "--- a/x.go\n+++ b/x.go\n@@ -1,3 +1,3 @@\n package x\n-var a = \"one two\"\n+var a = \"one three\"\n \n"

func TestDiff(t *testing.T) {
	page := string(html.Diff(small, "x.go"))
	for _, want := range []string{
		`<caption class="unseen">Changes of x.go</caption>`, `<tr class="hunk"><td colspan="4">@@ -1,3 +1,3 @@</td></tr>`,
		`<tr class="same"><td class="at">1</td><td class="at">1</td><td class="sign"></td><td><code><span class="k">package</span> x</code></td></tr>`,
		`<tr class="del"><td class="at">2</td><td class="at"></td><td class="sign">−<span class="unseen"> removed</span></td>`,
		`<mark><span class="s">two</span></mark>`, `<mark><span class="s">three</span></mark>`, `<td class="at">3</td><td class="at">3</td>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s in\n%s", want, page)
		}
	}
}

// TestDiffOfSeveralLines: a string over several lines is highlighted as a string on
// both sides.
func TestDiffOfSeveralLines(t *testing.T) {
	page := string(html.Diff("@@ -1,4 +1,4 @@\n x = \"\"\"\n-if a\n+if b\n c\n \"\"\"\n", "a.py"))
	if strings.Contains(page, `<span class="k">if</span>`) || !strings.Contains(page, `<span class="s">if </span>`) {
		t.Errorf("a keyword within a string:\n%s", page)
	}
}

// TestDiffThatIsNone: an incomplete diff is shown as text, without loss.
func TestDiffThatIsNone(t *testing.T) {
	for _, text := range []string{"", "hello", "@@ -1 +1 @@\nno", "@@ -1,2 +1,2 @@\n a\n", "*** Begin Patch\n-a\n+b\n", "--- a\n+++ b\n", "@@ -99999999999 +1 @@\n-a\n"} {
		page := string(html.Diff(text, "x.go"))
		if strings.Contains(page, "<table") || !strings.Contains(page, strings.TrimSpace(text)) {
			t.Errorf("%q: %s", text, page)
		}
	}
	for _, text := range []string{small + "--- a/y.go\n+++ b/y.go\n@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n", "@@ -1 +0,0 @@\n--- x\n", "@@ -1,3 +1,2 @@ func f() {\n a\n\n-b\n"} {
		if page := string(html.Diff(text, "")); !strings.Contains(page, "<table") {
			t.Errorf("%q: %s", text, page)
		}
	}
}

func TestDiffIsHarmless(t *testing.T) {
	for _, text := range hostile() {
		lines := strings.Split(text, "\n")
		diff := fmt.Sprintf("@@ -1,%d +1,%d @@ %s\n-%s\n+%s\n", len(lines), len(lines), lines[0], strings.Join(lines, "\n-"), strings.Join(lines, "\n+x"))
		for _, path := range []string{"", "x.html", "x.md", text} {
			isHarmless(t, text, string(html.Diff(diff, path)))
		}
	}
}

func TestDiffIsCut(t *testing.T) {
	long := string(html.Diff("@@ -0,0 +1,1000 @@\n"+strings.Repeat("+a\n", 1000), ""))
	if strings.Count(long, "<tr class=\"add\">") != 299 || !strings.Contains(long, "… 701 more lines") {
		t.Errorf("%d rows", strings.Count(long, "<tr class=\"add\">"))
	}
	wide := string(html.Diff("@@ -1 +1 @@\n-a\n+"+strings.Repeat("x(", 5<<20)+"\n", "a.js"))
	if len(wide) > 1<<20 || !strings.Contains(wide, " characters]") {
		t.Errorf("%d bytes: %s", len(wide), wide[:min(len(wide), 300)])
	}
}

// FuzzDiff: for any input, no row is lost and no script runs.
func FuzzDiff(f *testing.F) {
	f.Add(small, "x.go")
	f.Add("@@ -1 +1 @@\n-<script>\n+\x1b\n", "x.html")
	f.Fuzz(func(t *testing.T, diff, path string) { isHarmless(t, diff, string(html.Diff(diff, path))) })
}
