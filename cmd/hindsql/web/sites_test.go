package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"hindsql/internal/whole"
)

// asking is a request as a browser describes it in its headers. An empty field means
// that the header is missing.
type asking struct{ method, site, mode, dest string }

func (a asking) header(cookie string) map[string]string {
	h := map[string]string{"Cookie": cookie}
	for name, value := range map[string]string{"Sec-Fetch-Site": a.site, "Sec-Fetch-Mode": a.mode, "Sec-Fetch-Dest": a.dest} {
		if value != "" {
			h[name] = value
		}
	}
	if a.method != "GET" {
		h["Content-Type"] = "application/x-www-form-urlencoded"
	}
	return h
}

// askings returns the combinations of headers that browsers and other clients may send.
func askings() (list []asking) {
	for _, method := range []string{"GET", "POST", "POST signed"} {
		for _, site := range []string{"", "none", "same-origin"} {
			list = append(list, asking{method, site, "", ""}, asking{method, site, "no-cors", "image"}, asking{method, site, "navigate", "document"})
		}
		for _, site := range []string{"elsewhere", "same-origin, cross-site"} {
			list = append(list, asking{method, site, "navigate", "document"})
		}
		for _, site := range []string{"same-site", "cross-site"} {
			for _, mode := range []string{"", "navigate", "no-cors", "cors"} {
				for _, dest := range []string{"", "document", "image", "iframe"} {
					list = append(list, asking{method, site, mode, dest})
				}
			}
		}
	}
	return list
}

// The outcomes of a request.
const (
	runs    = "runs"
	shows   = "shows what would run" // the page shows the SQL with a button to run it, after a link from elsewhere
	holds   = "shows what would run, as 403"
	refuses = "refused"
)

// outcome returns what the server should do with a request. own is set if the page runs
// the user's own SQL; takes is set if the address accepts forms.
func (a asking) outcome(own, takes bool) string {
	here, unsaid := a.site == "none" || a.site == "same-origin", a.site == ""
	link := (a.site == "same-site" || a.site == "cross-site") && a.mode == "navigate" && a.dest == "document"
	switch {
	case a.method == "POST signed" && takes && (here || unsaid), a.method == "GET" && (here || !own && (unsaid || link)):
		return runs
	case a.method == "GET" && own && unsaid:
		return holds
	case a.method == "GET" && own && link:
		return shows
	}
	return refuses
}

// ownHome returns a home with the user's own saved query and report, and with one of
// each that replaces a built-in.
func ownHome(t testing.TB) *home {
	t.Helper()
	h := sampleHome(t)
	const sql = "SELECT 6 * 7 AS answer"
	own := "title = \"Mine\"\nperiod = \"7d\"\n\n[[section]]\ntitle = \"All\"\nsql = \"" + sql + "\"\nshow = \"number\"\n\n[section.rows]\nanswer = \"" + sql + "\"\n"
	h.put(t, "queries/mine.sql", "-- mine: my own\n--\n-- Prose.\n"+sql+"\n")
	h.put(t, "queries/overview.sql", "-- overview: my own\n--\n-- Prose.\n"+sql+"\n")
	h.put(t, "reports/mine.toml", own)
	h.put(t, "reports/weekly.toml", own)
	return h
}

// put writes a file of the user's.
func (h *home) put(t testing.TB, name, text string) {
	t.Helper()
	path := filepath.Join(h.own, filepath.FromSlash(name))
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, os.WriteFile(path, []byte(text), 0o600))
}

// TestOwnQueryOfABuiltInReport checks a built-in report that runs a saved query of the
// user's. Such a report is treated as the user's own: it runs safely, and not for links
// from elsewhere.
func TestOwnQueryOfABuiltInReport(t *testing.T) {
	whole.Test(t, "loads the sample, 1.1 s of processor time")
	t.Parallel()
	h := sampleHome(t)
	s, err := h.server()
	must(t, err)
	defer s.Close()
	o := open(t, s)
	h.put(t, "queries/permission-rules.sql", "-- permission-rules: theirs\n--\n-- Prose.\n--\n-- param suggested BOOLEAN = false   x\n-- param top INTEGER = 1   x\n"+
		"SELECT content AS allow_rule, $suggested AS s, $top AS t FROM read_text('/etc/hostname')\n")
	o.fails("/", http.StatusBadRequest, "read_text")
	link := asking{"GET", "cross-site", "navigate", "document"}
	if answer, text := o.knock("GET", "/", link.header(o.cookie()), ""); answer.StatusCode != http.StatusOK || !strings.Contains(text, `name="_sign"`) {
		t.Errorf("%s %.300s", answer.Status, text)
	}
}

