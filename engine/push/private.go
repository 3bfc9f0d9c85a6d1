package push

import (
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

	"hindsql/readers/files"
)

// Marker is the file by which a folder, and what lies below it, is private.
const Marker = ".hindsql-private"

// privateName is the file of what was private, of all targets.
const privateName = "private.json"

// listed begins the reason of what leave_out has.
const listed = "leave_out has "

// privacy knows which folders don't leave.
type privacy struct {
	home     string
	leaveOut []string
	path     string
	known    map[string]string // folders that were private, and by what: the one with the marker, or the reason where leave_out had them
	marked   map[string]error  // by folder that was looked at: what looking for the marker gave
	said     map[string]string // by project: why it is left out; empty for no reason
}

// readPrivacy reads what was private before. What can't be read is an error: a
// push without it might send what nobody may see.
func readPrivacy(path, home string, leaveOut []string) (*privacy, error) {
	p := &privacy{home: home, path: path, known: map[string]string{}, marked: map[string]error{}, said: map[string]string{}}
	for _, folder := range leaveOut {
		// Such a one would leave out nothing, and nobody would notice.
		if !filepath.IsAbs(files.Long(home, folder)) || strings.ContainsAny(folder, "*?") {
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

// places are the folder as it is written, and as it is without symbolic links.
func (p *privacy) places(folder string) []string {
	folder = filepath.Clean(files.Long(p.home, folder))
	list := []string{folder}
	if real := files.WithoutLinks(folder); real != folder {
		list = append(list, real)
	}
	return list
}

// why says why a project is left out; empty for none.
func (p *privacy) why(project string) string {
	if project == "" {
		return ""
	}
	said, ok := p.said[project]
	if !ok {
		said = p.decide(project)
		p.said[project] = said
	}
	return said
}

func (p *privacy) decide(project string) string {
	places := p.places(project)
	all := p.withWorkingTree(places)
	for _, place := range all {
		for _, folder := range p.leaveOut {
			if isBelow(place, folder) {
				p.remember(places, folder, listed+folder)
				return listed + folder
			}
		}
	}
	for _, place := range all {
		for _, folder := range above(place) {
			switch marked, err := p.isMarked(folder); {
			case marked:
				p.known[folder] = folder
				p.remember(places, folder, folder)
				return filepath.Join(folder, Marker)
			case err != nil: // nobody can tell: it may be private
				return err.Error()
			}
		}
	}
	for folder, of := range p.known {
		if slices.ContainsFunc(places, func(place string) bool { return isBelow(place, folder) }) {
			if why := p.still(of); why != "" {
				return why
			}
		}
	}
	return ""
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

// withWorkingTree are the places, and the main working trees of those in one of
// git's: a file .git there names the repository.
func (p *privacy) withWorkingTree(places []string) []string {
	list := slices.Clone(places)
	for _, place := range places {
		for _, folder := range above(place) {
			text, err := os.ReadFile(filepath.Join(folder, ".git"))
			if dir, ok := strings.CutPrefix(string(text), "gitdir: "); err == nil && ok {
				dir = strings.TrimSpace(dir)
				if !filepath.IsAbs(dir) {
					dir = filepath.Join(folder, dir)
				}
				list = append(list, p.places(filepath.Dir(dir))...)
			}
		}
	}
	return list
}

// remember notes by what places are private that don't lie below a private folder:
// what leads there, such as a link or a working tree, may be gone one day.
func (p *privacy) remember(places []string, folder, of string) {
	for _, place := range places {
		if !isBelow(place, folder) {
			p.known[place] = of
		}
	}
}

// look decides about projects, and about those that are worktrees of a repository
// for its reason, too.
func (p *privacy) look(projects []string, repositories map[string]string) {
	for _, project := range projects {
		p.with(project, repositories[project])
	}
}

// with leaves out a project that is a worktree of another one, for its reason.
func (p *privacy) with(project, repository string) {
	if reason := p.why(repository); reason != "" && p.why(project) == "" {
		p.said[project] = reason
		place := filepath.Clean(files.Long(p.home, project))
		if strings.HasPrefix(reason, listed) {
			p.known[place] = reason
		}
		for _, of := range p.known {
			if reason == filepath.Join(of, Marker) {
				p.known[place] = of
			}
		}
	}
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
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		path, folder = strings.ToLower(path), strings.ToLower(folder)
	}
	rest, ok := strings.CutPrefix(path, strings.TrimRight(folder, string(filepath.Separator)))
	return ok && (rest == "" || os.IsPathSeparator(rest[0]))
}

// save keeps what is private for later pushes. Of a folder that is there without
// the marker, nothing is kept.
func (p *privacy) save() error {
	for folder, marked := range p.known {
		if p.still(marked) == "" {
			delete(p.known, folder)
		}
	}
	text, err := json.MarshalIndent(p.known, "", " ")
	if err != nil {
		return err
	}
	if old, err := os.ReadFile(p.path); err == nil && string(old) == string(text) || err != nil && len(p.known) == 0 {
		return nil
	}
	return files.Write(p.path, text)
}

// leftOut are those of the projects that don't leave.
func (p *privacy) leftOut(projects []string) (list []LeftOut) {
	for _, project := range projects {
		if why := p.why(project); why != "" {
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
