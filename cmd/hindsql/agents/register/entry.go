package register

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/tailscale/hujson"

	"hindsql/readers"
)

// ServerName is the MCP server's name in agents' settings.
const ServerName = "hindsql"

// Server is hindsql's MCP server, a program that agents start.
type Server struct {
	Program string   // a path, or the name of a program on PATH
	Args    []string // without the program
}

// Line returns the server's whole command line.
func (s Server) Line() []string { return append([]string{s.Program}, s.Args...) }

// entry returns a server's entry as JSON, in the form that an agent's reader declares.
func (s Server) entry(how *readers.Servers) string {
	args := append([]string{}, s.Args...)
	return strings.NewReplacer("PROGRAM", asJSON(s.Program), "ARGS", asJSON(args), "LINE", asJSON(s.Line())).Replace(how.Entry)
}

// asJSON returns a string, or a list of strings, as JSON.
func asJSON(value any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(value) // strings and lists never fail
	return strings.TrimSpace(b.String())
}

// Entry returns the part of a place's settings file that has the server, in the file's
// format.
func (p *Place) Entry(s Server) string {
	how, key := &p.Agent.Servers, p.key()
	var b bytes.Buffer
	if filepath.Ext(p.Path) == ".toml" {
		var fields map[string]any
		_ = json.Unmarshal([]byte(s.entry(how)), &fields) // a test tries every declared entry
		fmt.Fprintf(&b, "[%s]\n", strings.Join(key, "."))
		_ = toml.NewEncoder(&b).Encode(fields) // strings and lists never fail
		return b.String()
	}
	text := s.entry(how)
	for i := len(key) - 1; i >= 0; i-- {
		text = "{" + asJSON(key[i]) + ": " + text + "}"
	}
	_ = json.Indent(&b, []byte(text), "", "  ") // a test tries every declared entry
	return b.String() + "\n"
}

// command returns the agent's command line for adding or removing a server. words is
// its declared form, with placeholders such as NAME.
func (s Server) command(how *readers.Servers, words []string) []string {
	var line []string
	for _, w := range words {
		switch w {
		case "NAME":
			line = append(line, ServerName)
		case "PROGRAM":
			line = append(line, s.Program)
		case "ARGS":
			line = append(line, s.Args...)
		case "LINE":
			line = append(line, s.Line()...)
		case "ENTRY":
			line = append(line, s.entry(how))
		case "NAMED":
			line = append(line, `{"name": `+asJSON(ServerName)+", "+strings.TrimPrefix(s.entry(how), "{"))
		default:
			line = append(line, w)
		}
	}
	return line
}

// valuesOf reads a settings file: TOML, or JSON with or without comments. Blank text is
// an empty object.
func valuesOf(path string, text []byte) (values map[string]any, err error) {
	if filepath.Ext(path) == ".toml" {
		return values, toml.Unmarshal(text, &values)
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil
	}
	if text, err = hujson.Standardize(text); err != nil {
		return nil, err
	}
	return values, json.Unmarshal(text, &values)
}

// lineOf returns the command line in an entry, in any agent's form; nil if the entry
// starts no program.
func lineOf(entry any) (line []string) {
	object, _ := entry.(map[string]any)
	switch command := object["command"].(type) {
	case string:
		line = append(line, command)
	case []any:
		line = texts(command)
	default:
		return nil
	}
	args, _ := object["args"].([]any)
	return append(line, texts(args)...)
}

func texts(list []any) (all []string) {
	for _, v := range list {
		all = append(all, fmt.Sprint(v))
	}
	return all
}

// at returns the value at a path of names; nil if missing.
func at(values map[string]any, key []string) any {
	var v any = values
	for _, name := range key {
		object, _ := v.(map[string]any)
		v = object[name]
	}
	return v
}
