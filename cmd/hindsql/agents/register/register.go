// Package register finds an MCP server in agents' settings, and has the agents' own
// commands add it or remove it.
//
// The input is what the agents' readers declare about their settings, and the server.
// The output is plans; callers show them before carrying them out. The package reads
// settings files and never writes them: for an agent without a command, a plan has the
// entry for the user to put into the file.
package register

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/tailscale/hujson"

	"hindsql/internal/lists"
	"hindsql/internal/regular"
	"hindsql/readers"
)

// Place is a settings file in which an agent lists MCP servers: the user's, or a
// repository's.
type Place struct {
	Agent   *readers.Reader
	Also    []*readers.Reader // other agents that read the same file
	Path    string            // of the file for the entry
	Project bool              // the file is a repository's
	ByHand  bool              // the agent's own commands don't change the file
	Line    []string          // the registered command line; nil if none
	Present bool              // an entry of that name exists, but may start no program
	Err     error             // why the file can't be read; nil if read or missing
}

// Title returns the names of the agents that read the file, for people.
func (p *Place) Title() string {
	title := p.Agent.Title
	for _, r := range p.Also {
		title += ", " + r.Title
	}
	return title
}

// Users returns the user's settings files in which an agent may list MCP servers, with
// the server's entry if present.
func Users(r *readers.Reader, host readers.Host) (list []Place) {
	if r.Servers.User == nil {
		return nil
	}
	for _, file := range r.Servers.User(host) {
		list = append(list, chooseFile(Place{Agent: r, ByHand: file.ByHand}, file.Paths))
	}
	return list
}

// InProject returns the settings file of an agent in a repository, or false if the
// agent has no such file.
func InProject(r *readers.Reader, root string) (Place, bool) {
	if len(r.Servers.Project) == 0 {
		return Place{}, false
	}
	paths := lists.Map(r.Servers.Project, func(rel string) string { return filepath.Join(root, filepath.FromSlash(rel)) })
	return chooseFile(Place{Agent: r, Project: true, ByHand: true}, paths), true
}

// chooseFile chooses among the paths of a settings file. It returns the first file that has
// the entry or can't be read, otherwise the first existing file, otherwise the first
// path. of is the place without a path.
func chooseFile(of Place, paths []string) Place {
	most := int64(regular.Own)
	if of.Project {
		most = regular.InRepository
	}
	found, there := of, false
	found.Path = paths[0]
	for _, path := range paths {
		text, err := regular.Read(path, most)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		p := of
		p.Path = path
		if p.Err = err; err == nil {
			p.read(text)
		}
		if p.Present || p.Err != nil {
			return p
		}
		if !there {
			found, there = p, true
		}
	}
	return found
}

func (p *Place) read(text []byte) {
	values, err := valuesOf(p.Path, text)
	if err != nil {
		p.Err = fmt.Errorf("%s: %w", p.Path, err)
		return
	}
	entry := at(values, p.key())
	p.Line, p.Present = lineOf(entry), entry != nil
}

// key returns the path of keys to the server's entry in the file.
func (p *Place) key() []string { return slices.Concat(p.Agent.Servers.Key, []string{ServerName}) }

// Plan is how to add the server to a place, or to remove it: by the agent's own
// commands, or by the user's hand.
type Plan struct {
	Place    Place
	Server   *Server    // nil: the entry is to be removed
	Done     bool       // the place is up to date
	Commands [][]string // the agent's own command lines, in order; nil if it has none for this place
	Err      error      // why hindsql can't call the commands, or can't read the file; nil if it can
}

// Calls reports whether carrying out the plan calls the agent's own commands.
func (p *Plan) Calls() bool { return !p.Done && p.Commands != nil && p.Err == nil }

// Install returns a plan to register the server at a place.
func (p Place) Install(s Server) Plan {
	plan := Plan{Place: p, Server: &s, Done: p.Err == nil && slices.Equal(p.Line, s.Line())}
	how := &p.Agent.Servers
	if how.Add == nil || p.ByHand {
		plan.Err = p.Err
		return plan
	}
	if p.Present && !how.Replaces {
		plan.Commands = append(plan.Commands, s.command(how, how.Remove))
	}
	plan.Commands = append(plan.Commands, s.command(how, how.Add))
	plan.Err = missing(how.Add[0])
	return plan
}

// Uninstall returns a plan to remove the server from a place.
func (p Place) Uninstall() Plan {
	plan := Plan{Place: p, Done: p.Err == nil && !p.Present, Err: p.Err}
	how := &p.Agent.Servers
	if how.Remove == nil || p.ByHand {
		return plan
	}
	plan.Commands = [][]string{Server{}.command(how, how.Remove)}
	if p.Err == nil {
		plan.Err = missing(how.Remove[0])
	}
	return plan
}

// OnPath reports whether a program is on PATH.
func OnPath(program string) bool { _, err := exec.LookPath(program); return err == nil }

// missing returns an error if a program isn't on PATH.
func missing(program string) error {
	if OnPath(program) {
		return nil
	}
	return fmt.Errorf("%s: not on PATH, so hindsql can't call it", program)
}

// ByHand returns the command lines that the user can type, and the text for the
// settings file. The text for a removal is empty.
func (p *Plan) ByHand() (typed, entry string) {
	for _, line := range p.Commands {
		typed += Shell(line) + "\n"
	}
	if p.Server != nil {
		entry = p.Place.Entry(*p.Server)
	}
	return typed, entry
}

// Key returns the entry's place in the settings file, for people.
func (p *Plan) Key() string { return strings.Join(p.Place.key(), ".") }

// Shell quotes a command line for a POSIX shell.
func Shell(line []string) string {
	words := make([]string, len(line))
	for i, w := range line {
		words[i] = w
		if w == "" || strings.Trim(w, plain) != "" {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,~"

// commandTime is the time limit of an agent's own command.
const commandTime = time.Minute

// Do calls the agent's commands without a shell, and checks the agent's settings
// afterwards. It passes the output of each command to output.
func (p *Plan) Do(ctx context.Context, host readers.Host, output func(text string)) error {
	for _, line := range p.Commands {
		text, err := call(ctx, line)
		output(text)
		if err != nil {
			return fmt.Errorf("%s: %w", Shell(line), err)
		}
	}
	for _, is := range Users(p.Place.Agent, host) {
		if is.Err != nil || p.Server != nil && slices.Equal(is.Line, p.Server.Line()) || p.Server == nil && !is.Present {
			return nil //nolint:nilerr // if the file can't be read, the result is unknown
		}
	}
	return fmt.Errorf("%s: it is as before, though the command ended well", p.Place.Path)
}

func call(ctx context.Context, line []string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	cmd.WaitDelay = time.Second
	text, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return string(text), err
}

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

func texts(list []any) []string {
	return lists.Map(list, func(v any) string { return fmt.Sprint(v) })
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