// TestSites checks that a request's origin decides whether a page is shown, and whether
// the user's own SQL runs.
func TestSites(t *testing.T) {
	whole.Test(t, "loads stores again and again, 3.6 s of processor time")
	t.Parallel()
	s, err := ownHome(t).server()
	must(t, err)
	defer s.Close()
	o := open(t, s)
	cookie, sign := o.cookie(), o.sign()
	const sql = "SELECT 6 * 7 AS answer"
	for i, page := range []struct {
		path       string
		own, takes bool
		ran        string // text that only the outcome runs has
	}{
		{"/refusals?since=2020-01-01", false, false, "Build only, please"},
		{"/query/rejections", false, true, "result-title"},
		{"/query/rejections.csv", false, true, "tool"},
		{"/table/sessions?_cell=0.0", false, false, "20"},
		{"/tables", false, false, "Run this"},
		{"/sql", false, true, "To begin with"},
		{"/running", false, false, "Nothing runs"},
		{sqlPath(sql), true, true, ">42<"},
		{sqlPath("SELECT 'a' || chr(98) AS l, 42 AS n", "_show", "chart"), true, true, "<svg"},
		{sqlPath(sql, "_from", "0"), true, true, ">42<"},
		{sqlPath(sql, "_cell", "0.0"), true, true, "42"},
		{sqlPath(sql, "format", "csv"), true, true, "answer\n42"},
		{sqlPath(sql, "format", "parquet"), true, true, "PAR1"},
		{"/query/mine", true, true, ">42<"},
		{"/query/mine.json", true, true, "42"},
		{"/query/overview", true, true, ">42<"},
		{"/report/mine", true, true, ">42<"},
		{"/?during=7d", true, true, ">42<"},
		{"/report/mine/rows/1/answer?during=7d", true, true, ">42<"},
		{"/complete?sql=FROM+sess&at=9", true, true, `"sessions"`},
	} {
		t.Run(page.path, func(t *testing.T) {
			whole.Most(t, i, 4, "each page, asked for in each way")
			for _, a := range askings() {
				want, where := a.outcome(page.own, page.own || page.takes), fmt.Sprintf("%+v %s", a, page.path)
				answer, text := o.ask(a, page.path, cookie, sign)
				text = withoutRandom(text, sign)
				got := refuses
				switch {
				case answer.StatusCode == http.StatusOK && strings.Contains(text, page.ran):
					got = runs
				case strings.Contains(text, `name="_sign"`) && strings.Contains(text, "Run</button>") && !strings.Contains(text, page.ran):
					got = map[int]string{200: shows, 403: holds}[answer.StatusCode]
				case answer.StatusCode != http.StatusForbidden && (answer.StatusCode != http.StatusMethodNotAllowed || a.method == "GET"):
					got = answer.Status
				}
				if want != runs && strings.HasPrefix(page.path, "/complete") { // completions are for scripts only
					want = refuses
				}
				if got != want {
					t.Errorf("%s: %s, want %s: %s %.300s", where, got, want, answer.Status, text)
				}
				for _, wrong := range headersOf(answer.Header) {
					t.Errorf("%s: %s", where, wrong)
				}
			}
		})
	}
	if len(o.runs()) != 0 {
		t.Error("something still runs")
	}
}

// ask sends a request with a browser's headers, and follows the redirect of the
// server's own form.
func (o *site) ask(a asking, path, cookie, sign string) (*reply, string) {
	o.Helper()
	if a.method == "GET" {
		return o.knock("GET", path, a.header(cookie), "")
	}
	path, body, _ := strings.Cut(path, "?")
	if a.method == "POST signed" {
		body += "&_sign=" + sign
	}
	answer, text := o.knock("POST", path, a.header(cookie), body)
	if at := answer.Header.Get("Location"); answer.StatusCode == http.StatusSeeOther && !strings.Contains(at, sign) {
		a.method = "GET"
		return o.knock("GET", at, a.header(cookie), "")
	}
	return answer, text
}

var signField = regexp.MustCompile(`name="_sign" value="(\w+)"`)

// sign returns the sign in the server's forms.
func (o *site) sign() string {
	o.Helper()
	_, text := o.knock("GET", "/sql", map[string]string{"Cookie": o.cookie()}, "")
	m := signField.FindStringSubmatch(text)
	if m == nil {
		o.Fatalf("no form that is signed: %s", text)
	}
	return m[1]
}

