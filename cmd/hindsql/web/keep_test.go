package web_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestKeep saves typed SQL as a query: only from a page of the server, under a name
// that is free, and never over a file.
func TestKeep(t *testing.T) {
	h := sampleHome(t)
	s, err := h.server()
	must(t, err)
	o := open(t, s)
	o.shows("/sql?sql=SELECT+42+AS+answer", `action="/sql/keep"`, `value="SELECT 42 AS answer"`)
	send := func(a asking, name, sql string) (int, string) {
		answer, text := o.knock("POST", "/sql/keep", a.header(o.cookie()), "name="+name+"&sql="+sql)
		return answer.StatusCode, text
	}
	here := asking{"POST", "same-origin", "navigate", "document"}
	for _, c := range []struct{ name, says string }{
		{"sync", "sync is a command"}, {"sessions", "sessions is a table"}, {"Not%20a%20name", "small letters"}, {"..%2Fup", "small letters"}, {"by-agent", ""},
	} {
		status, text := send(here, c.name, "SELECT+42+AS+answer+FROM+sessions+WHERE+agent+%3D+%24agent")
		if c.says == "" && status != http.StatusSeeOther || c.says != "" && (status != http.StatusBadRequest || !strings.Contains(text, c.says)) {
			t.Errorf("%s: %d %s", c.name, status, text)
		}
	}
	if status, text := send(here, "by-agent", "SELECT+1"); status != http.StatusBadRequest || !strings.Contains(text, "There is a query by-agent") {
		t.Errorf("over a file: %d %s", status, text)
	}
	for _, a := range []asking{{"POST", "cross-site", "navigate", "document"}, {"POST", "", "", ""}} {
		if status, _ := send(a, "stolen", "SELECT+1"); status != http.StatusForbidden {
			t.Errorf("%v: %d", a, status)
		}
	}
	if _, err := os.Stat(filepath.Join(h.own, "queries", "stolen.sql")); err == nil {
		t.Error("another page saved a query")
	}
	file, err := os.ReadFile(filepath.Join(h.own, "queries", "by-agent.sql"))
	must(t, err)
	if text := string(file); !strings.HasPrefix(text, "-- by-agent: by agent\n") || !strings.Contains(text, "WHERE agent = $agent") {
		t.Errorf("saved: %s", text)
	}
	o.shows("/query/by-agent", "<h1>by-agent</h1>", "agent")
}
