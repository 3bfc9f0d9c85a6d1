package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// heard is a face's answer to a question. (A face is a way to ask hindsql: command
// line, file, prompt, MCP server, web page, report.)
type heard struct {
	rows    records  // the rows in the form for programs
	shown   []grid   // the tables in the forms for people
	count   string   // number of rows, if a limit cut them
	notices []string // clauses
	failure string   // the error; empty for none
}

// records are rows in JSON form.
type records struct {
	columns []string
	values  [][]string
}

// grid is a table's content, without borders and markup.
type grid struct {
	of    string // the table's form: table, page or markdown
	heads []string
	cells [][]string
}

// faces are the six faces, with the same store and the same saved queries.
type faces struct {
	*testing.T
	made       func(args ...string) (e environment, stdout, stderr *strings.Builder)
	configured string                    // folder of the queries and reports
	agent      func() *sdk.ClientSession // returns the client of hindsql mcp; the first call connects it
	browser    *http.Client
	base       string
	reports    *atomic.Int64 // number of reports made
}

// newFaces opens the six faces with the given saved queries. made makes the environment
// of each command.
func newFaces(t *testing.T, saved map[string]string, made func(args ...string) (e environment, stdout, stderr *strings.Builder)) *faces {
	f := &faces{T: t, made: made, configured: t.TempDir(), reports: &atomic.Int64{}}
	for name, text := range saved {
		put(t, filepath.Join(f.configured, "hindsql", "queries", name+".sql"), text)
	}
	f.agent = sync.OnceValue(f.connected)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	f.browser = &http.Client{Jar: jar}
	t.Cleanup(f.browser.CloseIdleConnections)
	e, _, _ := f.program("web", "--port", "0")
	address, _, _ := webServed(t, e)
	f.fetched(address)
	f.base, _, _ = strings.Cut(address, "/?")
	return f
}

// of returns the faces for a subtest.
func (f *faces) of(t *testing.T) *faces {
	below := *f
	below.T = t
	return &below
}

// program returns the environment of a command that finds the saved queries.
func (f *faces) program(args ...string) (e environment, stdout, stderr *strings.Builder) {
	e, stdout, stderr = f.made(args...)
	cache := e.getenv
	e.getenv = func(name string) string {
		switch name {
		case "XDG_CONFIG_HOME":
			return f.configured
		case "NO_COLOR":
			return "1"
		}
		return cache(name)
	}
	return e, stdout, stderr
}

// connected returns an agent connected to hindsql mcp.
func (f *faces) connected() *sdk.ClientSession {
	e, _, stderr := f.program("mcp", "--all", "--no-redact")
	fromUs, toServer := io.Pipe()
	fromServer, toUs := io.Pipe()
	e.stdin, e.stdout = fromUs, toUs
	ended := make(chan int, 1)
	go func() { ended <- execute(context.Background(), e) }()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).
		Connect(context.Background(), &sdk.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		_ = session.Close()
		_ = toServer.Close()
		if code := <-ended; code != exitOK {
			f.Errorf("mcp: exit code %d: %s", code, stderr)
		}
	})
	return session
}

func (f *faces) fetched(address string) string {
	r, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		f.Fatal(err)
	}
	r.Header.Set("Sec-Fetch-Site", "none") // as if typed in the browser
	answer, err := f.browser.Do(r)
	if err != nil {
		f.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		f.Fatal(err)
	}
	return string(text)
}

// inText asks twice, in a format for programs and in one for people, and returns both
// answers as one.
func (f *faces) inText(ask func(format string) (stdout, stderr string)) (t heard) {
	f.Helper()
	out, said := ask("json")
	t.rows = f.recordsOf(out)
	table, again := ask("table")
	if said != again {
		f.Errorf("with --format json: %s\nwith --format table: %s", said, again)
	}
	t.shown = []grid{inLines(table)}
	t.count = counted(table)
	for line := range strings.Lines(said) {
		t.notices = append(t.notices, strings.TrimSpace(strings.TrimPrefix(line, "hindsql: ")))
	}
	if t.shown[0].heads == nil {
		t.failure, t.notices = strings.TrimPrefix(strings.TrimSpace(said), "hindsql: "), nil
	}
	return t
}

// onCommandLine asks by an argument, or by run.
func (f *faces) onCommandLine(q asking) heard {
	args := []string{q.sql}
	if q.name != "" {
		args = append([]string{"run", q.name}, q.given...)
	}
	return f.inText(func(format string) (string, string) {
		e, stdout, stderr := f.program(append(args, "--format", format)...)
		_ = execute(context.Background(), e)
		return stdout.String(), stderr.String()
	})
}

// line returns the question as a line for the prompt.
func (q *asking) line() string {
	if q.name == "" {
		return q.sql + ";"
	}
	line := ".run " + q.name
	for _, given := range q.given {
		line += " " + given
	}
	return line
}

// fromFile asks by -f.
func (f *faces) fromFile(q asking) heard {
	path := filepath.Join(f.TempDir(), "x.sql")
	put(f.T, path, q.line()+"\n")
	t := f.inText(func(format string) (string, string) {
		e, stdout, stderr := f.program("-f", path, "--format", format)
		_ = execute(context.Background(), e)
		return stdout.String(), stderr.String()
	})
	t.failure = strings.TrimPrefix(t.failure, path+":1: ")
	return t
}

