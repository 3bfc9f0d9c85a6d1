package register

import (
	"slices"
	"strings"
	"testing"

	"hindsql/readers"
	"hindsql/readers/all"
)

var server = Server{Program: "/opt/hind sql", Args: []string{"mcp", "--store", `C:\a "b"`, "<&>", "ARGS"}}

// TestEntry: an entry is in the format of its file, with the command line unchanged.
func TestEntry(t *testing.T) {
	for path, want := range map[string]string{
		"x.json": `{
  "mcp": {
    "servers": {
      "hindsql": {
        "type": "stdio",
        "command": "/opt/hind sql",
        "args": [
          "mcp",
          "--store",
          "C:\\a \"b\"",
          "<&>",
          "ARGS"
        ]
      }
    }
  }
}
`,
		"x.toml": `[mcp.servers.hindsql]
args = ["mcp", "--store", "C:\\a \"b\"", "<&>", "ARGS"]
command = "/opt/hind sql"
type = "stdio"
`,
	} {
		p := Place{Agent: &readers.Reader{Servers: readers.Servers{Key: []string{"mcp", "servers"}, Entry: `{"type": "stdio", "command": PROGRAM, "args": ARGS}`}}, Path: path}
		if got := p.Entry(server); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", path, got, want)
		}
	}
}

// TestForms: the command line is found in each form of a settings file. A file that
// can't be read is an error with the file's name.
func TestForms(t *testing.T) {
	for _, c := range []struct{ path, text, line, err string }{
		{"x.json", "", "", ""},
		{"x.json", "// mine\n{\"mcpServers\": {\"hindsql\": {\"command\": \"a\", \"args\": [\"b\"],},},}", "a b", ""},
		{"x.json", `{"mcpServers": {"hindsql": {"command": ["a", "b"]}}}`, "a b", ""},
		{"x.json", `{"mcpServers": []}`, "", ""},
		{"x.json", "{\n  \"a\": ", "", "x.json: hujson: line 2"},
		{"x.json", "[]", "", "x.json: json: cannot unmarshal array"},
		{"x.toml", "[mcpServers.hindsql]\ncommand = 'a'\nargs = ['b']\n", "a b", ""},
		{"x.toml", "mcpServers = {hindsql = {command = 'a'}}", "a", ""},
		{"x.toml", "a = 1\nb = \n", "", "x.toml: toml: line 2"},
	} {
		p := Place{Agent: &readers.Reader{Servers: readers.Servers{Key: []string{"mcpServers"}}}, Path: c.path}
		p.read([]byte(c.text))
		if got := strings.Join(p.Line, " "); got != c.line || p.Present != (c.line != "") {
			t.Errorf("%s: %q, want %q", c.text, got, c.line)
		}
		if (p.Err == nil) != (c.err == "") || p.Err != nil && !strings.HasPrefix(p.Err.Error(), c.err) {
			t.Errorf("%s: %v, want %s", c.text, p.Err, c.err)
		}
	}
}

// TestDeclarations: each agent's entry, read again from its file, has the program and
// arguments, and each command line has them as whole words. readers/all checks that an
// agent has an entry.
func TestDeclarations(t *testing.T) {
	host := readers.Host{OS: "linux", Home: t.TempDir(), Getenv: func(string) string { return "" }}
	for _, r := range all.Readers() {
		places := Users(r, host)
		if project, ok := InProject(r, host.Home); ok {
			places = append(places, project)
		}
		for _, p := range places {
			if p.read([]byte(p.Entry(server))); p.Err != nil || !slices.Equal(p.Line, server.Line()) {
				t.Errorf("%s: %s says %q, %v", r.Agent, p.Path, p.Line, p.Err)
			}
		}
		how := &r.Servers
		line := server.command(how, how.Add)
		whole := slices.Contains(line, server.Program) && slices.Contains(line, server.Args[2])
		if how.Add != nil && !whole && !strings.Contains(strings.Join(line, "|"), asJSON(server.Args)) {
			t.Errorf("%s: %q", r.Agent, line)
		}
		if line := server.command(how, how.Remove); how.Remove != nil && !slices.Contains(line, ServerName) {
			t.Errorf("%s: %q", r.Agent, line)
		}
	}
}

// TestNamed: the entry for VS Code's command has the server's name.
func TestNamed(t *testing.T) {
	how := &readers.Servers{Entry: `{"command": LINE}`}
	if got, want := (Server{"b", []string{"c"}}).command(how, []string{"NAMED"}), `{"name": "hindsql", "command": ["b","c"]}`; got[0] != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestShell(t *testing.T) {
	if got := Shell([]string{"a", "", "b c", "it's", "~/x=1", "$HOME"}); got != `a '' 'b c' 'it'\''s' ~/x=1 '$HOME'` {
		t.Error(got)
	}
}
