// Package agents decides how to tell the coding agents on this machine about hindsql:
// which agents are installed, which settings files list the MCP server,
// and which folders get skills.
//
// The input is the agents' readers and the machine, as [Here] describes it. The output
// is places, plans and messages for the user. The package never prompts the user.
// Package register calls the agents' own commands, and package skills writes files, when
// a caller says so.
package agents

import (
	"fmt"
	"slices"
	"strings"

	"hindsql/internal/atomicfile"
	"hindsql/internal/suggest"
	"hindsql/readers"
)

// Here describes the machine and the places to look for agents.
type Here struct {
	Host    readers.Host
	Readers []*readers.Reader
	Roots   map[string][]string // log folders given by flags, by agent
	Folder  string              // the current folder
	Tree    string              // root of the current repository or worktree; empty if none
}

// Named returns the readers of the named agents; all readers if names is empty.
func (h *Here) Named(names []string) ([]*readers.Reader, error) {
	if len(names) == 0 {
		return h.Readers, nil
	}
	var known []string
	for _, r := range h.Readers {
		known = append(known, r.Agent)
	}
	var list []*readers.Reader
	for _, name := range names {
		i := slices.Index(known, name)
		if i < 0 {
			return nil, fmt.Errorf("--agent %s: unknown%s", name, suggest.Ask(name, known, "one of "+strings.Join(known, ", ")))
		}
		list = append(list, h.Readers[i])
	}
	return list, nil
}

// Found returns the readers of the named agents. Without names, it returns the agents
// used on this machine, and the agents for which also returns true; also may be nil. If
// Found finds no agent, its error begins with command and lists the missing folders.
func (h *Here) Found(command string, names []string, also func(*readers.Reader) bool) (list []*readers.Reader, err error) {
	if len(names) > 0 {
		return h.Named(names)
	}
	var missing []string
	for _, r := range h.Readers {
		switch places := r.Places(h.Host, h.Roots[r.Agent]); {
		case h.Has(r), also != nil && also(r):
			list = append(list, r)
		case len(places) > 0:
			missing = append(missing, r.Agent+" ("+h.Short(places[0].Path)+")")
		}
	}
	if list == nil {
		return nil, fmt.Errorf("%s: no agent is found here, none of these folders is there: %s; --agent NAME is for one all the same", command, strings.Join(missing, ", "))
	}
	return list, nil
}

// Has reports whether an agent is used on this machine.
func (h *Here) Has(r *readers.Reader) bool { return r.IsHere(h.Host, h.Roots[r.Agent]) }

// Short returns a path for people, with ~ for the home folder.
func (h *Here) Short(path string) string { return atomicfile.Short(h.Host.Home, path) }

// ShortIn shortens the home folder everywhere in a text.
func (h *Here) ShortIn(text string) string {
	if h.Host.Home == "" {
		return text
	}
	return strings.ReplaceAll(text, h.Host.Home+"/", "~/")
}

// The scopes of settings and skills.
const (
	User    = "user"    // in all of a user's projects
	Project = "project" // in the current repository
)

// Scopes returns the names of both scopes.
func Scopes() []string { return []string{User, Project} }
