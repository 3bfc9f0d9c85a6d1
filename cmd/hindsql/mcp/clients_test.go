package mcp_test

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// vendor is another vendor's client, and the function that runs the client.
type vendor struct {
	name, mode, protocol string
	run                  func(t *testing.T, folder, mode string, s *served) *foreign
}

// fleet lists other vendors' clients, in a folder that `make e2e-mcp` fills from PyPI
// and npm. Each client negotiates a version of the protocol; the inspector doesn't show
// its version.
var fleet = []vendor{
	{"Python 2.3.0", "auto", "2026-07-28", python},
	{"Python 2.3.0 legacy", "legacy", "2025-11-25", python},
	{"TypeScript 2.4.0", "auto", "2026-07-28", typescript},
	{"TypeScript 2.4.0 legacy", "legacy", "2025-11-25", typescript},
	{"TypeScript 1.32.2", "first", "2025-11-25", typescript},
	{"inspector 2.12.0", "modern", "", inspector},
	{"inspector 2.12.0 legacy", "legacy", "", inspector},
}

// chosen returns the clients whose names contain $HINDSQL_MCP_CLIENT; all if unset.
func chosen(t *testing.T) []vendor {
	t.Helper()
	part := os.Getenv("HINDSQL_MCP_CLIENT")
	var names []string
	list := slices.DeleteFunc(slices.Clone(fleet), func(f vendor) bool {
		names = append(names, f.name)
		return !strings.Contains(f.name, part)
	})
	if len(list) == 0 {
		t.Fatalf("no client's name contains CLIENT=%s; the clients are:\n%s", part, strings.Join(names, "\n"))
	}
	return list
}

// served is a hindsql that a client starts or connects to.
type served struct {
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	Cwd     string            `json:"cwd,omitempty"`
	URL     string            `json:"url,omitempty"`
	Token   string            `json:"token,omitempty"`

	pids string // path of the file with the server's process id
}

// foreign is another vendor's client, which asks a server on the test's behalf.
type foreign struct {
	protocol string
	served   *served
	line     bool // the client runs one operation a process: no cancelling, no progress
	ask      func(t *testing.T, op request) reply
}

// request is a line of client.py and client.mjs.
type request map[string]any

// reply is the result of the client's library, as JSON.
type reply struct {
	OK    json.RawMessage `json:"ok"`
	Error *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
}

// get decodes a client's reply. An error ends the test.
func get[T any](t *testing.T, c *foreign, op request) T {
	t.Helper()
	r := c.ask(t, op)
	if r.Error != nil {
		t.Fatalf("%v: %d %s %s", op, r.Error.Code, r.Error.Message, r.Error.Data)
	}
	var v T
	if err := json.Unmarshal(r.OK, &v); err != nil {
		t.Fatalf("%v: %s: %v", op, r.OK, err)
	}
	return v
}

func python(t *testing.T, folder, mode string, s *served) *foreign {
	script, _ := filepath.Abs("testdata/clients/client.py")
	return conversing(t, s, exec.Command(filepath.Join(folder, "python", "bin", "python"), script, asJSON(s), mode))
}

func typescript(t *testing.T, folder, mode string, s *served) *foreign {
	script, _ := filepath.Abs("testdata/clients/client.mjs")
	cmd := exec.Command(filepath.Join(folder, "node", "node_modules", ".bin", "node"), script, asJSON(s), mode)
	cmd.Dir = filepath.Join(folder, "node")
	return conversing(t, s, cmd)
}

func asJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// conversing starts a client that reads requests and writes replies line by line.
func conversing(t *testing.T, s *served, cmd *exec.Cmd) *foreign {
	t.Helper()
	in, err := cmd.StdinPipe()
	must(t, err)
	out, err := cmd.StdoutPipe()
	must(t, err)
	cmd.Stderr = &shown{t: t}
	must(t, cmd.Start())
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: %v", cmd.Path, err)
		}
	})
	lines := bufio.NewReaderSize(out, 1<<20)
	return &foreign{served: s, ask: func(t *testing.T, op request) (r reply) {
		t.Helper()
		if _, err := io.WriteString(in, asJSON(op)+"\n"); err != nil {
			t.Fatal(err)
		}
		line, err := lines.ReadBytes('\n')
		if err != nil {
			t.Fatalf("%v: %v", op, err)
		}
		must(t, json.Unmarshal(line, &r))
		return r
	}}
}

// shown copies a client's standard error to the test's log.
type shown struct{ t *testing.T }

// Write logs the text.
func (s *shown) Write(b []byte) (int, error) {
	s.t.Logf("%s", strings.TrimSpace(string(b)))
	return len(b), nil
}

// inspector starts the inspector anew for each request.
func inspector(t *testing.T, folder, mode string, s *served) *foreign {
	node := filepath.Join(folder, "node", "node_modules")
	home := t.TempDir()
	config := filepath.Join(home, "servers.json")
	server := map[string]any{"type": "streamable-http", "url": s.URL, "headers": map[string]string{"Authorization": "Bearer " + s.Token}}
	if s.URL == "" {
		server = map[string]any{"type": "stdio", "command": s.Command, "args": s.Args, "env": s.Env, "cwd": s.Cwd}
	}
	must(t, os.WriteFile(config, []byte(asJSON(map[string]any{"mcpServers": map[string]any{"hindsql": server}})), 0o600))
	return &foreign{served: s, line: true, ask: func(t *testing.T, op request) (r reply) {
		t.Helper()
		args := append([]string{filepath.Join(node, "@modelcontextprotocol", "inspector", "clients", "launcher", "build", "index.js"), "--cli",
			"--config", config, "--server", "hindsql", "--protocol-era", mode, "--format", "json", "--quiet"}, inspected(t, op)...)
		cmd := exec.Command(filepath.Join(node, ".bin", "node"), args...)
		cmd.Env = append(os.Environ(), "HOME="+home)
		var said strings.Builder
		cmd.Stderr = &said
		out, err := cmd.Output()
		if err != nil && len(out) == 0 {
			r.Error = &struct {
				Code    int             `json:"code"`
				Message string          `json:"message"`
				Data    json.RawMessage `json:"data"`
			}{cmd.ProcessState.ExitCode(), said.String(), nil}
			return r
		}
		r.OK = resourceList(t, op, out)
		return r
	}}
}

