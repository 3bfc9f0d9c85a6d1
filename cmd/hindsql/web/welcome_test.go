package web_test

import (
	"fmt"
	"maps"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

const ownName = "madeupname7ofatest7madeup7"

// valuesAsOptions returns a site with a name of its own, and the name with the site's port.
func valuesAsOptions(t *testing.T) (o *site, there string) {
	t.Helper()
	h := sampleHome(t)
	h.name = ownName
	s, err := h.server()
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	o = open(t, s)
	_, port, err := net.SplitHostPort(o.address)
	must(t, err)
	return o, ownName + ".localhost:" + port
}

// typed returns the headers for an address that the user opened, with cookies.
func typed(cookies ...*http.Cookie) map[string]string {
	h := asking{"GET", "none", "navigate", "document"}.header("")
	for _, c := range cookies {
		h["Cookie"] = strings.TrimPrefix(h["Cookie"]+"; "+c.Name+"="+c.Value, "; ")
	}
	return h
}

// at returns headers for a request to another host.
func at(host string, header map[string]string) map[string]string {
	header = maps.Clone(header)
	header["Host"] = host
	return header
}

// welcomed opens the address with the token, and stops at the welcome page. It returns
// the cookie with the ticket, and the data that the page gives to its script.
func (o *site) welcomed(how map[string]string) (ticket *http.Cookie, data map[string]string) {
	o.Helper()
	answer, text := o.knock("GET", "/?token="+testToken, how, "")
	if answer.StatusCode != http.StatusSeeOther || answer.Header.Get("Location") != "/welcome" || len(answer.cookies) != 1 || strings.Contains(text, testToken) {
		o.Fatalf("%s to %s with %v: %s", answer.Status, answer.Header.Get("Location"), answer.cookies, text)
	}
	ticket = answer.cookies[0]
	if ticket.Path != "/welcome" || !ticket.HttpOnly || ticket.SameSite != http.SameSiteLaxMode || ticket.MaxAge != 60 || ticket.Domain != "" {
		o.Errorf("the ticket is %v", ticket)
	}
	answer, text = o.knock("GET", "/welcome", typed(ticket), "")
	if answer.StatusCode != http.StatusOK {
		o.Fatalf("%s: %s", answer.Status, text)
	}
	data = map[string]string{"policy": answer.Header.Get("Content-Security-Policy")}
	for _, m := range regexp.MustCompile(`data-(\w+)="([^"]*)"`).FindAllStringSubmatch(text, -1) {
		data[m[1]] = m[2]
	}
	if data["ticket"] != ticket.Value || data["stay"] != "/welcome/stay" || len(data["mark"]) < 20 || strings.Contains(text, testToken) {
		o.Errorf("%v in %s", data, text)
	}
	return ticket, data
}

// lets checks that an answer sets the cookie and redirects, and returns the cookie.
func (o *site) lets(answer *reply, to string) *http.Cookie {
	o.Helper()
	if answer.StatusCode != http.StatusSeeOther || answer.Header.Get("Location") != to || len(answer.cookies) == 0 {
		o.Fatalf("%s to %q with %v", answer.Status, answer.Header.Get("Location"), answer.cookies)
	}
	c := answer.cookies[0]
	if c.Path != "/" || c.Domain != "" || !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.MaxAge != 0 {
		o.Errorf("the cookie is %v", c)
	}
	return c
}

// TestWelcome checks that the address with the token lets a browser in, at 127.0.0.1 or
// at NAME.localhost, and only once.
func TestWelcome(t *testing.T) {
	t.Parallel()
	o, there := valuesAsOptions(t)
	for what, how := range map[string]map[string]string{"typed": typed(), "a file": asking{"GET", "cross-site", "navigate", "document"}.header("")} {
		ticket, data := o.welcomed(how)
		if data["there"] != "http://"+there || data["policy"] != strings.Replace(policy, "connect-src 'self'", "connect-src 'self' http://"+there, 1) {
			t.Errorf("%s: %v", what, data)
		}
		probe := asking{"GET", "cross-site", "cors", "empty"}.header("")
		probe["Origin"] = "http://" + o.address
		answer, text := o.knock("GET", "/welcome/here", at(there, probe), "")
		if answer.StatusCode != http.StatusOK || text != data["mark"] || answer.Header.Get("Access-Control-Allow-Origin") != "http://"+o.address {
			t.Errorf("%s: %s %q %v", what, answer.Status, text, answer.Header)
		}
		answer, _ = o.knock("GET", "/?ticket="+ticket.Value, at(there, asking{"GET", "cross-site", "navigate", "document"}.header("")), "")
		cookie := o.lets(answer, "/welcome/in")
		if answer, text = o.knock("GET", "/welcome/in", at(there, asking{"GET", "cross-site", "navigate", "document"}.header("")), ""); answer.StatusCode != http.StatusOK || !strings.Contains(text, `content="0; url=/"`) {
			t.Errorf("%s: %s %s", what, answer.Status, text)
		}
		if answer, text = o.knock("GET", "/sql?sql=SELECT+6*7", at(there, typed(cookie)), ""); answer.StatusCode != http.StatusOK || !strings.Contains(text, ">42<") {
			t.Errorf("%s: %s %.300s", what, answer.Status, text)
		}
		for _, used := range []struct {
			path   string
			header map[string]string
			status int
		}{{"/?ticket=" + ticket.Value, at(there, typed()), 403}, {"/welcome", typed(ticket), 401}, {"/welcome/stay", typed(ticket), 401}} {
			if answer, _ := o.knock("GET", used.path, used.header, ""); answer.StatusCode != used.status || len(answer.cookies) > 0 {
				t.Errorf("%s: used, %s: %s with %v", what, used.path, answer.Status, answer.cookies)
			}
		}

		ticket, _ = o.welcomed(how)
		answer, _ = o.knock("GET", "/welcome/stay", typed(ticket), "")
		cookie = o.lets(answer, "/")
		if answer, text := o.knock("GET", "/sql?sql=SELECT+6*7", typed(cookie), ""); answer.StatusCode != http.StatusOK || !strings.Contains(text, ">42<") {
			t.Errorf("%s: %s %.300s", what, answer.Status, text)
		}
		if answer, _ := o.knock("GET", "/?ticket="+ticket.Value, at(there, typed()), ""); answer.StatusCode != http.StatusForbidden || len(answer.cookies) > 0 {
			t.Errorf("%s: stayed, and the ticket is good for another: %s", what, answer.Status)
		}
		if answer, _ := o.knock("GET", "/welcome", typed(cookie), ""); answer.StatusCode != http.StatusSeeOther || answer.Header.Get("Location") != "/" {
			t.Errorf("%s: who is in: %s", what, answer.Status)
		}
	}
	for what, how := range map[string]map[string]string{"curl": {}, "no window": asking{"GET", "none", "cors", "empty"}.header(""), "at the name": at(there, typed())} {
		answer, _ := o.knock("GET", "/?token="+testToken, how, "")
		o.Logf("%s", what)
		o.lets(answer, "/")
	}
}

// TestNobodyLearnsTheName checks that refused requests neither learn the name nor get
// in by a guessed one.
func TestNobodyLearnsTheName(t *testing.T) {
	t.Parallel()
	o, there := valuesAsOptions(t)
	ticket, data := o.welcomed(typed())
	here := map[string]string{"Origin": "http://" + o.address}
	for _, test := range []struct {
		path   string
		header map[string]string
		status int
	}{
		{"/", at("other.localhost"+there[strings.IndexByte(there, ':'):], typed()), 403},
		{"/", at(ownName+".localhost:1", typed()), 403},
		{"/", at(ownName+".localhost", typed()), 403},
		{"/", at(there, typed()), 401},
		{"/welcome", typed(), 401},
		{"/welcome", typed(&http.Cookie{Name: ticket.Name, Value: "guess"}), 401},
		{"/welcome/stay", typed(&http.Cookie{Name: ticket.Name, Value: ""}), 401},
		{"/welcome/stay", typed(&http.Cookie{Name: strings.TrimSuffix(ticket.Name, "_ticket"), Value: ticket.Value}), 401},
		{"/welcome/here", here, 401},
		{"/welcome/here", at(there, map[string]string{"Origin": "http://attacker.example"}), 403},
		{"/welcome/here", at(there, map[string]string{"Origin": "http://127.0.0.1:1"}), 403},
		{"/welcome/here/", at(there, here), 401},
		{"/?ticket=" + ticket.Value, typed(), 403}, // the ticket is valid only at NAME.localhost
		{"/?ticket=" + ticket.Value + "&ticket=" + ticket.Value, at(there, typed()), 403},
		{"/?ticket=guess", at(there, typed()), 403},
		{"/?ticket=", at(there, typed()), 403},
		{"/?ticket=" + testToken, at(there, typed()), 403},
		{"/?token=" + ticket.Value, typed(), 403},
		{"/?ticket=" + ticket.Value, at(there, asking{"GET", "cross-site", "no-cors", "image"}.header("")), 403},
		{"/welcome", asking{"GET", "same-site", "cors", "empty"}.header(ticket.Name + "=" + ticket.Value), 403},
	} {
		answer, text := o.knock("GET", test.path, test.header, "")
		if answer.StatusCode != test.status || len(answer.cookies) > 0 || strings.Contains(fmt.Sprint(text, answer.Header), ownName) || strings.Contains(text, data["mark"]) {
			t.Errorf("%s %v: %s with %v: %s %v", test.path, test.header, answer.Status, answer.cookies, text, answer.Header)
		}
	}
	for _, path := range doors {
		if answer, text := o.knock("GET", path, nil, ""); strings.Contains(fmt.Sprint(text, answer.Header), ownName) {
			t.Errorf("%s: %v %s", path, answer.Header, text)
		}
	}
	if answer, _ := o.knock("POST", "/?ticket="+ticket.Value, at(there, map[string]string{}), ""); answer.StatusCode < 400 || len(answer.cookies) > 0 {
		t.Errorf("by POST: %s", answer.Status)
	}
	if answer, _ := o.knock("GET", "/welcome", typed(ticket), ""); answer.StatusCode != http.StatusOK {
		t.Errorf("none of this used the ticket, and it is gone: %s", answer.Status)
	}
	// A page of another port of NAME.localhost counts as another address, even with the
	// cookie.
	if answer, text := o.knock("GET", "/sql?sql=SELECT+6*7", at(there, asking{"GET", "same-site", "no-cors", "image"}.header(o.cookie())), ""); answer.StatusCode != http.StatusForbidden || strings.Contains(text, ">42<") {
		t.Errorf("%s", answer.Status)
	}
}