// TestSigns checks that a form runs SQL only with the sign (secret) of this process.
// The sign must be in no address. It must also be in no page for browsers that say
// where a request comes from.
func TestSigns(t *testing.T) {
	whole.Test(t, "starts processes, 1.6 s of processor time")
	t.Parallel()
	o := onSample(t)
	cookie, sign := o.cookie(), o.sign()
	other, err := ownHome(t).server()
	must(t, err)
	defer other.Close()
	foreign := open(t, other).sign()
	if foreign == sign || len(sign) < 20 {
		t.Errorf("signs %s and %s", sign, foreign)
	}
	form := asking{method: "POST"}.header(cookie)
	for what, body := range map[string]string{
		"none": "", "an empty one": "_sign=", "a guess": "_sign=guess", "another process's": "_sign=" + foreign, "a part": "_sign=" + sign[1:], "more": "_sign=" + sign + "x",
		"two": "_sign=" + sign + "&_sign=" + sign, "the token": "_sign=" + testToken, "the cookie": "_sign=" + cookie,
	} {
		if answer, text := o.knock("POST", "/sql", form, "sql=SELECT+6*7&"+body); answer.StatusCode != http.StatusForbidden || strings.Contains(withoutRandom(text, sign), "42") {
			t.Errorf("%s: %s %.300s", what, answer.Status, text)
		}
	}
	if answer, text := o.knock("POST", "/sql?_sign="+sign, form, "sql=SELECT+6*7"); answer.StatusCode != http.StatusForbidden {
		t.Errorf("in the address: %s %.300s", answer.Status, text)
	}
	if answer, text := o.knock("GET", "/sql?sql=SELECT+6*7&_sign="+sign, map[string]string{"Cookie": cookie}, ""); answer.StatusCode != http.StatusForbidden || strings.Contains(withoutRandom(text, sign), "42") || strings.Count(text, sign) != 1 {
		t.Errorf("by GET: %s %.300s", answer.Status, text)
	}
	for _, path := range []string{"/sql", "/sql?sql=SELECT+1", "/query/rejections"} {
		if strings.Contains(o.shows(path), sign) {
			t.Errorf("%s has the sign", path)
		}
	}
	answer, _ := o.knock("POST", "/sql", asking{"POST", "same-origin", "navigate", "document"}.header(cookie), "sql=SELECT+6*7&p.x=%ff&_sign="+sign)
	if at := answer.Header.Get("Location"); answer.StatusCode != http.StatusSeeOther || at != "/sql?p.x=%EF%BF%BD&sql=SELECT+6%2A7" {
		t.Errorf("%s to %s", answer.Status, at)
	}
	if answer, text := o.knock("POST", "/sql", form, "_sign="+sign+"&sql="+url.QueryEscape("SELECT 6*7 /* "+strings.Repeat("x", 30_000)+" */")); answer.StatusCode != http.StatusOK || !strings.Contains(text, ">42<") {
		t.Errorf("a long one: %s %.300s", answer.Status, text)
	}
}

// TestUnrun checks the page that shows SQL instead of running it. Its button must send
// the request's values, and it must show the values as text.
func TestUnrun(t *testing.T) {
	t.Parallel()
	o := onSample(t)
	path := sqlPath(`SELECT '"><script>zq7()</script>' || $a`, "p.a", `"><i>`, "format", "csv", "_show", "chart")
	answer, text := o.knock("GET", path, asking{"GET", "cross-site", "navigate", "document"}.header(o.cookie()), "")
	if answer.StatusCode != http.StatusOK {
		t.Errorf("%s: %.300s", answer.Status, text)
	}
	for _, want := range []string{`method="post" action="/sql"`, `name="format" value="csv"`, `name="_show" value="chart"`, `p.a = &#34;&gt;&lt;i&gt;`, "A page of another address led here"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	if wrong := readPage([]byte(text)).wrong; len(wrong) > 0 || strings.Contains(text, "<script>zq7") || strings.Contains(text, "data-live>") {
		t.Errorf("%v: %s", wrong, text)
	}
}

var (
	addresses = regexp.MustCompile(`[-_0-9a-z]*\.?localhost:\d+|127\.0\.0\.1:\d+`)
	footTime  = regexp.MustCompile(`<time id="synced"[^>]*>[^<]*</time>`)
)

// withoutRandom removes a form's sign, the page's address, the time in its foot and the
// hash of the style. Each may contain the 42 that the statement returns.
func withoutRandom(text, sign string) string {
	text = staticHash.ReplaceAllString(text, "")
	return footTime.ReplaceAllString(addresses.ReplaceAllString(strings.ReplaceAll(text, sign, ""), ""), "")
}

var staticHash = regexp.MustCompile(`/static/[0-9a-f]+`)
