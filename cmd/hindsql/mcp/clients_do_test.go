package mcp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hindsql/cmd/hindsql/mcp"
	"hindsql/readers/sample"
)

// TestClients checks other vendors' clients with hindsql, over standard input and
// output and over HTTP. `make e2e-mcp` gets the clients from PyPI and npm.
func TestClients(t *testing.T) {
	folder := os.Getenv("HINDSQL_MCP_CLIENTS")
	if folder == "" {
		t.Skip("$HINDSQL_MCP_CLIENTS is not set; `make e2e-mcp` sets it")
	}
	home, err := sample.Write(t.TempDir())
	must(t, err)
	sync := exec.Command(binary(t), "sync")
	sync.Env = os.Environ()
	for name, value := range environment(home) {
		sync.Env = append(sync.Env, name+"="+value)
	}
	if out, err := sync.CombinedOutput(); err != nil {
		t.Fatalf("sync: %v\n%s", err, out)
	}
	for _, f := range chosen(t) {
		t.Run(f.name+" over stdio", func(t *testing.T) { doAll(t, f.run(t, folder, f.mode, stdioServer(t, home, "--all")), f.protocol) })
		t.Run(f.name+" over HTTP", func(t *testing.T) { doAll(t, f.run(t, folder, f.mode, httpServer(t, home, "--all")), f.protocol) })
	}
}

// doAll makes a client do all its operations.
func doAll(t *testing.T, c *foreign, protocol string) {
	c.protocol = protocol
	for _, do := range []struct {
		name string
		do   func(*testing.T, *foreign)
	}{
		{"hello", doHello}, {"lists", doLists}, {"tools", doTools}, {"mistake", doMistake}, {"next", doNext}, {"cut cell", doCutCell},
		{"resources", doResources}, {"prompts", doPrompts}, {"cancel", doCancel},
	} {
		t.Run(do.name, func(t *testing.T) { do.do(t, c) })
	}
}

func doHello(t *testing.T, c *foreign) {
	if c.line {
		t.Skip("the inspector doesn't say")
	}
	hello := get[struct {
		Protocol, Instructions string
		Server                 struct{ Name, Version string }
		Capabilities           map[string]any
	}](t, c, request{"op": "hello"})
	if hello.Protocol != c.protocol || hello.Server.Name != "hindsql" || hello.Server.Version == "" || !strings.Contains(hello.Instructions, "never an instruction") {
		t.Errorf("%+v", hello)
	}
	for _, name := range []string{"tools", "resources", "prompts"} {
		if hello.Capabilities[name] == nil {
			t.Errorf("no %s in %v", name, hello.Capabilities)
		}
	}
}

// things is a list of tools, prompts, resources or templates.
type things struct {
	Items []struct{ Name, URI, URITemplate, Description string }
	Pages int
}

func doLists(t *testing.T, c *foreign) {
	list := func(op string) (names []string) {
		for _, i := range get[things](t, c, request{"op": op}).Items {
			names = append(names, i.Name)
		}
		return names
	}
	if got := list("tools"); !cmp.Equal(got, slices.Sorted(slices.Values(mcp.ToolNames()))) {
		t.Errorf("tools %v", got)
	}
	if got := list("prompts"); !cmp.Equal(got, []string{"review-my-refusals", "rules-from-refusals", "what-happened-in"}) {
		t.Errorf("prompts %v", got)
	}
	if got := list("templates"); !cmp.Equal(got, []string{"query", "session", "table"}) {
		t.Errorf("templates %v", got)
	}
	if got := list("resources"); !slices.Contains(got, "rejections") || !slices.Contains(got, "messages") || len(got) < 40 {
		t.Errorf("resources %v", got)
	}
}

// given is a tool's result as the client's library returns it.
type given struct {
	Content           []struct{ Text string }
	StructuredContent json.RawMessage
	IsError           bool
	Cancelled         bool
	Progress          []struct {
		Done    float64
		Message string
	}
}

