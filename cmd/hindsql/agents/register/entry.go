package register

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"hindsql/readers"
)

// Server is an MCP server, a program that agents start.
type Server struct {
	Name    string   // the server's name for agents
	Program string   // a path, or the name of a program on PATH
	Args    []string // without the program
}

// Line returns the server's whole command line.
func (s Server) Line() []string { return append([]string{s.Program}, s.Args...) }

// field is a field of a server's entry in a settings file.
type field struct {
	name  string
	value any  // a string, a list of strings, or a JSON value
	ours  bool // hindsql sets the value: the program, its arguments, or both
}

// fields returns the fields of a server's entry in the form that an agent's reader
// declares, with the program and arguments filled in.
func (s Server) fields(how *readers.Servers) []field {
	words := map[string]any{"PROGRAM": s.Program, "ARGS": slices.Concat([]string{}, s.Args), "LINE": s.Line()}
	text := strings.NewReplacer("PROGRAM", `"PROGRAM"`, "ARGS", `"ARGS"`, "LINE", `"LINE"`).Replace(how.Entry)
	root, err := parseJSON([]byte(text))
	if err != nil {
		panic(fmt.Sprintf("entry %s: %v", how.Entry, err)) // the declaration is part of the program
	}
	var list []field
	for _, m := range root.Value.(*hujson.Object).Members {
		f := field{name: nameOf(m)}
		if err := json.Unmarshal(m.Value.Pack(), &f.value); err != nil {
			panic(fmt.Sprintf("entry %s: %v", how.Entry, err))
		}
		if word, ok := f.value.(string); ok && words[word] != nil {
			f.value, f.ours = words[word], true
		}
		list = append(list, f)
	}
	return list
}

// entryText returns the entry as JSON on one line.
func (s Server) entryText(how *readers.Servers) string {
	object := &hujson.Object{}
	for _, f := range s.fields(how) {
		object.Members = append(object.Members, hujson.ObjectMember{
			Name: hujson.Value{Value: hujson.String(f.name)}, Value: hujson.Value{Value: literal(f.value)}})
	}
	return hujson.Value{Value: oneLine(hujson.Value{Value: object}.Pack())}.String()
}

// command returns the agent's command line for adding or removing a server. words is
// its declared form, with placeholders such as NAME.
func (s Server) command(how *readers.Servers, words []string) []string {
	var line []string
	for _, w := range words {
		switch w {
		case "NAME":
			line = append(line, s.Name)
		case "PROGRAM":
			line = append(line, s.Program)
		case "ARGS":
			line = append(line, s.Args...)
		case "LINE":
			line = append(line, s.Line()...)
		case "ENTRY":
			line = append(line, s.entryText(how))
		default:
			line = append(line, w)
		}
	}
	return line
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
