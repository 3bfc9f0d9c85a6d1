package push

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"hindsql/internal/atomicfile"
)

// Marker is the file by which a folder, and what lies below it, is private.
const Marker = ".hindsql-private"

// privateName is the file of what was private, of all targets.
const privateName = "private.json"

// listed begins the reason of what leave_out has.
const listed = "leave_out has "

// privacy knows which projects don't leave.
//
// A folder is private by the marker, by leave_out, because it was before, or because
// a working tree of its repository is. All of that is found for all projects before
// any of them is decided: the marker may lie in a tree that another project leads to.
type privacy struct {
	home     string
	leaveOut []string
	path     string
	known    map[string]string // folders that are or were private, and by what: the one with the marker, or the reason where leave_out had them
	private  map[string]string // likewise, of this look, with the folders that are by their repository; see fold
	marked   map[string]error  // by folder that was looked at: what looking for the marker gave
	said     map[string]string // by project: why it is left out; empty for no reason
	reals    *atomicfile.Reals
	repositories
}

// readPrivacy reads what was private before. What can't be read is an error: a
// push without it might send what nobody may see.
func readPrivacy(path, home string, leaveOut []string) (*privacy, error) {
	p := &privacy{home: home, path: path, known: map[string]string{}, marked: map[string]error{}, reals: atomicfile.NewReals(), repositories: newRepositories()}
	for _, folder := range leaveOut {
		// Such a one would leave out nothing, and nobody would notice.
		if !filepath.IsAbs(atomicfile.Long(home, folder)) || strings.ContainsAny(folder, "*?") {
			return nil, fmt.Errorf("leave_out: %q: is no folder from / or ~ on; what lies below one is left out with it", folder)
		}
		p.leaveOut = append(p.leaveOut, p.places(folder)...)
	}
	text, err := os.ReadFile(path)
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

// places are the folder as it is written, and its real path.
func (p *privacy) places(folder string) []string {
	folder = filepath.Clean(atomicfile.Long(p.home, folder))
	list := []string{folder}
	if real := p.reals.Of(folder); real != folder {
		list = append(list, real)
	}
	return list
}

// look decides about projects. Those that are worktrees by their paths, as the view
// projects has it, are left out for the reason of their repository, too.
func (p *privacy) look(projects []string, repositories map[string]string) {
	p.private, p.said = map[string]string{}, map[string]string{}
	p.restart()
	for _, folder := range p.leaveOut {
		p.private[fold(folder)] = listed + folder
		p.meet(folder)
	}
	for folder, of := range p.known {
		if p.still(of) == "" {
			delete(p.known, folder)
			continue
		}
		p.private[fold(folder)] = of
		p.meet(folder)
	}
	for _, project := range projects {
		p.meet(project)
		if repository, ok := repositories[project]; ok {
			p.meet(repository)
			p.join(p.places(project), p.places(repository))
		}
	}
	p.spread()
	for _, project := range projects {
		p.said[project] = p.decide(project, repositories[project])
	}
	for _, project := range projects {
		if doubt := p.doubt(project); doubt != nil && p.said[project] == "" && p.isAny() {
			p.said[project] = doubt.Error() + "; nobody can tell whether it is private"
		}
	}
}

// meet notes the markers above a folder, and above all working trees of the
// repositories that it lies in.
func (p *privacy) meet(folder string) {
	for next := p.places(folder); len(next) > 0; next = next[1:] {
		if p.met[next[0]] {
			continue
		}
		p.met[next[0]] = true
		for _, folder := range above(next[0]) {
			if marked, _ := p.isMarked(folder); marked {
				p.known[folder], p.private[fold(folder)] = folder, folder
			}
			if r := p.at(folder).of; r != nil {
				next = append(next, r.all()...)
			}
		}
	}
}

// spread makes a repository private if one of its folders is private, then makes its
// other folders private, until nothing changes. Its working trees are remembered, because git's files
// may be gone one day. If the home folder is a working tree, the other repositories
// below it aren't made private.
func (p *privacy) spread() {
	for changed := true; changed; {
		changed = false
		for _, r := range p.list {
			if r.private != "" {
				continue
			}
			if r.private = p.by(r.all()); r.private == "" {
				continue
			}
			changed = true
			for _, folder := range r.all() {
				if p.by([]string{folder}) == "" && !slices.ContainsFunc(p.places("~"), func(home string) bool { return isBelow(home, folder) }) {
					p.private[fold(folder)] = r.private
				}
			}
			p.remember(r.trees, r.private)
		}
	}
}

// by says by what one of the places is private: it is, or a folder above. It is
// empty for none.
func (p *privacy) by(places []string) string {
	for _, place := range places {
		for _, folder := range append([]string{place}, above(place)...) {
			if of := p.private[fold(folder)]; of != "" {
				return of
			}
		}
	}
	return ""
}

// decide says why a project is left out; empty for no reason.
func (p *privacy) decide(project, repository string) string {
	places := p.places(project)
	of := cmp.Or(p.by(places), p.byRepository(places), p.byCounterpart(places))
	if of == "" && repository != "" {
		of = cmp.Or(p.by(p.places(repository)), p.byRepository(p.places(repository)))
	}
	if of != "" {
		p.remember(places, of)
		return p.still(of)
	}
	for n := 0; n < len(places); n++ {
		for _, folder := range above(places[n]) {
			if _, err := p.isMarked(folder); err != nil { // nobody can tell: it may be private
				return err.Error()
			}
			for _, common := range p.at(folder).common {
				if !slices.Contains(places, common) {
					places = append(places, common)
				}
			}
		}
	}
	return ""
}

// byRepository says by what the repository is private that places lie in.
func (p *privacy) byRepository(places []string) string {
	for _, place := range places {
		for _, dir := range above(place) {
			if r := p.at(dir).of; r != nil {
				if r.private != "" {
					return r.private
				}
				break
			}
		}
	}
	return ""
}

// byCounterpart says by what the same folder of another working tree is private, such
// as that of a submodule, or one with the marker.
func (p *privacy) byCounterpart(places []string) string {
	for _, place := range places {
		for _, dir := range above(place) {
			r, rel := p.at(dir).of, strings.TrimPrefix(place, dir)
			if r == nil || rel == "" {
				continue
			}
			for _, tree := range r.all() {
				for folder := filepath.Join(tree, rel); len(folder) > len(tree); folder = filepath.Dir(folder) {
					if marked, _ := p.isMarked(folder); marked {
						p.known[folder] = folder
						return folder
					}
					if of := p.private[fold(folder)]; of != "" {
						return of
					}
				}
			}
		}
	}
	return ""
}

// remember notes by what places are private that don't lie below a private folder:
// what leads there, such as a link or a working tree, may be gone one day.
func (p *privacy) remember(places []string, of string) {
	for _, place := range places {
		if !isBelow(place, strings.TrimPrefix(of, listed)) {
			p.known[place] = of
		}
	}
}

// still says why what was private by a folder stays so: leave_out has that, the marker
// lies there, or nobody can tell any more.
func (p *privacy) still(of string) string {
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

// isMarked says whether the marker stands in a folder, whatever it is. The error
// is that of a folder which can't be looked into, such as one that a scheduler's
// programs may not open.
func (p *privacy) isMarked(folder string) (bool, error) {
	said, ok := p.marked[folder]
	if !ok {
		_, said = os.Lstat(filepath.Join(folder, Marker))
		p.marked[folder] = said
	}
	for _, none := range []error{fs.ErrNotExist, syscall.ENOTDIR, syscall.ENAMETOOLONG, syscall.EINVAL} {
		if errors.Is(said, none) {
			return false, nil
		}
	}
	return said == nil, said
}

// isGone says that a folder is there no more, or that nobody can tell.
func isGone(folder string) bool {
	_, err := os.Stat(folder)
	return err != nil
}

// above are a folder, and those that it lies in.
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

// isBelow says that a path is a folder, or lies below it.
func isBelow(path, folder string) bool {
	rest, ok := strings.CutPrefix(fold(path), strings.TrimRight(fold(folder), string(filepath.Separator)))
	return ok && (rest == "" || os.IsPathSeparator(rest[0]))
}

// fold is a path in lower case where systems commonly ignore it, for folders that are
// gone: what is there has a real path.
func fold(path string) string {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return strings.ToLower(path)
	}
	return path
}

// save keeps what is private for later pushes.
func (p *privacy) save() error {
	text, err := json.MarshalIndent(p.known, "", " ")
	if err != nil {
		return err
	}
	if old, err := os.ReadFile(p.path); err == nil && string(old) == string(text) || err != nil && len(p.known) == 0 {
		return nil
	}
	return atomicfile.Write(p.path, text)
}

// leftOut are those of the projects that don't leave.
func (p *privacy) leftOut(projects []string) (list []LeftOut) {
	for _, project := range projects {
		if why := p.said[project]; why != "" {
			list = append(list, LeftOut{project, why})
		}
	}
	return list
}

// digest tells what is said of projects from anything else.
func (p *privacy) digest(projects []string) string {
	var texts []string
	for _, l := range p.leftOut(projects) {
		texts = append(texts, l.Project)
	}
	return digest(append(texts, fmt.Sprint(p.isAny()))...)
}

// isAny says that something is private, of a project or not.
func (p *privacy) isAny() bool { return len(p.leaveOut)+len(p.known) > 0 }