// call calls a tool, and returns the structured content and the text of its result.
func (c *foreign) call(t *testing.T, name string, arguments request) *answer {
	t.Helper()
	g := get[given](t, c, request{"op": "call", "name": name, "arguments": arguments})
	if g.IsError || g.Cancelled || len(g.Content) != 1 {
		t.Fatalf("%s %v: %+v", name, arguments, g)
	}
	a := &answer{text: g.Content[0].Text, structured: g.StructuredContent}
	must(t, json.Unmarshal(g.StructuredContent, a))
	return a
}

func doTools(t *testing.T, c *foreign) {
	if a := c.call(t, "describe", request{"name": "rejections"}); !strings.Contains(a.text, "decided_by") {
		t.Error(a.text)
	}
	a := c.call(t, "query", request{"sql": "SELECT count(*) AS n, $word AS w FROM messages", "params": request{"word": "ü</recorded>"}})
	if len(a.Rows) != 1 || a.Rows[0][0].(float64) < 100 || a.Rows[0][1] != "ü</recorded>" || a.Columns[1].Name != "w" {
		t.Errorf("%+v", a)
	}
	a = c.call(t, "run", request{"name": "rejections", "params": request{"since": "2026-01-01", "project": "shop"}})
	if len(a.Rows) < 3 || !strings.Contains(a.text, a.Fence) || !strings.Contains(a.text, "never run migrations") {
		t.Errorf("%+v", a)
	}
}

func doMistake(t *testing.T, c *foreign) {
	g := get[given](t, c, request{"op": "call", "name": "query", "arguments": request{"sql": "SELECT 1,\n nope FROM messages"}})
	if !g.IsError || !strings.Contains(g.Content[0].Text, "LINE 2:") || !strings.Contains(g.Content[0].Text, "nope") {
		t.Errorf("%+v", g)
	}
	if r := c.ask(t, request{"op": "read", "uri": "hindsql://tables/mesages"}); r.Error == nil || !strings.Contains(r.Error.Message, "did you mean messages?") {
		t.Errorf("%+v", r)
	}
}

// doNext checks that the pages together have the rows of a single large page.
func doNext(t *testing.T, c *foreign) {
	const sql = "SELECT session_id, message_index, tool_name FROM tool_calls ORDER BY ALL"
	whole := c.call(t, "query", request{"sql": sql, "max_rows": 1000, "max_chars": 200_000})
	rows := 20
	if c.line { // each page starts a process
		rows = 60
	}
	arguments, got := request{"sql": sql, "max_rows": rows}, [][]any{}
	for {
		a := c.call(t, "query", arguments)
		got = append(got, a.Rows...)
		if !a.Truncated {
			break
		}
		arguments["cursor"] = a.Next
	}
	if whole.Truncated || len(got) <= rows || !cmp.Equal(got, whole.Rows) {
		t.Errorf("%d rows in pages, %d in one go", len(got), len(whole.Rows))
	}
}

func doCutCell(t *testing.T, c *foreign) {
	const sql = "SELECT %s FROM messages WHERE length(text) > 300 ORDER BY session_id, message_index LIMIT 1"
	cut := c.call(t, "query", request{"sql": fmt.Sprintf(sql, "text, length(text)"), "cell_chars": 50})
	text, length := cut.Rows[0][0].(string), int(cut.Rows[0][1].(float64))
	kept, ok := strings.CutSuffix(text, fmt.Sprintf("…[50 of %d characters]", length))
	if !ok || !strings.Contains(cut.Notice, "substr(column, 51)") {
		t.Fatalf("%s\n%s", text, cut.Notice)
	}
	rest := c.call(t, "query", request{"sql": fmt.Sprintf(sql, "substr(text, 51)"), "cell_chars": 100_000}).Rows[0][0].(string)
	whole := c.call(t, "query", request{"sql": fmt.Sprintf(sql, "text"), "cell_chars": 100_000}).Rows[0][0].(string)
	if kept+rest != whole || len([]rune(whole)) != length {
		t.Errorf("%s|%s\nwant %s", kept, rest, whole)
	}
}

func (c *foreign) read(t *testing.T, uri string) string {
	t.Helper()
	r := get[struct {
		Contents []struct{ URI, MimeType, Text string }
	}](t, c, request{"op": "read", "uri": uri})
	if len(r.Contents) != 1 || r.Contents[0].MimeType != "text/markdown" {
		t.Fatalf("%s: %+v", uri, r)
	}
	return r.Contents[0].Text
}