// inspected returns the inspector's flags for a request.
func inspected(t *testing.T, op request) []string {
	switch op["op"] {
	case "tools", "prompts", "resources":
		return []string{"--method", op["op"].(string) + "/list"}
	case "templates":
		return []string{"--method", "resources/templates/list"}
	case "call":
		arguments := op["arguments"]
		if arguments == nil {
			arguments = request{}
		}
		return []string{"--method", "tools/call", "--tool-name", op["name"].(string), "--tool-args-json", asJSON(arguments)}
	case "read":
		return []string{"--method", "resources/read", "--uri", op["uri"].(string)}
	case "prompt":
		args := []string{"--method", "prompts/get", "--prompt-name", op["name"].(string)}
		given, _ := op["arguments"].(request)
		for name, value := range given {
			args = append(args, "--prompt-args", name+"="+value.(string))
		}
		return args
	}
	t.Skipf("the inspector has no %v", op["op"])
	return nil
}

// resourceList converts the inspector's answer to the form of the other clients' answers.
func resourceList(t *testing.T, op request, out []byte) json.RawMessage {
	t.Helper()
	fields := map[string]string{"tools": "tools", "prompts": "prompts", "resources": "resources", "templates": "resourceTemplates"}
	var answer map[string]json.RawMessage
	if err := json.Unmarshal(out, &answer); err != nil {
		t.Fatalf("%v: %s: %v", op, out, err)
	}
	if whole, ok := answer["result"]; ok {
		must(t, json.Unmarshal(whole, &answer))
		out = whole
	}
	if field, ok := fields[op["op"].(string)]; ok {
		return json.RawMessage(asJSON(map[string]any{"items": answer[field], "pages": 1}))
	}
	return out
}

// stdioServer returns the command with which a client starts hindsql, on a home. A
// shell writes down the server's process id.
func stdioServer(t *testing.T, home string, flags ...string) *served {
	pids := filepath.Join(t.TempDir(), "pid")
	return &served{
		Command: "/bin/sh", Args: append([]string{"-c", `echo $$ >` + pids + `; exec "$@"`, "sh", binary(t), "mcp"}, flags...),
		Env: environment(home), Cwd: home, pids: pids,
	}
}

func environment(home string) map[string]string {
	return map[string]string{"HOME": home, "XDG_DATA_HOME": filepath.Join(home, ".local", "share"), "TZ": "UTC", "HINDSQL_STORE": filepath.Join(home, "store", "hindsql.duckdb")}
}

// httpServer starts hindsql on a port of this machine, until the test ends.
func httpServer(t *testing.T, home string, flags ...string) *served {
	t.Helper()
	s := &served{Token: "token-of-the-e2e-test", Env: environment(home), pids: filepath.Join(t.TempDir(), "pid")}
	cmd := exec.Command(binary(t), append([]string{"mcp", "--http", "127.0.0.1:0"}, flags...)...)
	cmd.Dir, cmd.Env = home, append(os.Environ(), "HINDSQL_TOKEN="+s.Token)
	for name, value := range s.Env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	said, err := cmd.StderrPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
	must(t, os.WriteFile(s.pids, []byte(asJSON(cmd.Process.Pid)), 0o600))
	lines := bufio.NewReader(said)
	for s.URL == "" {
		line, err := lines.ReadString('\n')
		if at := strings.Index(line, "http://127."); at >= 0 {
			s.URL = strings.Trim(strings.Fields(line[at:])[0], ".,;:")
		}
		if err != nil && s.URL == "" {
			t.Fatalf("mcp --http said no address: %v", err)
		}
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	return s
}

// binary returns the path of the tested hindsql.
func binary(t *testing.T) string {
	t.Helper()
	path := os.Getenv("HINDSQL_BINARY")
	if path == "" {
		t.Skip("$HINDSQL_BINARY is not set; `make e2e-mcp` sets it")
	}
	return path
}

// idle waits until the server's process stops working, and reports whether it did.
func (s *served) idle(t *testing.T) bool {
	t.Helper()
	for range 40 {
		before := s.ticks(t)
		time.Sleep(500 * time.Millisecond)
		if s.ticks(t)-before <= 5 { // a tenth of a processor
			return true
		}
	}
	return false
}

// ticks returns the processor time that the server's process has used, in hundredths of
// a second.
func (s *served) ticks(t *testing.T) (sum int) {
	t.Helper()
	pid, err := os.ReadFile(s.pids)
	must(t, err)
	stat, err := os.ReadFile("/proc/" + strings.TrimSpace(string(pid)) + "/stat")
	must(t, err)
	_, after, _ := strings.Cut(string(stat), ") ")
	for _, field := range strings.Fields(after)[11:13] {
		var n int
		must(t, json.Unmarshal([]byte(field), &n))
		sum += n
	}
	return sum
}
