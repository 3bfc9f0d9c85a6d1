// Package register tells agents of an MCP server that they may start, and
// untells them: by their own commands, or in their settings.
//
// In: what the agents' readers declare, and the server. Out: plans, which are
// shown before they are carried out. A settings file is changed in our entry
// alone, and appears whole or not at all; one that can't be read is left alone.
// What a running agent rewrites is never written.
package register

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"hindsql/readers"
)

// Place is a list of servers that an agent reads: its user's or a repository's.
type Place struct {
	Agent    *readers.Reader
	Also     []*readers.Reader // others that read the same file
	Path     string            // of the file that has the entry, or is to have it
	Project  bool              // it is a repository's
	ReadOnly bool              // it is written by the agent's own command only
	Line     []string          // the command line that is registered; nil for none
	Present  bool              // there is an entry of that name, which may start no program
	Err      error             // why the file can't be read; nil where it is, or isn't there
}

// Title names the agents that read there, for people.
func (p *Place) Title() string {
	title := p.Agent.Title
	for _, r := range p.Also {
		title += ", " + r.Title
	}
	return title
}

// Users lists the places of an agent's user that may have a server of that name.
func Users(r *readers.Reader, host readers.Host, name string) (list []Place) {
	if r.Servers.User == nil {
		return nil
	}
	for _, file := range r.Servers.User(host) {
		p := look(r, file.Paths, name)
		p.ReadOnly = file.ReadOnly
		list = append(list, p)
	}
	return list
}

// InProject gives the place of a repository; false where the agent has none
// there.
func InProject(r *readers.Reader, root, name string) (Place, bool) {
	if len(r.Servers.Project) == 0 {
		return Place{}, false
	}
	var paths []string
	for _, rel := range r.Servers.Project {
		paths = append(paths, filepath.Join(root, filepath.FromSlash(rel)))
	}
	p := look(r, paths, name)
	p.Project = true
	return p, true
}

// look finds the file that has the entry, else one that is there, else the
// first.
func look(r *readers.Reader, paths []string, name string) Place {
	found := Place{Agent: r, Path: paths[0]}
	there := false
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		p := Place{Agent: r, Path: path}
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

// form is how a settings file is written.
type form interface {
	values(text []byte) (map[string]any, error)
	editor
}

// editor gives a file's text with an entry, or without it.
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

// edited is the file's text with the server, or without it where s is nil. It is
// an error where anything but the entry would be another.
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

// check compares what the file says before and after.
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

// rest is what an entry has beside what we say.
func (p *Place) rest(entry any, s *Server) map[string]any {
	object, _ := entry.(map[string]any)
	rest := map[string]any{}
	maps.Copy(rest, object)
	for _, f := range s.fields(&p.Agent.Servers) {
		delete(rest, f.name)
	}
	return rest
}

// without drops an entry, and objects that held it alone.
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

// nothing says that a text holds no more than an empty object.
func nothing(text []byte) bool {
	text = bytes.TrimSpace(text)
	return len(text) == 0 || string(text) == "{}"
}
