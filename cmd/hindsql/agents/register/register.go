// Package register finds an MCP server in agents' settings, and has the agents' own
// commands add it or remove it.
//
// The input is what the agents' readers declare about their settings, and the server.
// The output is plans; callers show them before carrying them out. The package reads
// settings files and never writes them: for an agent without a command, a plan has the
// entry for the user to put into the file.
package register

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

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
		list = append(list, look(Place{Agent: r, ByHand: file.ByHand}, file.Paths))
	}
	return list
}

// InProject returns the settings file of an agent in a repository, or false if the
// agent has no such file.
func InProject(r *readers.Reader, root string) (Place, bool) {
	if len(r.Servers.Project) == 0 {
		return Place{}, false
	}
	var paths []string
	for _, rel := range r.Servers.Project {
		paths = append(paths, filepath.Join(root, filepath.FromSlash(rel)))
	}
	return look(Place{Agent: r, Project: true, ByHand: true}, paths), true
}

// look chooses among the paths of a settings file. It returns the first file that has
// the entry or can't be read, otherwise the first existing file, otherwise the first
// path. of is the place without a path.
func look(of Place, paths []string) Place {
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
