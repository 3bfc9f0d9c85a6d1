package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"hindsql/cmd/hindsql/ask"
	"hindsql/cmd/hindsql/mcp"
	"hindsql/engine"
	"hindsql/queries"
	"hindsql/readers"
	"hindsql/readers/all"
	"hindsql/readers/sample"
)

// home is a folder with logs: the sample's, or a test's own.
type home struct {
	t      testing.TB
	folder string
	safe   engine.Safe
	scope  string
}

func sampleHome(t testing.TB) *home {
	t.Helper()
	folder, err := sample.Write(t.TempDir())
	must(t, err)
	return &home{t: t, folder: folder}
}

// onSample returns a client of the shared server on the sample.
func onSample(t *testing.T) *client {
	t.Helper()
	return connect(t, sampleServer(), nil)
}

// sampleServer is the tests' shared server. The store of the process stays open.
var sampleServer = sync.OnceValue(func() *mcp.Server {
	folder, err := os.MkdirTemp(testFolder, "sample")
	if err == nil {
		folder, err = sample.Write(folder)
	}
	if err != nil {
		panic(err)
	}
	h := &home{folder: folder}
	source, err := ask.Open(context.Background(), h.config(filepath.Join(testFolder, "sample.duckdb")), saved)
	if err != nil {
		panic(err)
	}
	return h.serverOf(source)
})

// testFolder is removed when the tests end.
var testFolder string

