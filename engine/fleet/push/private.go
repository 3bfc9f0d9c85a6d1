package push

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hindsql/internal/atomicfile"
	"hindsql/internal/lists"
	"hindsql/internal/regular"
	"hindsql/internal/spelling"
)

// Marker is the name of the file that makes its folder private, with all folders below.
const Marker = ".hindsql-private"

// privateName is the file that remembers private folders, for all targets.
const privateName = "private.json"

// listed begins the reason for a folder in leave_out.
const listed = "leave_out has "

// privacy decides which projects are private and stay on this machine.
//
// A folder is private if it has the marker, if leave_out lists it, if it was private
// before, or if a working tree of its repository is private. look finds the private
// folders of all projects before it decides about any: the marker may lie in a working
// tree that only the git files of another project name.
type privacy struct {
	home     string
	rule     spelling.Rule // tells folders apart that don't exist any more
	leaveOut []string
	path     string
	known    map[string]string // folder to reason: the folder with the marker, or a text that begins with listed; kept for later pushes
	private  map[string]string // like known, for the current look only, with folders that are private by their repository; keys folded by rule
	marked   map[string]error  // folder to the error of looking for the marker; nil if the marker was found
	said     map[string]string // project to the reason for leaving it out; empty if the project leaves
	reals    *atomicfile.Reals
	repositories
}

// readPrivacy reads the folders that were private before. It returns an error if the
// file can't be read, because the push might send private rows.
func readPrivacy(path, home string, leaveOut []string) (*privacy, error) {
	p := &privacy{home: home, rule: spelling.Here(), path: path, known: map[string]string{}, marked: map[string]error{}, reals: atomicfile.NewReals(), repositories: newRepositories()}
	for _, folder := range leaveOut {
		// A relative folder or a pattern would leave out no project, and the user
		// wouldn't notice.
		if !filepath.IsAbs(atomicfile.Long(home, folder)) || strings.ContainsAny(folder, "*?") {
			return nil, fmt.Errorf("leave_out: %q: is no folder from / or ~ on; what lies below one is left out with it", folder)
		}
		p.leaveOut = append(p.leaveOut, p.places(folder)...)
	}
	text, err := regular.Read(path, regular.Own)
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &p.known)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w; it says which projects were private, look at it, or remove it", path, err)
	}
	return p, nil
}

// places returns the folder as written, and its real path if different.
func (p *privacy) places(folder string) []string {
	folder = filepath.Clean(atomicfile.Long(p.home, folder))
	list := []string{folder}
	if real := p.reals.Of(folder); real != folder {
		list = append(list, real)
	}
	return list
}

// decide decides about projects. repositories maps a worktree that is known only by its
// path to its repository (see view projects). If the repository is private, the
// worktree is, too.
func (p *privacy) decide(projects []string, repositories map[string]string) {
	p.private, p.said = map[string]string{}, map[string]string{}
	p.restart()
	for _, folder := range p.leaveOut {
		p.private[p.rule.Fold(folder)] = listed + folder
		p.findMarkers(folder)
	}
	for folder, of := range p.known {
		if p.currentReason(of) == "" {
			delete(p.known, folder)
			continue
		}
		p.private[p.rule.Fold(folder)] = of
		p.findMarkers(folder)
	}
	for _, project := range projects {
		p.findMarkers(project)
		if repository, ok := repositories[project]; ok {
			p.findMarkers(repository)
			p.joinRepositories(p.places(project), p.places(repository))
		}
	}
	p.spreadToRepositories()
	for _, project := range projects {
		p.said[project] = p.reasonFor(project, repositories[project])
	}
	for _, project := range projects {
		if doubt := p.doubt(project); doubt != nil && p.said[project] == "" && p.isAny() {
			p.said[project] = doubt.Error() + "; nobody can tell whether it is private"
		}
	}
}

// findMarkers finds the markers in a folder and its parents. If one of these folders is
// in a git repository, findMarkers does the same for all working trees of the
// repository.
func (p *privacy) findMarkers(folder string) {
	for next := p.places(folder); len(next) > 0; next = next[1:] {
		if p.met[next[0]] {
			continue
		}
		p.met[next[0]] = true
		for _, folder := range above(next[0]) {
			if marked, _ := p.isMarked(folder); marked {
				p.known[folder], p.private[p.rule.Fold(folder)] = folder, folder
			}
			if r := p.roleOf(folder).of; r != nil {
				next = append(next, r.all()...)
			}
		}
	}
}

// spreadToRepositories makes all folders of a repository private if one of them is, and repeats until
// nothing changes. It remembers the working trees, because git's files may be deleted
// later. If the home folder is a working tree, other repositories below the home folder
// don't become private.
func (p *privacy) spreadToRepositories() {
	for changed := true; changed; {
		changed = false
		for _, r := range p.list {
			if r.private != "" {
				continue
			}
			if r.private = p.reasonAt(r.all()); r.private == "" {
				continue
			}
			changed = true
			for _, folder := range r.all() {
				if p.reasonAt([]string{folder}) == "" && !slices.ContainsFunc(p.places("~"), func(home string) bool { return p.rule.IsBelow(home, folder) }) {
					p.private[p.rule.Fold(folder)] = r.private
				}
			}
			p.recordPrivate(r.trees, r.private)
		}
	}
}