func doResources(t *testing.T, c *foreign) {
	for uri, want := range map[string]string{
		"hindsql://tables/messages":         "| text | VARCHAR |",
		"hindsql://queries/rejections":      "| since | TIMESTAMPTZ |",
		"hindsql://session/9a3f50d7":        "refused by you",
		"hindsql://session/9a3f50d7:4":      "a contrast of 7.4",
		"hindsql://session/9a3f50d7?from=2": "### ",
	} {
		if text := c.read(t, uri); !strings.Contains(text, want) {
			t.Errorf("%s lacks %s:\n%s", uri, want, text)
		}
	}
}

func doPrompts(t *testing.T, c *foreign) {
	for name, p := range map[string]struct {
		arguments request
		want      string
	}{
		"review-my-refusals":  {request{"since": "2026-01-01"}, "never run migrations"},
		"rules-from-refusals": {request{"since": "2026-01-01", "project": "shop"}, "never run migrations"},
		"what-happened-in":    {request{"session": "9a3f50d7"}, "promo box"},
	} {
		r := get[struct {
			Messages []struct {
				Role    string
				Content struct{ Text string }
			}
		}](t, c, request{"op": "prompt", "name": name, "arguments": p.arguments})
		if len(r.Messages) != 1 || r.Messages[0].Role != "user" || !strings.Contains(r.Messages[0].Content.Text, p.want) {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// long is a statement that would run for hours.
const long = "SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE a.range * b.range = 7"

// doCancel checks that a cancelled statement ends, and that the server answers the next
// call at once. Over HTTP, a client of an old version can't cancel: the time limit ends
// the statement.
func doCancel(t *testing.T, c *foreign) {
	if c.line {
		t.Skip("the inspector can't")
	}
	if g := get[given](t, c, request{"op": "call", "name": "query", "arguments": request{"sql": long}, "cancel_after": 1.0}); !g.Cancelled {
		t.Fatalf("%+v", g)
	}
	if g := get[given](t, c, request{"op": "call", "name": "query", "arguments": request{"sql": "SELECT 42 AS n"}, "cancel_after": 25.0}); g.Cancelled || g.IsError {
		t.Errorf("the server isn't free: %+v", g)
	}
	if c.served.URL != "" && c.protocol < "2026-07-28" {
		return
	}
	if !c.served.idle(t) {
		t.Error("the statement goes on")
	}
}

// TestClientsHearProgress checks the progress of a long first load.
func TestClientsHearProgress(t *testing.T) {
	folder := os.Getenv("HINDSQL_MCP_CLIENTS")
	if folder == "" {
		t.Skip("$HINDSQL_MCP_CLIENTS is not set; `make e2e-mcp` sets it")
	}
	home := &home{t: t, folder: t.TempDir()}
	var prompts []string
	for i := range 2000 {
		prompts = append(prompts, fmt.Sprint("prompt ", i, strings.Repeat(" and more", 500)))
	}
	for i := range 12 {
		home.session(fmt.Sprintf("s%02d", i), "/w/shop", prompts...)
	}
	for _, f := range chosen(t) {
		for _, way := range []string{"stdio", "HTTP"} {
			t.Run(f.name+" over "+way, func(t *testing.T) {
				must(t, os.RemoveAll(filepath.Join(home.folder, "store")))
				var c *foreign
				if way == "HTTP" {
					c = f.run(t, folder, f.mode, httpServer(t, home.folder, "--all"))
				} else {
					c = f.run(t, folder, f.mode, stdioServer(t, home.folder, "--all"))
				}
				if c.line {
					t.Skip("the inspector doesn't say")
				}
				g := get[given](t, c, request{"op": "call", "name": "query", "arguments": request{"sql": "SELECT count(*) FROM messages"}, "progress": true})
				if len(g.Progress) == 0 || !strings.Contains(g.Progress[0].Message, "logs") || !strings.Contains(g.Content[0].Text, "24000") {
					t.Errorf("%+v", g)
				}
				for i := 1; i < len(g.Progress); i++ {
					if g.Progress[i].Done <= g.Progress[i-1].Done {
						t.Errorf("it went back: %+v", g.Progress)
					}
				}
			})
		}
	}
}
