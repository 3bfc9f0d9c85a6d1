package main

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"hindsql/internal/atomicfile"
	"hindsql/internal/whole"
)

// TestContract tries each promise of the table "What runs where" in SECURITY.md. A row
// without a way to run SQL, or a cell without a probe, is an error.
func TestContract(t *testing.T) {
	whole.Test(t, "tries each scope at each face, 13.5 s of processor time")
	t.Parallel()
	rows := contract(t)
	if len(rows) != len(ways) {
		t.Errorf("%d rows, and %d of which is known how to ask", len(rows), len(ways))
	}
	for name, cells := range rows {
		for _, w := range ways[name] {
			t.Run(w.name, func(t *testing.T) {
				if !w.quick {
					whole.Test(t, "another way to ask like a quick one")
				}
				t.Parallel()
				o := newOutfit(t)
				for column, cell := range cells {
					try := probes[column][cell]
					if try == nil {
						t.Errorf("%s: %q: no probe", column, cell)
						continue
					}
					try(o, column+": "+cell, w)
				}
			})
		}
		if ways[name] == nil {
			t.Errorf("%s: no way to ask", name)
		}
	}
}

// contract returns the table's cells, by the names of row and column.
func contract(t *testing.T) map[string]map[string]string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "SECURITY.md"))
	if err != nil {
		t.Fatal(err)
	}
	var columns []string
	rows := map[string]map[string]string{}
	for line := range strings.Lines(string(page)) {
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "|---") {
			continue
		}
		cells := regexp.MustCompile(`\s*\|\s*`).Split(strings.Trim(strings.TrimSpace(line), "|"), -1)
		for i := range cells {
			cells[i] = strings.TrimSpace(strings.ReplaceAll(cells[i], "`", ""))
		}
		if columns == nil {
			columns = cells
			continue
		}
		row := map[string]string{}
		for i, cell := range cells[1:] {
			row[columns[i+1]] = cell
		}
		rows[cells[0]] = row
	}
	if len(columns) != 6 || len(rows) < 4 {
		t.Fatalf("columns %q, rows %v", columns, rows)
	}
	return rows
}

// inquiry is SQL that a probe runs, with the options of the run.
type inquiry struct {
	sql    string
	folder string   // current folder, below the home folder; empty for w/shop
	flags  []string // additional flags of the command line
	declared,
	long bool // declared: the report's file asks for redaction; long: statements may take 50 ms
	time time.Duration // time limit where SQL runs safely; zero for 30 s
}

// way is one way to run SQL in hindsql, such as the prompt.
type way struct {
	name     string
	commands bool // the way also runs dot commands
	quick    bool // tried in a quick run
	ask      func(o *outfit, q inquiry) string
}

// ways holds the ways to run SQL that belong to each row of the table.
var ways = map[string][]way{
	"the prompt, hindsql SQL, hindsql run": {
		{"prompt", true, false, (*outfit).atPrompt}, {"SQL", true, true, (*outfit).oneShot}, {"run", false, false, (*outfit).saved},
	},
	"these and hindsql report run with --safe": {
		{"safe prompt", true, false, safely((*outfit).atPrompt)}, {"safe SQL", true, true, safely((*outfit).oneShot)},
		{"safe run", false, false, safely((*outfit).saved)}, {"safe report", false, false, safely((*outfit).reported)},
	},
	"hindsql mcp":                        {{"mcp", false, true, (*outfit).asAgent}},
	"hindsql web: SQL and saved queries": {{"page", false, true, (*outfit).onPage}, {"download", false, false, (*outfit).downloaded}, {"saved on a page", false, false, (*outfit).savedOnPage}},
	"hindsql push":                       {{"push", false, true, (*outfit).pushed}, {"push on a schedule", false, false, (*outfit).pushedBySchedule}},
	"reports by mail (--mail-to)": {
		{"mail", false, true, (*outfit).mailed}, {"mail on a schedule", false, false, (*outfit).mailedBySchedule},
	},
	"hindsql report run, reports on a schedule": {
		{"report", false, true, (*outfit).reported}, {"schedule", false, false, (*outfit).scheduled},
	},
}

func safely(ask func(*outfit, inquiry) string) func(*outfit, inquiry) string {
	return func(o *outfit, q inquiry) string {
		q.flags = append([]string{"--safe"}, q.flags...)
		return ask(o, q)
	}
}

