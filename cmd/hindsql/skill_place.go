package main

import (
	"path/filepath"
	"slices"

	"hindsql/readers"
	"hindsql/skills"
)

// skillScope is where skills hold: in all of a user's projects, or in one.
type skillScope struct {
	name    string
	top     string // the home folder, or that of the repository
	modes   skills.Modes
	folders func(*readers.Reader) []string // in which an agent looks for skills there, its own first
}

var skillScopes = []string{scopeUser, scopeProject}

func scopeNamed(w *world, name string) (skillScope, error) {
	switch name {
	case scopeUser:
		if w.home == "" {
			return skillScope{}, usagef("--scope user: no home folder is known; --scope project is for this repository")
		}
		return skillScope{name, w.home, skills.Private, func(r *readers.Reader) []string { return userSkills(w, r) }}, nil
	case scopeProject:
		top := workTree(w)
		if top == "" {
			return skillScope{}, usagef("--scope project: %s: no repository here; start it in one", w.short(w.folder))
		}
		return skillScope{name, top, skills.Shared, func(r *readers.Reader) []string {
			var list []string
			for _, rel := range r.Skills.Project {
				list = append(list, filepath.Join(top, filepath.FromSlash(rel)))
			}
			return list
		}}, nil
	}
	return skillScope{}, usagef("--scope is %s or %s, not %q", scopeUser, scopeProject, name)
}

func userSkills(w *world, r *readers.Reader) []string {
	if r.Skills.User == nil {
		return nil
	}
	return r.Skills.User(w.host())
}

// allFolders are those that any of the agents looks into, each once: one that is
// a link to another isn't a second one.
func (s *skillScope) allFolders(list []*readers.Reader) (all []string) {
	var real []string
	for _, r := range list {
		for _, folder := range s.folders(r) {
			if !slices.Contains(real, realPath(folder)) {
				all, real = append(all, folder), append(real, realPath(folder))
			}
		}
	}
	return all
}

// cover chooses folders so that each of the agents looks into one of them. An
// agent that reads one folder only decides; one that reads that, too, needs no
// other.
func (s *skillScope) cover(list []*readers.Reader) (chosen []string) {
	has := func(r *readers.Reader) bool {
		return slices.ContainsFunc(s.folders(r), func(f string) bool {
			return slices.ContainsFunc(chosen, func(c string) bool { return realPath(c) == realPath(f) })
		})
	}
	for _, only := range []bool{true, false} {
		for _, r := range list {
			if folders := s.folders(r); len(folders) > 0 && (len(folders) == 1) == only && !has(r) {
				chosen = append(chosen, folders[0])
			}
		}
	}
	return chosen
}

// readBy are the titles of the agents that look into a folder.
func (s *skillScope) readBy(folder string, list []*readers.Reader) (titles []string) {
	for _, r := range list {
		if slices.ContainsFunc(s.folders(r), func(f string) bool { return realPath(f) == realPath(folder) }) {
			titles = append(titles, r.Title)
		}
	}
	return titles
}
