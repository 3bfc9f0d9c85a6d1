package web_test

import (
	"flag"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/internal/whole"
)

var update = flag.Bool("update", false, "rewrite the golden files; look at the difference before you commit it")

var (
	mainPart = regexp.MustCompile(`(?s)<main[^>]*>(.*)</main>`)
	inTag    = regexp.MustCompile(`><`)
	inCode   = regexp.MustCompile(`(?s)<pre class="code"><code>.*?</code>`)
	anyTag   = regexp.MustCompile(`<[^>]*>`)
)

// TestEventPages compares the pages of the sample's events with testdata/pages: each
// event, and the form above the list.
func TestEventPages(t *testing.T) {
	whole.Test(t, "asks the sample again and again, 3.7 s of processor time")
	t.Parallel()
	o := onSample(t)
	_, list := o.get("/refusals?text=that+is+staging")
	one := html.UnescapeString(refusalLinks.FindStringSubmatch(list)[1])
	_, page := o.get(one)
	fallen := html.UnescapeString(regexp.MustCompile(`With it fell <a href="([^"]+)"`).FindStringSubmatch(page)[1])
	for name, path := range map[string]string{
		"refusals": "/refusals", "refusals-2": "/refusals?page=2", "refusals-all": "/refusals?decided_by=all&agent=claude",
		"refusals-of-codex": "/refusals?decided_by=all&agent=codex&kind=command&during=2026-10", "refusals-by-text": "/refusals?text=that+is+staging&tool=Bash&project=shop",
		"refusal": one, "refusal-fallen": fallen,
		"interruptions": "/interruptions?type=all", "interruptions-tool": "/interruptions?phase=tool&tool=Bash", "interruptions-text": "/interruptions?type=all&text=the",
		"compactions": "/compactions", "compactions-auto": "/compactions?trigger=auto&text=the", "clears": "/clears", "clears-plan": "/clears?trigger=plan&project=shop",
		"approvals": "/approvals?agent=copilot",
	} {
		status, text := o.get(path)
		m := mainPart.FindStringSubmatch(text)
		if status != 200 || m == nil {
			t.Errorf("%s: status %d, %.300s", path, status, text)
			continue
		}
		file := filepath.Join("testdata", "pages", name+".html")
		m[1] = inCode.ReplaceAllStringFunc(m[1], func(code string) string { // whether code is coloured depends on the time left
			return `<pre class="code"><code>` + anyTag.ReplaceAllString(code, "") + "</code>"
		})
		got := inTag.ReplaceAllString(strings.TrimSpace(m[1]), ">\n<") + "\n"
		if *update {
			must(t, os.MkdirAll(filepath.Dir(file), 0o755))
			must(t, os.WriteFile(file, []byte(got), 0o644))
			continue
		}
		want, err := os.ReadFile(file)
		must(t, err)
		if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
			t.Errorf("%s is another than %s; go test ./cmd/hindsql/web -update writes it (-want +got)\n%.3000s", path, file, diff)
		}
	}
}