// Contents of the outfit's logs and SQL: a secret, a statement without end, and a query
// of the visible folders.
const (
	planted = "ghp_Zx81kQpLw03vTnRbYc5mEoJdHs7uGaFi29Ke"
	endless = "SELECT count(*) AS n FROM range(1000000) a, range(1000000) b WHERE a.range * b.range = 7"
	folders = "SELECT string_agg(DISTINCT parse_filename(project), ' ' ORDER BY parse_filename(project)) AS seen FROM sessions"
)

// probes maps a column and a cell's text to the function that checks whether the text
// is true.
var probes = map[string]map[string]func(o *outfit, cell string, w way){
	"files, network": {
		"its target only": func(o *outfit, cell string, w way) {
			before := o.tree()
			o.says(cell, w, inquiry{}, "in shop")
			for path := range o.tree() {
				if !before[path] && !strings.HasPrefix(path, "target/") && !strings.HasPrefix(path, ".local/") && !strings.HasPrefix(path, ".config/") {
					o.Errorf("%s: %s was written", cell, path)
				}
			}
		},
		"as DuckDB": func(o *outfit, cell string, w way) {
			o.says(cell, w, inquiry{sql: o.fromFile()}, "from the file")
			o.says(cell, w, inquiry{sql: o.fromNetwork()}, "httpfs")
		},
		"no": func(o *outfit, cell string, w way) {
			o.saysNot(cell, w, inquiry{sql: o.fromFile()}, "from the file", "it reads files")
			o.saysNot(cell, w, inquiry{sql: o.fromNetwork()}, "httpfs", "files are not read")
		},
	},
	"limits": {
		"no SQL": func(o *outfit, cell string, w way) {
			o.saysNot(cell, w, inquiry{sql: "SELECT 'r' || 'an'"}, "ran", "exit code 2")
		},
		"no": func(o *outfit, cell string, w way) { o.says(cell, w, inquiry{sql: "FROM range(1000001)"}, "1000000") },
		"yes": func(o *outfit, cell string, w way) {
			o.says(cell, w, inquiry{sql: endless, long: true}, "stopped at the limit of time, 50 ms")
		},
		"time": func(o *outfit, cell string, w way) {
			o.says(cell, w, inquiry{sql: endless, long: true}, "stopped at the limit of time, 50 ms")
		},
	},
	"scope": {
		"this machine's rows; private projects stay": func(o *outfit, cell string, w way) {
			put(o.T, filepath.Join(o.home, "w", "other", ".hindsql-private"), "")
			o.saysNot(cell, w, inquiry{}, "in other", "in shop")
		},
		"private projects stay": func(o *outfit, cell string, w way) {
			o.says(cell, w, inquiry{sql: folders}, "fix other shop")
			put(o.T, filepath.Join(o.home, "w", "other", ".hindsql-private"), "")
			o.saysNot(cell, w, inquiry{sql: folders}, "other", "fix shop")
			o.saysNot(cell, w, inquiry{sql: "SELECT text, raw(source_id, line) FROM with_copies.messages"}, "in other", "in shop")
		},
		"no":   func(o *outfit, cell string, w way) { o.says(cell, w, inquiry{sql: folders}, "fix other shop") },
		"none": func(o *outfit, cell string, w way) { o.says(cell, w, inquiry{sql: folders}, "fix other shop") },
		"--project": func(o *outfit, cell string, w way) {
			o.says(cell, w, inquiry{sql: folders}, "fix other shop")
			o.saysNot(cell, w, inquiry{sql: folders, flags: []string{"--project", filepath.Join(o.home, "w", "shop")}}, "other", "fix shop")
		},
		"the repository of the working folder and its worktrees; none there: an error that names --all": func(o *outfit, cell string, w way) {
			for _, folder := range []string{"w/shop", "w/fix"} {
				o.saysNot(cell, w, inquiry{sql: folders, folder: folder}, "other", "fix shop")
			}
			o.saysNot(cell, w, inquiry{sql: folders, folder: "w/other"}, "shop", "other")
			o.saysNot(cell, w, inquiry{sql: folders, folder: "w"}, "shop", "exit code 2: hindsql: mcp: ~/w: no repository here; start it in one, name one with --project, or say --all")
			o.says(cell, w, inquiry{sql: folders, flags: []string{"--project", "nowhere"}}, "hindsql: mcp: no session ran in nowhere; --all answers from all projects")
			o.says(cell, w, inquiry{sql: folders, folder: "w", flags: []string{"--all"}}, "fix other shop")
		},
	},
	"redacted": {
		"yes (--plain-text)": func(o *outfit, cell string, w way) {
			o.saysNot(cell, w, inquiry{}, "ghp_", "[redacted:github-pat]")
			o.says(cell, w, inquiry{flags: []string{"--plain-text"}}, planted)
		},
		"no": func(o *outfit, cell string, w way) {
			o.says(cell, w, inquiry{sql: "SELECT text FROM messages"}, planted)
		},
		"--redact": func(o *outfit, cell string, w way) {
			o.says(cell, w, inquiry{sql: "SELECT text FROM messages"}, planted)
			o.saysNot(cell, w, inquiry{sql: "SELECT text FROM messages", flags: []string{"--redact"}}, "ghp_", "[redacted:github-pat]")
		},
		"yes (--redact=false)": func(o *outfit, cell string, w way) {
			o.saysNot(cell, w, inquiry{sql: "SELECT text FROM messages"}, "ghp_", "[redacted:github-pat]")
			o.says(cell, w, inquiry{sql: "SELECT text FROM messages", flags: []string{"--redact=false"}}, planted)
		},
		"yes (--no-redact)": func(o *outfit, cell string, w way) {
			o.saysNot(cell, w, inquiry{sql: "SELECT text FROM messages"}, "ghp_", "[redacted:github-pat]")
			o.says(cell, w, inquiry{sql: "SELECT text FROM messages", flags: []string{"--no-redact"}}, planted)
		},
		"as declared": func(o *outfit, cell string, w way) {
			o.says(cell, w, inquiry{sql: "SELECT text FROM messages"}, planted)
			o.saysNot(cell, w, inquiry{sql: "SELECT text FROM messages", declared: true}, "ghp_", "[redacted:github-pat]")
		},
	},
	"init.sql, commands with effects": {
		"never": func(o *outfit, cell string, w way) {
			put(o.T, filepath.Join(o.home, ".config", "hindsql", "init.sql"), "COPY (SELECT 1) TO '"+filepath.Join(o.home, "by-init.csv")+"';\n")
			o.saysNot(cell, w, inquiry{}, "by-init", "in shop")
			if o.tree()["by-init.csv"] {
				o.Errorf("%s: init.sql was run", cell)
			}
		},
		"yes": func(o *outfit, cell string, w way) {
			o.says(cell, w, inquiry{sql: "FROM from_init"}, "init was run")
			if w.commands {
				o.says(cell, w, inquiry{sql: ".shell echo 're''ally'"}, "really")
			}
		},
		"no": func(o *outfit, cell string, w way) {
			o.saysNot(cell, w, inquiry{sql: "FROM from_init"}, "init was run", "from_init")
			o.saysNot(cell, w, inquiry{sql: ".shell echo 're''ally'"}, "really", "")
		},
	},
}

