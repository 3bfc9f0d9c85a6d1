// Package agents decides what other agents are told of hindsql, and where: which of
// them are here, which of their files have the entry of the MCP server, which
// folders get skills.
//
// In: the agents' readers, and the machine as [Here] has it. Out: places, plans and
// the words that a person reads of each. It asks nobody, and what is to be
// written is written by packages register and skills, once a caller says so.
package agents

import (
	"fmt"
	"slices"
	"strings"

	"hindsql/internal/atomicfile"
	"hindsql/internal/suggest"
	"hindsql/readers"
)

// Here is where agents are looked for, and what is told.
type Here struct {
	Host    readers.Host
	Readers []*readers.Reader
	Roots   map[string][]string // folders of logs that flags name, by agent
	Folder  string              // the current one
	Tree    string              // root of the current repository, or of its worktree; empty for none
	Version string              // of this build
}

// Named are the readers of the agents of these names; of none, all.
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

// Found are the readers of the agents of these names; of none, of the agents that are
// used on this machine, and of those that also says are, unless it is nil. An
// error of none says what was looked for; command is the one to name an agent to.
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

// Has says that an agent is used on this machine.
func (h *Here) Has(r *readers.Reader) bool { return r.IsHere(h.Host, h.Roots[r.Agent]) }

// Short is a path for people.
func (h *Here) Short(path string) string { return atomicfile.Short(h.Host.Home, path) }

// ShortIn shortens the home folder wherever a text has it.
func (h *Here) ShortIn(text string) string {
	if h.Host.Home == "" {
		return text
	}
	return strings.ReplaceAll(text, h.Host.Home+"/", "~/")
}

// Whose settings or folders are meant.
const (
	User    = "user"    // in all of a user's projects
	Project = "project" // in the current repository
)

func (h *Here) noTree() error {
	return fmt.Errorf("--scope project: %s: no repository here; start it in one", h.Short(h.Folder))
}

// Scopes are both, by name.
func Scopes() []string { return []string{User, Project} }

// CheckScope refuses a scope that is neither, unless it is empty, and one that
// isn't here.
func (h *Here) CheckScope(scope string) error {
	switch {
	case !slices.Contains([]string{"", User, Project}, scope):
		return fmt.Errorf("--scope is %s or %s, not %q", User, Project, scope)
	case scope == Project && h.Tree == "":
		return h.noTree()
	}
	return nil
}
