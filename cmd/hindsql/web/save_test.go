package web_test

import (
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// send sends a form, and returns the status and the page at the end of redirects.
func (o *site) send(path string, form url.Values) (status int, at, page string) {
	o.Helper()
	answer, err := o.browser.PostForm("http://"+o.address+path, form)
	must(o, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	must(o, err)
	return answer.StatusCode, answer.Request.URL.Path, string(body)
}

// TestSaveSQL saves statements from the page, and tries names that can't be, another
// site's form, and a page with a failed statement.
func TestSaveSQL(t *testing.T) {
	h := sampleHome(t)
	s, err := h.server()
	must(t, err)
	o := open(t, s)
	const sql = "SELECT tool_name, count(*) AS calls FROM tool_calls WHERE tool_name = $tool GROUP BY ALL"
	page := o.shows(sqlPath(sql, "p.tool", "Bash"), "Save as a query", ">Bash</")
	if !strings.Contains(page, `action="/sql/save"`) {
		t.Fatalf("no form in %.3000s", page)
	}
	form := url.Values{"sql": {sql}, "name": {"calls-of"}}
	if status, at, page := o.send("/sql/save", form); status != http.StatusOK && status != http.StatusBadRequest || at != "/query/calls-of" || !strings.Contains(page, `name="tool"`) {
		t.Errorf("%d at %s: %.2000s", status, at, page)
	}
	path := filepath.Join(h.own, "queries", "calls-of.sql")
	text, err := os.ReadFile(path)
	must(t, err)
	if want := "-- calls-of: calls of\n"; !strings.HasPrefix(string(text), want) || !strings.Contains(string(text), sql) || !strings.Contains(string(text), "-- param tool VARCHAR") {
		t.Errorf("the file is %s", text)
	}
	o.shows("/query/calls-of?tool=Bash", ">Bash</")
	for name, why := range map[string]string{
		"calls-of": "is a query of yours", "doctor": "is a command", "rejections": "is a table", "../up": "a name is made of", "Big": "a name is made of", "": "a name is made of",
	} {
		form.Set("name", name)
		if status, _, page := o.send("/sql/save", form); status != http.StatusBadRequest || !strings.Contains(page, why) || !strings.Contains(page, "</textarea>") {
			t.Errorf("%q: %d, no %q in %.2000s", name, status, why, page)
		}
	}
	form.Set("name", "other")
	for _, a := range []asking{{method: "POST"}, {"POST", "same-site", "navigate", "document"}, {"POST", "cross-site", "navigate", "document"}} {
		for _, sign := range []string{"", "&_sign=guess"} {
			if answer, _ := o.knock("POST", "/sql/save", a.header(o.cookie()), form.Encode()+sign); answer.StatusCode != http.StatusForbidden {
				t.Errorf("%+v, %q: %s", a, sign, answer.Status)
			}
		}
	}
	if answer, text := o.knock("POST", "/sql/save", asking{method: "POST"}.header(o.cookie()), form.Encode()+"&_sign="+o.sign()); answer.Header.Get("Location") != "/query/other" {
		t.Errorf("with the sign: %s %.1000s", answer.Status, text)
	}
	form.Set("sql", " ")
	if status, _, _ := o.send("/sql/save", form); status != http.StatusBadRequest {
		t.Errorf("without a statement: %d", status)
	}
	if files, err := os.ReadDir(filepath.Dir(path)); err != nil || len(files) != 2 {
		t.Errorf("%d files, %v", len(files), err)
	}
	if _, page := o.get(sqlPath("SELECT nonsense FROM sessions")); strings.Contains(page, "Save as a query") {
		t.Error("a failed statement can be saved")
	}
}