// outfit is a home folder for tests: two repositories, a worktree of one, and sessions
// in each with a secret in their logs.
type outfit struct {
	*testing.T
	home  string
	web   string // address of a server that no SQL may reach
	asked atomic.Bool
	count int
}

func newOutfit(t *testing.T) *outfit {
	o := &outfit{T: t, home: filepath.Join(atomicfile.Real(t.TempDir()), "home")}
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { o.asked.Store(true) }))
	t.Cleanup(func() {
		server.Close()
		if o.asked.Load() {
			t.Error("something was fetched")
		}
	})
	o.web = server.Listener.Addr().(*net.TCPAddr).String()
	at := func(parts ...string) string { return filepath.Join(append([]string{o.home}, parts...)...) }
	tree := at("w", "shop", ".git", "worktrees", "fix")
	put(t, filepath.Join(tree, "gitdir"), at("w", "fix", ".git")+"\n")
	put(t, filepath.Join(tree, "commondir"), "../..\n")
	put(t, at("w", "fix", ".git"), "gitdir: "+tree+"\n")
	put(t, at("w", "other", ".git", "HEAD"), "ref: refs/heads/main\n")
	put(t, at("file.csv"), "x\nfrom the file\n")
	put(t, at(".config", "hindsql", "init.sql"), "CREATE VIEW from_init AS SELECT 'init was run' AS x;\n")
	for _, project := range []string{"shop", "fix", "other"} {
		line, err := json.Marshal(map[string]any{
			"type": "user", "uuid": "u-" + project, "sessionId": project, "cwd": at("w", project), "version": "2.1.23", "userType": "external",
			"timestamp": "2026-10-09T08:30:44.203Z", "message": map[string]any{"role": "user", "content": "use " + planted + " in " + project},
		})
		if err != nil {
			t.Fatal(err)
		}
		put(t, at(".claude", "projects", project, project+".jsonl"), string(line)+"\n")
	}
	return o
}

