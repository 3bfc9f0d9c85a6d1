package web_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"hindsql/readers/sample"
)

// TestBrowser drives pages with a browser. The folder $HINDSQL_WEB_E2E has Playwright
// and axe from npm, $HINDSQL_BROWSER is Debian's Chromium. $HINDSQL_SHOTS is a folder
// for pictures of pages. `make e2e-web` runs the test.
func TestBrowser(t *testing.T) {
	s := scriptFor(t, "all.mjs")
	home := madeUpHome(t)
	s.drive(object{
		"url": program(t, home.folder).url, "pages": home.pages(), "log": home.growing, "grow": home.next, "long": "/session/claude/" + longID,
	})
}

// TestHostileBrowser opens pages of hostile logs in a browser.
func TestHostileBrowser(t *testing.T) {
	s := scriptFor(t, "hostile.mjs")
	s.drive(object{"url": program(t, hostileHome(t)).url, "mark": mark})
}

// TestForeignBrowser lets pages of other ports try everything they can, and moves a
// browser to the name of the pages.
func TestForeignBrowser(t *testing.T) {
	s := scriptFor(t, "foreign.mjs")
	home, err := sample.Write(t.TempDir())
	must(t, err)
	s.drive(object{"url": program(t, home).url})
}

func browser() string {
	if path := os.Getenv("HINDSQL_BROWSER"); path != "" {
		return path
	}
	return "/usr/bin/chromium"
}

// checks is a script of checks in a browser.
type checks struct {
	t      *testing.T
	folder string // has Playwright and axe
	script string
	only   []string // names of the checks to run; empty means all
}

// scripts lists all scripts of checks.
var scripts = []string{"all.mjs", "hostile.mjs", "foreign.mjs"}

// scriptFor returns a script with the checks that $HINDSQL_E2E_ONLY, a regular
// expression, matches. The test is skipped if only other scripts have such checks, and
// fails if no script has one.
func scriptFor(t *testing.T, script string) *checks {
	t.Helper()
	s := &checks{t: t, folder: os.Getenv("HINDSQL_WEB_E2E"), script: script}
	if s.folder == "" {
		t.Skip("$HINDSQL_WEB_E2E is not set; `make e2e-web` sets it")
	}
	pattern := os.Getenv("HINDSQL_E2E_ONLY")
	if pattern == "" {
		return s
	}
	only, err := regexp.Compile(pattern)
	must(t, err)
	var all []string
	matched := false
	for _, of := range scripts {
		for _, name := range (&checks{t: t, folder: s.folder, script: of}).names() {
			all = append(all, name)
			matched = matched || only.MatchString(name)
			if of == script && only.MatchString(name) {
				s.only = append(s.only, name)
			}
		}
	}
	switch {
	case !matched:
		t.Fatalf("no check matches ONLY=%s; the checks are:\n%s", pattern, strings.Join(all, "\n"))
	case s.only == nil:
		t.Skipf("no check of %s matches ONLY=%s", script, pattern)
	}
	return s
}

// names returns the names of the script's checks.
func (s *checks) names() (names []string) {
	s.t.Helper()
	out, err := s.command(object{"url": "http://127.0.0.1", "list": true}).Output()
	must(s.t, err)
	must(s.t, json.Unmarshal(out, &names))
	return names
}

// command returns the command that runs the script in a browser.
func (s *checks) command(given object) *exec.Cmd {
	s.t.Helper()
	given["browser"], given["shots"], given["only"] = browser(), os.Getenv("HINDSQL_SHOTS"), s.only
	text, err := json.Marshal(given)
	must(s.t, err)
	path, err := filepath.Abs(filepath.Join("testdata", "e2e", s.script))
	must(s.t, err)
	cmd := exec.Command(filepath.Join(s.folder, "node_modules", ".bin", "node"), path, string(text))
	cmd.Dir = s.folder
	cmd.Stderr = os.Stderr
	return cmd
}

// drive runs the checks, each as a subtest.
func (s *checks) drive(given object) {
	t := s.t
	t.Helper()
	cmd := s.command(given)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	lines, done := bufio.NewReaderSize(out, 1<<20), 0
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		var told struct {
			Name  string
			Wrong []string
			Ms    int
		}
		if json.Unmarshal(line, &told) != nil {
			t.Logf("%s", line)
			continue
		}
		done++
		t.Run(told.Name, func(t *testing.T) {
			for _, wrong := range told.Wrong {
				t.Error(wrong)
			}
			t.Logf("%d ms", told.Ms)
		})
	}
	if err := cmd.Wait(); err != nil || done == 0 {
		t.Errorf("%s: %v after %d checks", s.script, err, done)
	}
}

// longID is the session of 5,000 messages.
const longID = "1f0c5000-0000-4000-8000-000000005000"