// atPrompt asks at a prompt on a wide terminal.
func (f *faces) atPrompt(q asking) heard {
	return f.inText(func(format string) (string, string) {
		e, stdout, stderr := f.program("--format", format)
		e.editor, e.interrupts = &typist{screen: io.Discard, lines: []string{q.line()}}, &interrupts{}
		e.stdinTerminal, e.stdoutTerminal, e.width = true, true, 5000
		_ = execute(context.Background(), e)
		return stdout.String(), stderr.String()
	})
}

// asAgent asks with the tools query and run.
func (f *faces) asAgent(q asking) (t heard) {
	tool, arguments := "query", map[string]any{"sql": q.sql}
	if q.name != "" {
		params := map[string]any{}
		for _, given := range q.given {
			name, value, _ := strings.Cut(given, "=")
			params[name] = value
		}
		tool, arguments = "run", map[string]any{"name": q.name, "params": params, "cell_chars": 100_000}
	}
	answer, err := f.agent().CallTool(context.Background(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		f.Fatal(err)
	}
	text := answer.Content[0].(*sdk.TextContent).Text
	if answer.IsError {
		t.failure = strings.TrimSpace(regexp.MustCompile(`(?m)^error; .*:$|^</?recorded-\w+>$`).ReplaceAllString(text, ""))
		return t
	}
	var content struct {
		Columns  []struct{ Name string }
		Rows     [][]json.RawMessage
		Warnings []string
	}
	b, err := json.Marshal(answer.StructuredContent)
	if err == nil {
		err = json.Unmarshal(b, &content)
	}
	if err != nil {
		f.Fatal(err)
	}
	for _, c := range content.Columns {
		t.rows.columns = append(t.rows.columns, c.Name)
	}
	for _, row := range content.Rows {
		t.rows.values = append(t.rows.values, compact(row))
	}
	t.notices = content.Warnings
	t.shown = []grid{inMarkdown("agent", text, strings.NewReplacer(`\|`, "|", "<br>", "\n"))}
	return t
}

// onPage asks on the pages for SQL and saved queries, and downloads the rows.
func (f *faces) onPage(q asking) (t heard) {
	values := url.Values{"sql": {q.sql}}
	page, file := "/sql?"+values.Encode(), "/sql?format=json&"+values.Encode()
	if q.name != "" {
		values = url.Values{}
		for _, given := range q.given {
			name, value, _ := strings.Cut(given, "=")
			values.Set(name, value)
		}
		page, file = "/query/"+q.name+"?"+values.Encode(), "/query/"+q.name+".json?"+values.Encode()
	}
	text := f.fetched(f.base + page)
	if m := regexp.MustCompile(`<p class="behind" role="status">(.*?)</p>`).FindStringSubmatch(text); m != nil {
		t.notices = append(t.notices, html.UnescapeString(m[1]))
	}
	_, result, isAnswered := strings.Cut(text, `<section class="result"`)
	if isAnswered {
		text = result // the query's description precedes it
	}
	for _, m := range regexp.MustCompile(`(?s)<p class="(note|wrong|trouble)"[^>]*>(.*?)</p>\n(<pre class="place">(.*?)</pre>)?`).FindAllStringSubmatch(text, -1) {
		said := html.UnescapeString(m[2])
		if m[1] == "note" {
			t.notices = append(t.notices, said)
			continue
		}
		t.failure = strings.TrimSpace(said + "\n" + html.UnescapeString(m[4]))
	}
	if t.failure != "" {
		return t
	}
	if m := regexp.MustCompile(`<h2 id="result-title">(.*?)</h2>`).FindStringSubmatch(result); m != nil {
		t.count = html.UnescapeString(m[1])
	}
	result, _, _ = strings.Cut(result, "</section>")
	t.shown = []grid{onPaper("page", result)}
	t.rows = f.recordsOf(f.fetched(f.base + file))
	return t
}

// recordsOf reads an array of objects with fields in column order.
func (f *faces) recordsOf(text string) (r records) {
	at := strings.Index(text, "[")
	if at < 0 {
		return r
	}
	d := json.NewDecoder(strings.NewReader(text[at:]))
	_, _ = d.Token()
	for d.More() {
		var object json.RawMessage
		if err := d.Decode(&object); err != nil {
			f.Fatalf("%v: %s", err, text)
		}
		fields := json.NewDecoder(bytes.NewReader(object))
		_, _ = fields.Token()
		var names, row []string
		for fields.More() {
			name, err := fields.Token()
			var value json.RawMessage
			if err == nil {
				err = fields.Decode(&value)
			}
			if err != nil {
				f.Fatalf("%v: %s", err, object)
			}
			names, row = append(names, fmt.Sprint(name)), append(row, compact([]json.RawMessage{value})...)
		}
		r.columns, r.values = names, append(r.values, row)
	}
	return r
}

// compact returns values without blanks between them.
func compact(values []json.RawMessage) (list []string) {
	for _, v := range values {
		var b bytes.Buffer
		_ = json.Compact(&b, v)
		list = append(list, b.String())
	}
	return list
}