func (o *outfit) fromFile() string {
	return "FROM read_csv('" + filepath.Join(o.home, "file.csv") + "')"
}
func (o *outfit) fromNetwork() string { return "FROM 'http://" + o.web + "/x.csv'" }

// says runs an inquiry. The answer must contain want.
func (o *outfit) says(cell string, w way, q inquiry, want string) {
	o.Helper()
	if got := w.ask(o, q); !strings.Contains(got, want) {
		o.Errorf("%s: %s %v: no %q in %.2000q", cell, q.sql, q.flags, want, got)
	}
}

// saysNot runs an inquiry. The answer must contain want, and must not contain not.
func (o *outfit) saysNot(cell string, w way, q inquiry, not, want string) {
	o.Helper()
	if got := w.ask(o, q); strings.Contains(got, not) || !strings.Contains(got, want) {
		o.Errorf("%s: %s %v: %q or no %q in %.2000q", cell, q.sql, q.flags, not, want, got)
	}
}

// program returns the environment for a command in the outfit's home, and a builder
// that gets all output.
func (o *outfit) program(q inquiry, args ...string) (environment, *strings.Builder) {
	all := &strings.Builder{}
	e, _, _ := outside(o.T, append(args, q.flags...)...)
	e.home, e.folder, e.stdout, e.stderr = o.home, filepath.Join(o.home, "w", "shop"), all, all
	if q.folder != "" {
		e.folder = filepath.Join(o.home, filepath.FromSlash(q.folder))
	}
	if q.long {
		e.safeTime = 50 * time.Millisecond
	}
	if q.time > 0 {
		e.safeTime = q.time
	}
	return e, all
}

// runs returns a program's output, preceded by its exit code if it fails.
func (o *outfit) runs(e environment, all *strings.Builder) string {
	if code := execute(context.Background(), e); code != exitOK {
		return fmt.Sprintf("exit code %d: %s", code, all)
	}
	return all.String()
}

func (o *outfit) oneShot(q inquiry) string {
	return o.runs(o.program(q, q.sql, "--format", "csv"))
}

func (o *outfit) atPrompt(q inquiry) string {
	e, all := o.program(q, "--format", "csv")
	sql := q.sql
	if !strings.HasPrefix(sql, ".") {
		sql += ";"
	}
	e.editor, e.interrupts = &typist{screen: io.Discard, lines: []string{sql}}, &interrupts{}
	e.stdinTerminal, e.stdoutTerminal, e.width = true, true, 100
	return o.runs(e, all)
}

func (o *outfit) saved(q inquiry) string {
	put(o.T, filepath.Join(o.home, ".config", "hindsql", "queries", "theirs.sql"), "-- theirs: a query\n--\n-- Of somebody's.\n"+q.sql+"\n")
	return o.runs(o.program(q, "run", "theirs", "--format", "csv"))
}

// report writes a report with the inquiry's SQL and returns its name. Each report has a
// new name, because a schedule remembers the runs by name.
func (o *outfit) report(q inquiry) string {
	o.count++
	name := fmt.Sprintf("theirs%d", o.count)
	text := "title = \"Theirs\"\n"
	if q.declared {
		text += "redact = true\n"
	}
	if q.long {
		text += "time_limit = \"50ms\"\n"
	}
	put(o.T, filepath.Join(o.home, ".config", "hindsql", "reports", name+".toml"), text+"[[section]]\ntitle = \"One\"\nsql = '''\n"+q.sql+"\n'''\n")
	return name
}

func (o *outfit) reported(q inquiry) string {
	return o.runs(o.program(q, "report", "run", o.report(q), "--format", "json"))
}

func (o *outfit) scheduled(q inquiry) string {
	name := o.report(q)
	output := filepath.Join(o.home, "reports", name)
	said := o.runs(o.program(q, "report", "run", name, "--scheduled", "-o", output))
	files, _ := filepath.Glob(filepath.Join(output, "*"))
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			o.Fatal(err)
		}
		said += string(text)
	}
	return said
}