// made is a made-up home: the sample, a long session, weeks of short sessions, and a
// growing session.
type made struct {
	folder, growing string
	next            string // line to append: a prompt that says GROWN
}

func madeUpHome(t testing.TB) *made {
	t.Helper()
	folder, err := sample.Write(t.TempDir())
	must(t, err)
	m := &made{folder: folder}
	now := time.Now().UTC().Truncate(time.Minute)
	long(longID, "/home/ada/work/shop-api", 2048, now.Add(-3*time.Hour)).write(t, folder, "-home-ada-work-shop-api")
	for day := range 40 {
		s := long(weekID(day), []string{"/home/ada/work/site", "/home/ada/work/infra", "/home/ada/work/shop-api"}[day%3], 8+day%7, now.Add(-time.Duration(day)*24*time.Hour-time.Hour))
		s.title([]string{"Make the cart count", "Straighten the pipeline", "Tests that never failed"}[day%3])
		s.write(t, folder, "-home-ada-work-weeks")
	}
	s := newScript("90000000-0000-4000-8000-000000000009", "/home/ada/work/site", now.Add(-10*time.Minute))
	s.title("One that grows")
	s.prompt("begin")
	s.answer("I begin.")
	m.growing = s.write(t, folder, "-home-ada-work-site")
	before := s.lines.Len()
	s.at = now.Add(-time.Minute)
	s.prompt("a prompt that came GROWN")
	m.next = s.lines.String()[before:]
	return m
}

func weekID(day int) string {
	return "2ee40000-0000-4000-8000-0000000000" + string("0123456789"[day/10]) + string("0123456789"[day%10])
}

// pages returns addresses of each kind of page.
func (m *made) pages() map[string]string {
	session := "/session/claude/" + longID
	return map[string]string{
		"home": "/", "home-month": "/?during=28d", "home-all": "/?during=", "refusals": "/refusals", "refusals-all": "/refusals?since=2026-01-01", "interruptions": "/interruptions?since=2026-01-01",
		"compactions": "/compactions?since=2026-01-01", "clears": "/clears?since=2026-01-01", "approvals": "/approvals?since=2026-01-01",
		"refusal":  "/refusal/claude/" + longID + "/" + url.PathEscape("toolu_"+longID+"_57"),
		"sessions": "/sessions", "session": session, "session-middle": session + "?from=2000", "session-sample": "/session/claude/4ccbee6e-2202-416e-b263-f0924ba8248d",
		"session-found": session + "?find=cart", "search": "/search?q=cart", "search-none": "/search?q=nothinglikethis", "sql": "/sql",
		"sql-rows": "/sql?sql=" + url.QueryEscape("SELECT project, count(*) AS sessions, sum(prompt_count) AS prompts FROM sessions GROUP BY ALL ORDER BY ALL"),
		"queries":  "/queries", "query": "/query/rejections", "query-days": "/query/activity-by-day", "tables": "/tables", "table": "/table/sessions", "running": "/running",
	}
}

// process is a running hindsql web.
type process struct {
	url string // the address that lets a browser in
	cmd *exec.Cmd
}

// program starts hindsql web on a home, until the test ends.
func program(t testing.TB, home string, flags ...string) *process {
	t.Helper()
	binary := os.Getenv("HINDSQL_BINARY")
	if binary == "" {
		t.Skip("$HINDSQL_BINARY is not set; make sets it")
	}
	cmd := exec.Command(binary, append([]string{"web", "--port", "0"}, flags...)...)
	cmd.Dir = home
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_DATA_HOME="+filepath.Join(home, ".local", "share"), "XDG_CONFIG_HOME="+filepath.Join(home, ".config"), "XDG_STATE_HOME="+filepath.Join(home, ".local", "state"),
		"TZ=UTC", "HINDSQL_STORE="+filepath.Join(t.TempDir(), "hindsql.duckdb"))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
	lines := bufio.NewReader(out)
	line, err := lines.ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "http://127.0.0.1:") {
		t.Fatalf("hindsql web wrote %q: %v", line, err)
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	return &process{strings.TrimSpace(line), cmd}
}

// enter returns a client with the cookie, and the base address of the pages.
func enter(t testing.TB, first string) (client *http.Client, base string) {
	t.Helper()
	jar, err := cookiejar.New(nil)
	must(t, err)
	client = &http.Client{Jar: jar, Transport: saysWho{http.DefaultTransport}}
	answer, err := client.Get(first)
	must(t, err)
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, answer.Body)
	if answer.StatusCode != http.StatusOK || answer.Request.URL.RawQuery != "" {
		t.Fatalf("%s, at %s", answer.Status, answer.Request.URL)
	}
	return client, answer.Request.URL.Scheme + "://" + answer.Request.URL.Host
}
