package register

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"hindsql/readers"
	"hindsql/readers/all"
)

var server = Server{Name: "hindsql", Program: "/opt/hind sql", Args: []string{"mcp", "--store", `C:\a "b"`}}

const entry = `{"type": "stdio", "command": PROGRAM, "args": ARGS}`

// TestJSON: a server is added in the file's own style, changed in place, and removed.
// Every other byte stays.
func TestJSON(t *testing.T) {
	const args = `["mcp", "--store", "C:\\a \"b\""]`
	for name, c := range map[string]struct{ before, after, gone string }{
		"no file": {"", "{\n  \"mcpServers\": {\n    \"hindsql\": {\n      \"type\": \"stdio\",\n      \"command\": \"/opt/hind sql\",\n      \"args\": " + args + "\n    }\n  }\n}\n", "{}\n"},
		"tabs, comments and a trailing comma": {
			"// mine\n{\n\t\"a\": 1, // one\n\t\"mcpServers\": {\n\t\t\"x\": {\"command\": \"x\"}, // the other\n\t}, /* end */\n}\n",
			"// mine\n{\n\t\"a\": 1, // one\n\t\"mcpServers\": {\n\t\t\"x\": {\"command\": \"x\"}, // the other\n\t\t\"hindsql\": {\n\t\t\t\"type\": \"stdio\",\n\t\t\t\"command\": \"/opt/hind sql\",\n\t\t\t\"args\": " + args + "\n\t\t},\n\t}, /* end */\n}\n", "",
		},
		"a comment behind the last one": {
			"{\n    \"a\": 1 // one\n    // two\n}",
			"{\n    \"a\": 1, // one\n    // two\n    \"mcpServers\": {\n        \"hindsql\": {\n            \"type\": \"stdio\",\n            \"command\": \"/opt/hind sql\",\n            \"args\": " + args + "\n        }\n    }\n}", "",
		},
		"one line": {
			`{"mcpServers":{ "x": {"url": "u"} }}`,
			`{"mcpServers":{ "x": {"url": "u"}, "hindsql": {"type": "stdio", "command": "/opt/hind sql", "args": ` + args + `} }}`, "",
		},
		"lines of Windows": {
			"{\r\n  \"a\": {}\r\n}\r\n",
			"{\r\n  \"a\": {},\r\n  \"mcpServers\": {\r\n    \"hindsql\": {\r\n      \"type\": \"stdio\",\r\n      \"command\": \"/opt/hind sql\",\r\n      \"args\": " + args + "\r\n    }\r\n  }\r\n}\r\n", "",
		},
		"another command, and what else it has": {
			"{\"mcpServers\": {\"hindsql\": {\"env\": {\"A\": \"b\"}, \"command\": \"old\", \"args\": [] /* none */, \"type\": \"local\"}, \"y\": 1}}",
			"{\"mcpServers\": {\"hindsql\": {\"env\": {\"A\": \"b\"}, \"command\": \"/opt/hind sql\", \"args\": " + args + " /* none */, \"type\": \"local\"}, \"y\": 1}}",
			"{\"mcpServers\": { \"y\": 1}}",
		},
		"one that starts no program": {
			"{\"mcpServers\": {\"hindsql\": {\"url\": \"http://127.0.0.1:1\"}}, \"z\": 1}",
			"{\"mcpServers\": {\"hindsql\": {\n      \"type\": \"stdio\",\n      \"command\": \"/opt/hind sql\",\n      \"args\": " + args + "\n    }}, \"z\": 1}",
			"{ \"z\": 1}",
		},
		"in the middle, with comments around": {
			"{\n  \"mcpServers\": {\n    \"a\": {}, // of a\n    \"hindsql\": {\"command\": \"x\"}, // of ours\n    // of b\n    \"b\": {}\n  }\n}",
			"{\n  \"mcpServers\": {\n    \"a\": {}, // of a\n    \"hindsql\": {\"command\": \"/opt/hind sql\", \"type\": \"stdio\", \"args\": " + args + "}, // of ours\n    // of b\n    \"b\": {}\n  }\n}",
			"{\n  \"mcpServers\": {\n    \"a\": {}, // of a // of ours\n    // of b\n    \"b\": {}\n  }\n}",
		},
	} {
		t.Run(name, func(t *testing.T) { trip(t, "x.json", []string{"mcpServers"}, c.before, c.after, c.gone) })
	}
}

