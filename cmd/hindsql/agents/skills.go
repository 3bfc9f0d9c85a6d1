package agents

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"hindsql/cmd/hindsql/agents/skills"
	"hindsql/internal/atomicfile"
	"hindsql/internal/lists"
	"hindsql/internal/suggest"
	"hindsql/internal/words"
	"hindsql/readers"
)

// SkillsNamed returns the named skills; all skills if names is empty.
func SkillsNamed(names []string) ([]*skills.Skill, error) {
	if len(names) == 0 {
		return skills.All(), nil
	}
	var list []*skills.Skill
	for _, name := range names {
		s := skills.Named(name)
		if s == nil {
			known := lists.Map(skills.All(), func(s *skills.Skill) string { return s.Name })
			return nil, fmt.Errorf("no skill %q%s", name, suggest.Ask(name, known, "there are "+words.List(known, "and")))
		}
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list, nil
}

// Titles returns the titles of the agents, which skills name.
func (h *Machine) Titles() []string {
	return lists.Map(h.Readers, func(r *readers.Reader) string { return r.Title })
}

// Scope is a place for skills: the home folder or a repository.
type Scope struct {
	Name    string // User or Project
	Top     string // the home folder, or the repository's root
	machine *Machine
}

// Scope returns the scope of a name. It returns an error for an unknown name, and
// without the home folder or a repository.
func (h *Machine) Scope(name string) (Scope, error) {
	switch name {
	case User:
		if h.Host.Home == "" {
			return Scope{}, errors.New("--scope user: no home folder is known; --scope project is for this repository")
		}
		return Scope{name, h.Host.Home, h}, nil
	case Project:
		if h.Tree == "" {
			return Scope{}, fmt.Errorf("--scope project: %s: no repository here; start it in one", h.Short(h.Folder))
		}
		return Scope{name, h.Tree, h}, nil
	}
	return Scope{}, fmt.Errorf("--scope is %s or %s, not %q", User, Project, name)
}

// folders returns the folders in which an agent looks for skills, its own first.
func (s *Scope) folders(r *readers.Reader) (list []string) {
	if s.Name == User {
		if r.Skills.User == nil {
			return nil
		}
		return r.Skills.User(s.machine.Host)
	}
	for _, rel := range r.Skills.Project {
		list = append(list, filepath.Join(s.Top, filepath.FromSlash(rel)))
	}
	return list
}

// Folders returns the folders in which the agents look for skills, each once. A folder
// and a link to the folder are one.
func (s *Scope) Folders(list []*readers.Reader) (all []string) {
	for _, r := range list {
		for _, folder := range s.folders(r) {
			if !containsFolder(all, folder) {
				all = append(all, folder)
			}
		}
	}
	return all
}

// containsFolder reports whether a folder is in the list, under any of the folder's paths.
func containsFolder(list []string, folder string) bool {
	real := atomicfile.Real(folder)
	return slices.ContainsFunc(list, func(f string) bool { return atomicfile.Real(f) == real })
}

// cover chooses few folders for skills: every agent reads at least one of them. It
// takes the folders of agents with only one folder first, because other agents may read
// these folders, too.
func (s *Scope) cover(list []*readers.Reader) (chosen []string) {
	for _, only := range []bool{true, false} {
		for _, r := range list {
			folders := s.folders(r)
			has := slices.ContainsFunc(folders, func(f string) bool { return containsFolder(chosen, f) })
			if len(folders) > 0 && (len(folders) == 1) == only && !has {
				chosen = append(chosen, folders[0])
			}
		}
	}
	return chosen
}

// ReadBy returns the titles of the agents that look into a folder.
func (s *Scope) ReadBy(folder string, list []*readers.Reader) (titles []string) {
	for _, r := range list {
		if containsFolder(s.folders(r), folder) {
			titles = append(titles, r.Title)
		}
	}
	return titles
}

// Targets returns the folders to write skills to. Every chosen agent reads at least one
// of the folders. If the user named no agents, folders with a skill of hindsql are added.
func (s *Scope) Targets(chosen []*readers.Reader, list []*skills.Skill, named bool) ([]string, error) {
	folders := s.cover(chosen)
	if named {
		return folders, nil
	}
	for _, folder := range s.Folders(s.machine.Readers) {
		places, err := s.machine.Look([]string{folder}, list)
		if err != nil {
			return nil, err
		}
		if !containsFolder(folders, folder) && slices.ContainsFunc(places, func(p skills.Place) bool { return p.IsOurs() }) {
			folders = append(folders, folder)
		}
	}
	return folders, nil
}

// Look returns the file of each skill in each folder, with its state.
func (h *Machine) Look(folders []string, list []*skills.Skill) (places []skills.Place, err error) {
	for _, folder := range folders {
		for _, s := range list {
			p, err := s.Look(folder, h.Titles())
			if err != nil {
				return nil, err
			}
			places = append(places, p)
		}
	}
	return places, nil
}

// Installed returns the skill files that exist in the agents' folders, for the user and
// for the current repository. It includes files of the same name that hindsql didn't
// write.
func (h *Machine) Installed() (installed []skills.Place, err error) {
	for _, name := range Scopes() {
		scope, err := h.Scope(name)
		if err != nil {
			continue // no home, or no repository here
		}
		places, err := h.Look(scope.Folders(h.Readers), skills.All())
		if err != nil {
			return nil, err
		}
		installed = append(installed, places...)
	}
	return slices.DeleteFunc(installed, func(p skills.Place) bool { return p.State == skills.Missing }), nil
}

// InstallAction says what an install does with a skill's file, and reports whether the
// file is written.
func InstallAction(p skills.Place) (what string, writes bool) {
	switch p.State {
	case skills.Missing:
		return "new", true
	case skills.Stale:
		return "replaced: it is " + string(p.State), true
	case skills.Current:
		return string(p.State), false
	}
	return "kept: it is " + string(p.State), false
}

// Write writes the skill files of all places that may be written to. After an error it
// goes on with the next place, and returns all errors.
func (s *Scope) Write(places []skills.Place, may func(path string) bool) error {
	var errs []error
	left := error(nil)
	for _, p := range places {
		if may(p.Path) {
			errs = append(errs, p.Write(s.machine.Titles(), s.Name == Project))
		} else {
			left = errNotAll
		}
	}
	return errors.Join(append(errs, left)...)
}

// errNotAll means that a file was left as it is.
var errNotAll = errors.New("not everything was done")

// UndoCommand returns the command that undoes Write.
func (s *Scope) UndoCommand() string {
	if s.Name == User {
		return "hindsql skill uninstall"
	}
	return "hindsql skill uninstall --scope " + s.Name
}

// Remove removes the skill files that hindsql wrote. It returns a line for each removed
// file, and an error for files it can't remove.
func (s *Scope) Remove(places []skills.Place) (lines []string, err error) {
	for _, p := range places {
		if !p.IsOurs() {
			continue
		}
		if wrong := p.Remove(s.Top); wrong != nil {
			err = errors.Join(err, wrong)
			continue
		}
		lines = append(lines, s.machine.Short(p.Path)+": removed")
	}
	return lines, err
}
