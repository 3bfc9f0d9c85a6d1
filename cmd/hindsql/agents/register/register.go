// Package register adds an MCP server to agents' settings, and removes it, by the
// agents' own commands or by editing their files.
//
// The input is what the agents' readers declare about their settings, and the server.
// The output is plans; callers show them before carrying them out. Only the server's
// entry in a settings file changes, and the file is replaced atomically. Unreadable
// files, and files that a running agent rewrites, are never written.
package register

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"hindsql/internal/regular"
	"hindsql/readers"
)

// Place is a settings file in which an agent lists MCP servers: the user's, or a
// repository's.
type Place struct {
	Agent    *readers.Reader
	Also     []*readers.Reader // other agents that read the same file
	Path     string            // of the file for the entry
	Project  bool              // the file is a repository's
	ReadOnly bool              // only the agent's own command writes the file
	Line     []string          // the registered command line; nil if none
	Present  bool              // an entry of that name exists, but may start no program
	Err      error             // why the file can't be read; nil if read or missing
}

// most returns the largest settings file that is read, in bytes.
func (p *Place) most() int64 {
	if p.Project {
		return regular.InRepository
	}
	return regular.Own
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
// the entry for the named server if present.
func Users(r *readers.Reader, host readers.Host, name string) (list []Place) {
	if r.Servers.User == nil {
		return nil
	}
	for _, file := range r.Servers.User(host) {
		p := look(Place{Agent: r}, file.Paths, name)
		p.ReadOnly = file.ReadOnly
		list = append(list, p)
	}
	return list
}

// InProject returns the settings file of an agent in a repository, or false if the
// agent has no such file.
func InProject(r *readers.Reader, root, name string) (Place, bool) {
	if len(r.Servers.Project) == 0 {
		return Place{}, false
	}
	var paths []string
	for _, rel := range r.Servers.Project {
		paths = append(paths, filepath.Join(root, filepath.FromSlash(rel)))
	}
	return look(Place{Agent: r, Project: true}, paths, name), true
}

// look chooses among the paths of a settings file. It returns the first file that has
// the entry or can't be read, otherwise the first existing file, otherwise the first
// path. of is the place without a path.
func look(of Place, paths []string, name string) Place {
	found, there := of, false
	found.Path = paths[0]
	for _, path := range paths {
		text, err := regular.Read(path, of.most())
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		p := of
		p.Path = path
		if p.Err = err; err == nil {
			p.read(text, name)
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

func (p *Place) read(text []byte, name string) {
	values, err := formOf(p.Path).values(text)
	if err != nil {
		p.Err = fmt.Errorf("%s: %w", p.Path, err)
		return
	}
	entry := at(values, p.key(name))
	p.Line, p.Present = lineOf(entry), entry != nil
}

func (p *Place) key(name string) []string { return slices.Concat(p.Agent.Servers.Key, []string{name}) }

// form reads and edits settings files in one format: JSON or TOML.
type form interface {
	values(text []byte) (map[string]any, error)
	editor
}

// editor adds an entry to a file's text, or removes it.
type editor interface {
	set(text []byte, key []string, fields []field) ([]byte, error)
	remove(text []byte, key []string) ([]byte, error)
}

func formOf(path string) form {
	if filepath.Ext(path) == ".toml" {
		return tomlFile{}
	}
	return jsonFile{}
}

// edited returns the file's text with the server's entry, or without it if s is nil. It
// returns an error if the edit would change more than the entry.
func (p *Place) edited(text []byte, name string, s *Server) ([]byte, error) {
	if s != nil && !utf8.ValidString(strings.Join(s.Line(), " ")) {
		return nil, fmt.Errorf("%s: can't hold %q, which has bytes that are no UTF-8", p.Path, s.Line())
	}
	f, key := formOf(p.Path), p.key(name)
	var after []byte
	var err error
	if s != nil {
		after, err = f.set(text, key, s.fields(&p.Agent.Servers))
	} else {
		after, err = f.remove(text, key)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.Path, err)
	}
	return after, p.check(text, after, key, s)
}

// check compares the values of a file before and after an edit. It returns an error if
// the entry isn't as wanted, or if anything else changed.
func (p *Place) check(before, after []byte, key []string, s *Server) error {
	old, err := formOf(p.Path).values(before)
	if err != nil {
		return fmt.Errorf("%s: %w", p.Path, err)
	}
	changed, err := formOf(p.Path).values(after)
	if err != nil {
		return fmt.Errorf("%s: %w", p.Path, errForm)
	}
	is, was := at(changed, key), at(old, key)
	switch {
	case s == nil && is != nil, s != nil && !slices.Equal(lineOf(is), s.Line()),
		s != nil && lineOf(was) != nil && !reflect.DeepEqual(p.rest(was, s), p.rest(is, s)),
		!reflect.DeepEqual(without(old, key), without(changed, key)):
		return fmt.Errorf("%s: %w", p.Path, errForm)
	}
	return nil
}

// rest returns the fields of an entry that hindsql doesn't write.
func (p *Place) rest(entry any, s *Server) map[string]any {
	object, _ := entry.(map[string]any)
	rest := map[string]any{}
	maps.Copy(rest, object)
	for _, f := range s.fields(&p.Agent.Servers) {
		delete(rest, f.name)
	}
	return rest
}

// without deletes an entry, and objects left empty by the deletion.
func without(values map[string]any, key []string) map[string]any {
	if len(key) > 1 {
		if below, ok := values[key[0]].(map[string]any); ok {
			without(below, key[1:])
			if len(below) > 0 {
				return values
			}
		} else {
			return values
		}
	}
	delete(values, key[0])
	if values == nil {
		values = map[string]any{}
	}
	return values
}

// nothing reports whether a text is empty or an empty object.
func nothing(text []byte) bool {
	text = bytes.TrimSpace(text)
	return len(text) == 0 || string(text) == "{}"
}
