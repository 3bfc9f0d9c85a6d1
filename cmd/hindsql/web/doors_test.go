package web_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"hindsql/internal/whole"
)

// reply is a response without its body.
type reply struct {
	StatusCode int
	Status     string
	Header     http.Header
	cookies    []*http.Cookie
}

// knock sends a request unchanged, and returns the response. Only the given header can
// carry the cookie.
func (o *site) knock(method, path string, header map[string]string, body string) (*reply, string) {
	o.Helper()
	r, err := http.NewRequest(method, "http://"+o.address+path, strings.NewReader(body))
	must(o, err)
	for name, value := range header {
		if name == "Host" {
			r.Host = value
			continue
		}
		r.Header.Set(name, value)
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	must(o, err)
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	must(o, err)
	return &reply{answer.StatusCode, answer.Status, answer.Header, answer.Cookies()}, string(content)
}

// cookie returns the browser's cookie.
func (o *site) cookie() string {
	o.Helper()
	for _, c := range o.browser.Jar.Cookies(&url.URL{Scheme: "http", Host: o.address, Path: "/"}) {
		return c.Name + "=" + c.Value
	}
	o.Fatal("no cookie was given")
	return ""
}

// doors lists a page of each kind. No request without the cookie may see their content.
var doors = []string{"/", "/refusals", "/sessions", "/session/claude/x", "/search?q=x", "/sql?sql=SELECT+1", "/live", "/query/rejections", "/text/claude/x/y/input", "/running", "/nothing"}

// TestDoors checks that a refused request gets no data, whatever headers the request
// has.
func TestDoors(t *testing.T) {
	whole.Test(t, "starts processes, 1.4 s of processor time")
	t.Parallel()
	o := onSample(t)
	cookie := o.cookie()
	name, value, _ := strings.Cut(cookie, "=")
	former := open(t, sampleServer()).cookie() // same process, another port
	_, port, err := net.SplitHostPort(o.address)
	must(t, err)
	type header = map[string]string
	for what, test := range map[string]struct {
		header header
		status int
	}{
		"no cookie":                       {header{}, 401},
		"an empty cookie":                 {header{"Cookie": name + "="}, 401},
		"a guess":                         {header{"Cookie": name + "=guess"}, 401},
		"the token as a cookie":           {header{"Cookie": name + "=" + testToken}, 401},
		"part of a cookie":                {header{"Cookie": cookie[:len(cookie)-1]}, 401},
		"a longer cookie":                 {header{"Cookie": cookie + "x"}, 401},
		"another port's cookie":           {header{"Cookie": former}, 401},
		"a cookie with another name":      {header{"Cookie": "hindsql=" + value}, 401},
		"the token as a bearer":           {header{"Authorization": "Bearer " + testToken}, 401},
		"another host":                    {header{"Cookie": cookie, "Host": "attacker.example:" + port}, 403},
		"another host's beginning":        {header{"Cookie": cookie, "Host": "127.0.0.1.attacker.example:" + port}, 403},
		"another port":                    {header{"Cookie": cookie, "Host": "127.0.0.1:1"}, 403},
		"no port":                         {header{"Cookie": cookie, "Host": "127.0.0.1"}, 403},
		"another address of this machine": {header{"Cookie": cookie, "Host": "0.0.0.0:" + port}, 403},
		"another origin":                  {header{"Cookie": cookie, "Origin": "http://attacker.example"}, 403},
		"another port's origin":           {header{"Cookie": cookie, "Origin": "http://127.0.0.1:1"}, 403},
		"https":                           {header{"Cookie": cookie, "Origin": "https://" + o.address}, 403},
		"no origin that has a name":       {header{"Cookie": cookie, "Origin": "null"}, 403},
		"an empty host, by a proxy":       {header{"Cookie": cookie, "Host": "attacker.example", "X-Forwarded-Host": o.address}, 403},
	} {
		for _, path := range doors {
			answer, text := o.knock("GET", path, test.header, "")
			if answer.StatusCode != test.status || strings.Contains(text, testToken) || strings.Contains(text, value) || strings.Contains(text, "/home/ada") || strings.Contains(text, "/sessions") {
				t.Errorf("%s, %s: %s: %.300s", what, path, answer.Status, text)
			}
			if len(answer.cookies) > 0 {
				t.Errorf("%s, %s: a cookie is given", what, path)
			}
			for _, wrong := range headersOf(answer.Header) {
				t.Errorf("%s, %s: %s", what, path, wrong)
			}
		}
	}
	if answer, text := o.knock("GET", "/", header{"Cookie": cookie}, ""); answer.StatusCode != http.StatusOK {
		t.Errorf("with the cookie: %s: %.300s", answer.Status, text)
	}
}

// TestToken checks that only the whole token lets a browser in, and that no later
// answer has the token.
func TestToken(t *testing.T) {
	t.Parallel()
	o := onSample(t)
	for _, given := range []string{"", "guess", testToken + "x", testToken[1:], strings.ToUpper(testToken), testToken + "&token=" + testToken, strings.Repeat("x", 5000)} {
		if answer, text := o.knock("GET", "/?token="+given, nil, ""); answer.StatusCode < 400 || answer.StatusCode >= 500 || len(answer.cookies) > 0 {
			t.Errorf("token %.50q: %s: %.300s", given, answer.Status, text)
		}
	}
	for _, path := range []string{"/refusals?token=" + testToken, "/sql?token=" + testToken, "/live?token=" + testToken} {
		if answer, _ := o.knock("GET", path, nil, ""); answer.StatusCode != http.StatusUnauthorized || len(answer.cookies) > 0 {
			t.Errorf("%s: %s", path, answer.Status)
		}
	}
	for _, method := range []string{"POST", "PUT", "DELETE"} {
		if answer, _ := o.knock(method, "/?token="+testToken, nil, ""); len(answer.cookies) > 0 || answer.StatusCode < 400 {
			t.Errorf("%s with the token: %s", method, answer.Status)
		}
	}
	answer, text := o.knock("GET", "/?token="+testToken, nil, "")
	if answer.StatusCode != http.StatusSeeOther || answer.Header.Get("Location") != "/" || strings.Contains(text, testToken) {
		t.Errorf("with the token: %s to %q: %s", answer.Status, answer.Header.Get("Location"), text)
	}
	given := answer.cookies
	_, port, err := net.SplitHostPort(o.address)
	must(t, err)
	if len(given) != 1 || given[0].Name != "hindsql_"+port || !given[0].HttpOnly || given[0].SameSite != http.SameSiteStrictMode || given[0].Domain != "" || strings.Contains(given[0].Value, testToken) {
		t.Errorf("the cookie is %v", given)
	}
	if policy := answer.Header.Get("Referrer-Policy"); policy != "same-origin" {
		t.Errorf("Referrer-Policy: %s", policy)
	}
}

// TestFormerProcess checks that the cookie of an ended server doesn't let a browser
// into the next server.
func TestFormerProcess(t *testing.T) {
	t.Parallel()
	h := sampleHome(t)
	serve := func(address string) (*site, func()) {
		s, err := h.server()
		must(t, err)
		l, err := net.Listen("tcp", address)
		must(t, err)
		ctx, stop := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() { ended <- s.Serve(ctx, l, testToken) }()
		jar, err := cookiejar.New(nil)
		must(t, err)
		o := &site{t, l.Addr().String(), &http.Client{Jar: jar, Transport: &http.Transport{DisableKeepAlives: true}}}
		return o, sync.OnceFunc(func() {
			stop()
			must(t, <-ended)
			must(t, s.Close())
			must(t, s.Source.Close())
		})
	}
	first, stop := serve("127.0.0.1:0")
	first.get("/?token=" + testToken)
	if status, text := first.get("/sessions"); status == http.StatusUnauthorized {
		t.Errorf("not let in: %s", text)
	}
	stop()
	second, stop := serve(first.address)
	defer stop()
	second.browser.Jar = first.browser.Jar
	if status, text := second.get("/"); status != http.StatusUnauthorized {
		t.Errorf("with the cookie of a former process: %d %s", status, text)
	}
}

// posts lists addresses at which a form might change something.
var posts = []string{"/running", "/running/1/cancel", "/cancel", "/sql", "/"}

// TestPostsFromElsewhere checks that posts from another site change nothing, with and
// without a stated origin.
func TestPostsFromElsewhere(t *testing.T) {
	t.Parallel()
	o := onSample(t)
	cookie := o.cookie()
	type header = map[string]string
	for what, h := range map[string]header{
		"another origin":                 {"Origin": "http://attacker.example"},
		"no origin with a name":          {"Origin": "null"},
		"cross-site":                     {"Sec-Fetch-Site": "cross-site"},
		"same-site":                      {"Sec-Fetch-Site": "same-site"},
		"cross-site with ours as origin": {"Sec-Fetch-Site": "cross-site", "Origin": "http://attacker.example"},
	} {
		h["Cookie"], h["Content-Type"] = cookie, "application/x-www-form-urlencoded"
		for _, path := range posts {
			for _, method := range []string{"POST", "PUT", "PATCH", "DELETE"} {
				if answer, text := o.knock(method, path, h, "id=1&sql=SELECT+1"); answer.StatusCode != http.StatusForbidden {
					t.Errorf("%s, %s %s: %s: %.200s", what, method, path, answer.Status, text)
				}
			}
		}
	}
}

// TestMethods checks that most addresses allow only reading.
func TestMethods(t *testing.T) {
	whole.Test(t, "asks the sample again and again, 1.8 s of processor time")
	t.Parallel()
	o := onSample(t)
	cookie := map[string]string{"Cookie": o.cookie(), "Origin": "http://" + o.address}
	for _, path := range []string{"/", "/refusals", "/sessions", "/tables", "/nothing"} {
		full, _ := o.knock("GET", path, cookie, "")
		head, text := o.knock("HEAD", path, cookie, "")
		if head.StatusCode != full.StatusCode || text != "" {
			t.Errorf("HEAD %s: %s and %d bytes; GET: %s", path, head.Status, len(text), full.Status)
		}
		for _, method := range []string{"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "BREW"} {
			answer, text := o.knock(method, path, cookie, "")
			if answer.StatusCode < 400 || answer.StatusCode >= 500 {
				t.Errorf("%s %s: %s: %.200s", method, path, answer.Status, text)
			}
			for _, wrong := range headersOf(answer.Header) {
				t.Errorf("%s %s: %s", method, path, wrong)
			}
		}
	}
}

// TestLongRequests checks that the server refuses longer requests than a browser sends,
// and answers the longest allowed ones.
func TestLongRequests(t *testing.T) {
	whole.Test(t, "asks the sample again and again, 1.4 s of processor time")
	t.Parallel()
	o := onSample(t)
	cookie := o.cookie()
	for what, test := range map[string]struct {
		path   string
		header map[string]string
		body   string
		least  int
		most   int
	}{
		"a long value":     {"/search?q=" + strings.Repeat("x", 20_000), nil, "", 200, 499},
		"a long path":      {"/" + strings.Repeat("x/", 20_000), nil, "", 400, 499},
		"a longer URL":     {"/sql?sql=" + strings.Repeat("x", 200_000), nil, "", 400, 499},
		"long headers":     {"/", map[string]string{"X-Long": strings.Repeat("x", 200_000)}, "", 400, 499},
		"a long body":      {"/sql", map[string]string{"Origin": "http://" + o.address, "Content-Type": "application/x-www-form-urlencoded"}, "sql=" + strings.Repeat("x", 3<<20), 400, 499},
		"many values":      {"/refusals?" + strings.Repeat("x=1&", 10_000), nil, "", 200, 499},
		"broken escapes":   {"/refusals?agent=%zz&since=%", nil, "", 200, 499},
		"no UTF-8":         {"/search?q=%ff%fe%00", nil, "", 200, 499},
		"dots":             {"/static/../../../etc/passwd", nil, "", 300, 499},
		"escaped dots":     {"/static/x/..%2f..%2f..%2fetc%2fpasswd", nil, "", 400, 499},
		"a strange number": {"/session/claude/x?from=-99999999999999999999", nil, "", 400, 499},
		"two slashes":      {"//attacker.example/", nil, "", 300, 499},
	} {
		header := map[string]string{"Cookie": cookie}
		for name, value := range test.header {
			header[name] = value
		}
		method := "GET"
		if test.body != "" {
			method = "POST"
		}
		answer, text := o.tryKnock(method, test.path, header, test.body)
		if answer == nil {
			continue // the server closed the connection early
		}
		if answer.StatusCode < test.least || answer.StatusCode > test.most {
			t.Errorf("%s: %s: %.200s", what, answer.Status, text)
		}
		if at := answer.Header.Get("Location"); strings.HasPrefix(at, "//") || strings.Contains(at, "attacker.example") && !strings.HasPrefix(at, "/") {
			t.Errorf("%s: leads to %s", what, at)
		}
	}
}

// tryKnock is knock for requests after which the server may close the connection.
func (o *site) tryKnock(method, path string, header map[string]string, body string) (*reply, string) {
	r, err := http.NewRequest(method, "http://"+o.address+path, strings.NewReader(body))
	if err != nil { // http.NewRequest refuses the path: send the path unchanged
		r, err = http.NewRequest(method, "http://"+o.address+"/", strings.NewReader(body))
		must(o, err)
		before, query, _ := strings.Cut(path, "?")
		r.URL.Opaque, r.URL.RawQuery = "//"+o.address+before, query
	}
	for name, value := range header {
		r.Header.Set(name, value)
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, ""
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	return &reply{answer.StatusCode, answer.Status, answer.Header, answer.Cookies()}, string(text)
}

// TestSlowBody checks that unfinished bodies and headers don't delay further requests.
func TestSlowBody(t *testing.T) {
	whole.Test(t, "asks the sample again and again, 1.1 s of processor time")
	t.Parallel()
	o := onSample(t)
	for range 50 {
		for _, begins := range []string{
			"POST /sql HTTP/1.1\r\nHost: %s\r\nCookie: %s\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\nsql=",
			"GET / HTTP/1.1\r\nHost: %s\r\nCookie: %s\r\nX-Slow: ",
		} {
			c, err := net.Dial("tcp", o.address)
			must(t, err)
			t.Cleanup(func() { _ = c.Close() })
			_, err = fmt.Fprintf(c, begins, o.address, o.cookie())
			must(t, err)
		}
	}
	if status, text := o.get("/"); status != http.StatusOK {
		t.Errorf("%d %.200s", status, text)
	}
	c, err := net.Dial("tcp", o.address)
	must(t, err)
	defer c.Close()
	_, err = fmt.Fprintf(c, "POST /sql HTTP/1.1\r\nHost: %s\r\nOrigin: http://%[1]s\r\nCookie: %s\r\nContent-Length: 100\r\n\r\nsql=", o.address, o.cookie())
	must(t, err)
	must(t, c.SetReadDeadline(time.Now().Add(30*time.Second)))
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err == nil {
		defer answer.Body.Close()
	}
	if err == nil && answer.StatusCode < 400 {
		t.Errorf("half a body: %s", answer.Status)
	} else if errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("half a body is waited for")
	}
}

// TestTokenIsNowhere checks that pages and headers have neither token nor cookie,
// except where the server sets the cookie.
func TestTokenIsNowhere(t *testing.T) {
	t.Parallel()
	o := onSample(t)
	_, value, _ := strings.Cut(o.cookie(), "=")
	for _, path := range doors {
		if path == "/live" {
			continue
		}
		answer, err := o.browser.Get("http://" + o.address + path)
		must(t, err)
		body, err := io.ReadAll(answer.Body)
		must(t, err)
		must(t, answer.Body.Close())
		for _, secret := range []string{testToken, value} {
			if strings.Contains(string(body)+fmt.Sprint(answer.Header), secret) {
				t.Errorf("%s has the token, or the cookie's value", path)
			}
		}
	}
}