// mailed runs a report by mail, and returns the mail's parts.
func (o *outfit) mailed(q inquiry) string {
	return o.opened(o.runs(o.program(q, "report", "run", o.report(q), "--mail-to", "me@example.org")))
}

// mailedBySchedule runs a report by mail as a scheduler does, and returns the parts of what
// sendmail got.
func (o *outfit) mailedBySchedule(q inquiry) string {
	name := o.report(q)
	bin, sent := filepath.Join(o.home, "bin"), filepath.Join(o.home, name+".eml")
	put(o.T, filepath.Join(bin, "sendmail"), "#!/bin/sh\ncat > '"+sent+"'\n")
	if err := os.Chmod(filepath.Join(bin, "sendmail"), 0o700); err != nil {
		o.Fatal(err)
	}
	said := o.runs(o.program(q, "report", "run", name, "--scheduled", "--mail-to", "me@example.org", "--sendmail", filepath.Join(bin, "sendmail")))
	text, err := os.ReadFile(sent)
	if err != nil {
		return said
	}
	return said + o.opened(string(text))
}

// opened returns the parts of a mail; other output unchanged.
func (o *outfit) opened(text string) string {
	if !strings.HasPrefix(text, "To: ") {
		return text
	}
	parts, err := readMail(text)
	if err != nil {
		o.Fatal(err)
	}
	return parts["header"] + parts["text"] + parts["html"]
}

func (o *outfit) asAgent(q inquiry) string {
	e, all := o.program(q, "mcp")
	fromUs, toServer := io.Pipe()
	fromServer, toUs := io.Pipe()
	e.stdin, e.stdout = fromUs, toUs
	ended := make(chan string, 1)
	go func() {
		said := o.runs(e, all)
		_ = toUs.Close()
		_ = fromUs.Close()
		ended <- said
	}()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).
		Connect(context.Background(), &sdk.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		return <-ended
	}
	answer, err := session.CallTool(context.Background(), &sdk.CallToolParams{Name: "query", Arguments: map[string]any{"sql": q.sql}})
	if err != nil {
		o.Fatal(err)
	}
	said, err := json.Marshal(answer)
	if err != nil {
		o.Fatal(err)
	}
	_ = session.Close()
	_ = toServer.Close()
	return string(said) + <-ended
}

// onPage, downloaded and savedOnPage ask hindsql web: by the page for SQL, for a CSV
// file, and by a saved query's page.
func (o *outfit) onPage(q inquiry) string {
	return o.browsed(q, "/sql?sql="+url.QueryEscape(q.sql))
}

func (o *outfit) downloaded(q inquiry) string {
	return o.browsed(q, "/sql?format=csv&sql="+url.QueryEscape(q.sql))
}

func (o *outfit) savedOnPage(q inquiry) string {
	put(o.T, filepath.Join(o.home, ".config", "hindsql", "queries", "theirs.sql"), "-- theirs: a query\n--\n-- Of somebody's.\n"+q.sql+"\n")
	return o.browsed(q, "/query/theirs")
}

// browsed starts a server, requests a page, and returns the text.
func (o *outfit) browsed(q inquiry, path string) string {
	e, _ := o.program(q, "web", "--port", "0")
	told := &lines{}
	e.stdout, e.stderr = told, told
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan int, 1)
	go func() { ended <- execute(ctx, e) }()
	defer func() { stop(); <-ended }()
	form := regexp.MustCompile(`http://127\.0\.0\.1:\d+/\?token=\w+`)
	for deadline := time.Now().Add(time.Minute); !form.MatchString(told.String()); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) || len(ended) > 0 {
			return told.String()
		}
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		o.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	defer browser.CloseIdleConnections()
	first := form.FindString(told.String())
	o.fetched(browser, first)
	base, _, _ := strings.Cut(first, "/?")
	return o.fetched(browser, base+path)
}

func (o *outfit) fetched(browser *http.Client, address string) string {
	r, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		o.Fatal(err)
	}
	r.Header.Set("Sec-Fetch-Site", "none") // as if typed in the browser
	answer, err := browser.Do(r)
	if err != nil {
		o.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		o.Fatal(err)
	}
	return html.UnescapeString(string(text))
}