// reasonAt returns the reason why one of the places, or a folder above, is private. It is
// empty if all are public.
func (p *privacy) reasonAt(places []string) string {
	for _, place := range places {
		for _, folder := range append([]string{place}, above(place)...) {
			if of := p.private[p.rule.Fold(folder)]; of != "" {
				return of
			}
		}
	}
	return ""
}

// reasonFor returns the reason for leaving out a project. It is empty if the project
// leaves.
func (p *privacy) reasonFor(project, repository string) string {
	places := p.places(project)
	of := cmp.Or(p.reasonAt(places), p.reasonAtRepository(places), p.reasonAtCounterpart(places))
	if of == "" && repository != "" {
		of = cmp.Or(p.reasonAt(p.places(repository)), p.reasonAtRepository(p.places(repository)))
	}
	if of != "" {
		p.recordPrivate(places, of)
		return p.currentReason(of)
	}
	for n := 0; n < len(places); n++ {
		for _, folder := range above(places[n]) {
			if _, err := p.isMarked(folder); err != nil { // unknown, so the project may be private
				return err.Error()
			}
			for _, common := range p.roleOf(folder).common {
				if !slices.Contains(places, common) {
					places = append(places, common)
				}
			}
		}
	}
	return ""
}

// reasonAtRepository returns the reason why the repository around places is private.
func (p *privacy) reasonAtRepository(places []string) string {
	for _, place := range places {
		for _, dir := range above(place) {
			if r := p.roleOf(dir).of; r != nil {
				if r.private != "" {
					return r.private
				}
				break
			}
		}
	}
	return ""
}

// reasonAtCounterpart returns the reason why the same folder in another working tree is
// private. Such a folder may be a submodule, or have the marker.
func (p *privacy) reasonAtCounterpart(places []string) string {
	for _, place := range places {
		for _, dir := range above(place) {
			r, rel := p.roleOf(dir).of, strings.TrimPrefix(place, dir)
			if r == nil || rel == "" {
				continue
			}
			for _, tree := range r.all() {
				for folder := filepath.Join(tree, rel); len(folder) > len(tree); folder = filepath.Dir(folder) {
					if marked, _ := p.isMarked(folder); marked {
						p.known[folder] = folder
						return folder
					}
					if of := p.private[p.rule.Fold(folder)]; of != "" {
						return of
					}
				}
			}
		}
	}
	return ""
}

// recordPrivate records, for later pushes, places that are private because of the folder of,
// but don't lie below it. The link or working tree that connects them with of may be
// deleted later.
func (p *privacy) recordPrivate(places []string, of string) {
	for _, place := range places {
		if !p.rule.IsBelow(place, strings.TrimPrefix(of, listed)) {
			p.known[place] = of
		}
	}
}

// currentReason returns the reason why a folder made private by of stays private:
// leave_out lists of, the marker still lies in of, or of can't be read any more.
func (p *privacy) currentReason(of string) string {
	if folder, is := strings.CutPrefix(of, listed); is {
		if slices.Contains(p.leaveOut, folder) {
			return of
		}
		return ""
	}
	switch marked, err := p.isMarked(of); {
	case marked:
		return filepath.Join(of, Marker)
	case err != nil || isGone(of):
		return filepath.Join(of, Marker) + ", when it was there"
	}
	return ""
}

// isMarked reports whether a folder contains the marker, as a file of any type. It
// returns an error if the folder can't be read, for example by a scheduler's programs.
func (p *privacy) isMarked(folder string) (bool, error) {
	said, ok := p.marked[folder]
	if !ok {
		_, said = os.Lstat(filepath.Join(folder, Marker))
		p.marked[folder] = said
	}
	if regular.IsMissing(said) {
		return false, nil
	}
	return said == nil, said
}

// isGone reports whether a folder is missing or can't be read.
func isGone(folder string) bool {
	_, err := os.Stat(folder)
	return err != nil
}

// above returns a folder and all its parent folders.
func above(folder string) (list []string) {
	for filepath.IsAbs(folder) {
		list = append(list, folder)
		if filepath.Dir(folder) == folder {
			break
		}
		folder = filepath.Dir(folder)
	}
	return list
}

// save keeps the private folders for later pushes.
func (p *privacy) save() error {
	text, err := json.MarshalIndent(p.known, "", " ")
	if err != nil {
		return err
	}
	if old, err := regular.Read(p.path, regular.Own); err == nil && string(old) == string(text) || err != nil && len(p.known) == 0 {
		return nil
	}
	return atomicfile.Write(p.path, text)
}

// digest returns a hash of the decisions about projects.
func (p *privacy) digest(projects []string) string {
	texts := lists.Map(p.leftOut(projects), func(l LeftOut) string { return l.Project })
	return digest(append(texts, fmt.Sprint(p.isAny()))...)
}

// isAny reports whether anything is private, with or without a project.
func (p *privacy) isAny() bool { return len(p.leaveOut)+len(p.known) > 0 }