// TestTOML does the same as TestJSON for TOML: a server's table is added at the end,
// changed in place, and removed. All other bytes stay.
func TestTOML(t *testing.T) {
	const lines = "command = \"/opt/hind sql\"\nargs = [\"mcp\", \"--store\", \"C:\\\\a \\\"b\\\"\"]\n"
	for name, c := range map[string]struct{ before, after, gone string }{
		"no file":    {"", "[mcpServers.hindsql]\ntype = \"stdio\"\n" + lines, ""},
		"at the end": {"# mine\na = 1 # one\n\n[t]\nb = 2", "# mine\na = 1 # one\n\n[t]\nb = 2\n\n[mcpServers.hindsql]\ntype = \"stdio\"\n" + lines, "# mine\na = 1 # one\n\n[t]\nb = 2\n"},
		"where it stands": {
			"[ mcpServers . \"hindsql\" ] # ours\ncommand = \"old\"\nargs = [\n  \"a\", # one\n  \"b\",\n]\nstartup_timeout_sec = 9\n\n[mcpServers.hindsql.env]\nA = \"[x]\"\n\n# of t\n[t]\nb = 2\n",
			"[ mcpServers . \"hindsql\" ] # ours\n" + lines + "startup_timeout_sec = 9\ntype = \"stdio\"\n\n[mcpServers.hindsql.env]\nA = \"[x]\"\n\n# of t\n[t]\nb = 2\n",
			"\n# of t\n[t]\nb = 2\n",
		},
		"one that starts no program": {
			"[mcpServers.hindsql]\nurl = \"http://127.0.0.1:1\"\n[t]\n", "[mcpServers.hindsql]\ntype = \"stdio\"\n" + lines + "[t]\n", "[t]\n",
		},
	} {
		t.Run(name, func(t *testing.T) { trip(t, "x.toml", []string{"mcpServers"}, c.before, c.after, c.gone) })
	}
}

// trip adds the entry to the text before, removes it, and compares both results. An
// empty gone means that the removal must restore before.
func trip(t *testing.T, path string, key []string, before, after, gone string) {
	t.Helper()
	p := Place{Agent: &readers.Reader{Servers: readers.Servers{Key: key, Entry: entry}}, Path: path}
	set, err := p.edited([]byte(before), server.Name, &server)
	if err != nil || string(set) != after {
		t.Fatalf("%v\n%s\nwant\n%s", err, set, after)
	}
	if again, err := p.edited(set, server.Name, &server); err != nil || string(again) != after {
		t.Errorf("set again: %v\n%s", err, again)
	}
	if gone == "" {
		gone = before
	}
	removed, err := p.edited(set, server.Name, nil)
	if err != nil || string(removed) != gone {
		t.Errorf("removed: %v\n%q\nwant\n%q", err, removed, gone)
	}
}

// TestForms: files in a form that hindsql can't edit are errors. The error says where
// the form is.
func TestForms(t *testing.T) {
	for _, c := range []struct{ path, text, want string }{
		{"x.json", "{\n  \"a\": ", "x.json: hujson: line 2"},
		{"x.json", "[]", "x.json: no object"},
		{"x.json", `{"mcpServers": []}`, "x.json: mcpServers is no object"},
		{"x.json", `{"mcpServers": {"hindsql": 1, "hindsql": 2}}`, `x.json: "hindsql" is there twice`},
		{"x.toml", "a = 1\nb = \n", "x.toml: line 2"},
		{"x.toml", `mcpServers = {hindsql = {command = "x"}}`, "x.toml: the table is written in a form"},
		{"x.toml", `mcpServers = {}`, "x.toml: the table is written in a form"},
		{"x.toml", "[mcpServers]\nhindsql.command = 'x'\n", "x.toml: the table is written in a form"},
		{"x.toml", "[mcpServers.hindsql]\nb = '''\n[mcpServers.hindsql]\n'''\ncommand = 'x'\n[mcpServers.hindsql.c]\nd='''\n[x]\n'''", "x.toml: the table is written in a form"},
	} {
		p := Place{Agent: &readers.Reader{Servers: readers.Servers{Key: []string{"mcpServers"}, Entry: entry}}, Path: c.path}
		if p.read([]byte(c.text), server.Name); p.Err != nil {
			if !strings.HasPrefix(p.Err.Error(), c.want) {
				t.Errorf("%s: %v, want %s", c.text, p.Err, c.want)
			}
			continue
		}
		if got, err := p.edited([]byte(c.text), server.Name, &server); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s\n%s", c.text, err, c.want, got)
		}
	}
}