func TestMain(m *testing.M) {
	engine.Worker()
	var err error
	if testFolder, err = os.MkdirTemp("", "mcp"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(testFolder)
	os.Exit(code)
}

func emptyHome(t testing.TB) *home {
	t.Helper()
	return &home{t: t, folder: t.TempDir()}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// session writes the log of a session in a project. Each text becomes a prompt.
func (h *home) session(id, project string, texts ...string) {
	h.t.Helper()
	var b strings.Builder
	for i, text := range texts {
		line, err := json.Marshal(map[string]any{
			"type": "user", "uuid": fmt.Sprintf("%s-%d", id, i), "sessionId": id, "cwd": project, "version": "2.1.0", "userType": "external",
			"timestamp": fmt.Sprintf("2026-10-01T09:%02d:%02d.000Z", i/60, i%60), "message": map[string]any{"role": "user", "content": text},
		})
		must(h.t, err)
		b.Write(append(line, '\n'))
	}
	path := filepath.Join(h.folder, ".claude", "projects", strings.ReplaceAll(project, "/", "-"), id+".jsonl")
	must(h.t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(h.t, os.WriteFile(path, []byte(b.String()), 0o600))
}

// config returns the configuration of a store on the home's logs.
func (h *home) config(store string) engine.Config {
	return engine.Config{
		Store: store, Readers: all.Readers(), Hostname: "here", Timezone: "UTC", Safe: &h.safe, Patience: mcp.Patience,
		Host: readers.Host{OS: "linux", Home: h.folder, Getenv: func(string) string { return "" }},
	}
}

func (h *home) serverOf(source *ask.Source) *mcp.Server {
	return mcp.New(mcp.Config{Source: source, Version: "1", Home: h.folder, Scope: h.scope})
}

// saved returns the built-in queries.
func saved() ([]*queries.Query, error) { return queries.All("") }

// server returns a server with a store on the home's logs.
func (h *home) server() *mcp.Server {
	h.t.Helper()
	return h.serverWith(saved)
}

// serverWith returns a server with the given saved queries.
func (h *home) serverWith(saved func() ([]*queries.Query, error)) *mcp.Server {
	h.t.Helper()
	source, err := ask.Open(context.Background(), h.config(filepath.Join(h.t.TempDir(), "store.duckdb")), saved)
	must(h.t, err)
	h.t.Cleanup(func() { must(h.t, source.Close()) })
	return h.serverOf(source)
}

// client is a connected client that sends a test's requests.
type client struct {
	*sdk.ClientSession
	t testing.TB
}

func (h *home) client(o *sdk.ClientOptions) *client {
	h.t.Helper()
	return connect(h.t, h.server(), o)
}

func connect(t testing.TB, s *mcp.Server, o *sdk.ClientOptions) *client {
	t.Helper()
	ours, theirs := sdk.NewInMemoryTransports()
	served, err := s.SDK().Connect(context.Background(), ours, nil)
	must(t, err)
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, o).Connect(context.Background(), theirs, nil)
	must(t, err)
	t.Cleanup(func() {
		_ = session.Close()
		_ = served.Wait()
	})
	return &client{session, t}
}

// answer is the structured content and the text of a result.
type answer struct {
	About, Fence, Next, Notice string
	Columns                    []struct{ Name, Type string }
	Rows                       [][]any
	SyncedAt                   string `json:"synced_at"`
	Truncated                  bool
	Warnings                   []string
	text, wrong                string // wrong is the text of an error
	structured                 []byte
}

// chars returns the characters that count against the bound.
func (a *answer) chars() int { return len([]rune(string(a.structured))) + len([]rune(a.text)) }

// call calls a tool.
func (c *client) call(name string, arguments map[string]any) *answer {
	c.t.Helper()
	r, err := c.CallTool(context.Background(), &sdk.CallToolParams{Name: name, Arguments: arguments})
	must(c.t, err)
	text := r.Content[0].(*sdk.TextContent).Text
	if r.IsError {
		return &answer{wrong: text}
	}
	a := &answer{text: text}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	must(c.t, e.Encode(r.StructuredContent))
	a.structured = []byte(strings.TrimSpace(b.String()))
	must(c.t, json.Unmarshal(a.structured, a))
	return a
}

func (c *client) query(sql string) *answer {
	c.t.Helper()
	a := c.call("query", map[string]any{"sql": sql})
	if a.wrong != "" {
		c.t.Fatalf("%s: %s", sql, a.wrong)
	}
	return a
}

// allRows follows the cursors to the end.
func (c *client) allRows(tool string, arguments map[string]any) (rows [][]any, pages int) {
	c.t.Helper()
	for {
		a := c.call(tool, arguments)
		if a.wrong != "" {
			c.t.Fatalf("%v: %s", arguments, a.wrong)
		}
		rows, pages = append(rows, a.Rows...), pages+1
		if a.Truncated != (a.Next != "") {
			c.t.Fatalf("%v: truncated %v, next %q", arguments, a.Truncated, a.Next)
		}
		if a.Next == "" {
			return rows, pages
		}
		arguments["cursor"] = a.Next
	}
}

// refusal writes the log of a session with a refused command and the reason.
func (h *home) refusal(id, project, command, reason string) {
	h.t.Helper()
	line := func(n int, role string, content any, more map[string]any) []byte {
		l := map[string]any{
			"type": role, "uuid": fmt.Sprintf("%s-%d", id, n), "sessionId": id, "cwd": project, "version": "2.1.0", "userType": "external",
			"timestamp": fmt.Sprintf("2026-10-01T09:00:%02d.000Z", n), "message": map[string]any{"role": role, "id": id + "-message", "content": content},
		}
		for k, v := range more {
			l[k] = v
		}
		b, err := json.Marshal(l)
		must(h.t, err)
		return append(b, '\n')
	}
	use := id + "-use"
	text := line(1, "assistant", []any{map[string]any{"type": "tool_use", "id": use, "name": "Bash", "input": map[string]any{"command": command}}}, nil)
	said := "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). To tell you how to proceed, the user said:\n" + reason
	text = append(text, line(2, "user", []any{map[string]any{"type": "tool_result", "tool_use_id": use, "is_error": true, "content": said}}, map[string]any{"toolUseResult": "Error: " + said})...)
	path := filepath.Join(h.folder, ".claude", "projects", strings.ReplaceAll(project, "/", "-"), id+".jsonl")
	must(h.t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(h.t, os.WriteFile(path, text, 0o600))
}