// TestNoUTF8: a program's path that isn't UTF-8 is an error, because JSON can't hold it
// and would have another path.
func TestNoUTF8(t *testing.T) {
	for _, path := range []string{"x.json", "x.toml"} {
		p := Place{Agent: &readers.Reader{Servers: readers.Servers{Key: []string{"mcpServers"}, Entry: entry}}, Path: path}
		if _, err := p.edited(nil, "hindsql", &Server{Name: "hindsql", Program: "/opt/\xff"}); err == nil || !strings.Contains(err.Error(), "no UTF-8") {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestDeclarations: each agent's entry has the program and arguments, and each command
// line has the name. readers/all checks that an agent has an entry.
func TestDeclarations(t *testing.T) {
	for _, r := range all.Readers() {
		how := &r.Servers
		if how.Entry == "" {
			continue
		}
		if line := lineOf(entryOf(t, how)); strings.Join(line, "|") != strings.Join(server.Line(), "|") {
			t.Errorf("%s: its entry says %q", r.Agent, line)
		}
		for _, words := range [][]string{how.Add, how.Remove} {
			if line := server.command(how, words); words != nil && (!strings.Contains(strings.Join(line, "|"), "|hindsql") || strings.ContainsAny(strings.Join(line, ""), "\x00")) {
				t.Errorf("%s: %q", r.Agent, line)
			}
		}
	}
}

func entryOf(t *testing.T, how *readers.Servers) any {
	t.Helper()
	values, err := jsonFile{}.values([]byte(`{"e": ` + server.entryText(how) + `}`))
	if err != nil {
		t.Fatal(err)
	}
	return values["e"]
}

func TestShell(t *testing.T) {
	if got := Shell([]string{"a", "", "b c", "it's", "~/x=1", "$HOME"}); got != `a '' 'b c' 'it'\''s' ~/x=1 '$HOME'` {
		t.Error(got)
	}
}

// FuzzEdit: an entry set by edited is present, and setting it again changes nothing. A
// removed entry is gone. edited itself checks that all other values stay. In JSON, no
// form may be unsupported.
func FuzzEdit(f *testing.F) {
	for _, text := range []string{
		"", "{}", "{ }", "// a\n{\n\t// b\n\t\"mcpServers\": {\"x\": 1, /* c */ \"hindsql\": {\"command\": \"x\", // d\n}, },\n}\n",
		`{"mcpServers": {"hindsql": {"command": ["x"], "args": [1]}}, "a": [{}, {"b": null}]}`, "{\r\n  \"mcpServers\": {}\r\n}",
	} {
		f.Add(true, text)
	}
	for _, text := range []string{
		"", "a = 1\n[mcpServers.x]\nb = \"\"\"\n[y]\n\"\"\"\n", "[mcpServers.hindsql]\ncommand = 'x'\nargs = [\n 'y', # z\n]\n[mcpServers.hindsql.env]\nA = 'b'\n[[t]]\n[[t]]",
		"[mcpServers]\n[mcpServers.\"hindsql\"] # c\r\nurl = 'u'\r\n", "mcpServers.hindsql.command = 'x'",
	} {
		f.Add(false, text)
	}
	f.Fuzz(func(t *testing.T, isJSON bool, text string) {
		p := Place{Agent: &readers.Reader{Servers: readers.Servers{Key: []string{"mcpServers"}, Entry: entry}}, Path: "x.toml"}
		if isJSON {
			p.Path = "x.json"
		}
		if p.read([]byte(text), server.Name); p.Err != nil {
			return
		}
		set, err := p.edited([]byte(text), server.Name, &server)
		if err != nil {
			if isJSON && errors.Is(err, errForm) {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		if again, err := p.edited(set, server.Name, &server); err != nil || !bytes.Equal(again, set) {
			t.Errorf("%q, set again: %v\n%q\nwas\n%q", text, err, again, set)
		}
		if gone, err := p.edited(set, server.Name, nil); err != nil && isJSON {
			t.Errorf("%q, removed: %v\n%q", text, err, gone)
		}
	})
}
