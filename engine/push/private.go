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

	"hindsql/readers/files"
)

// Marker is the file by which a folder, and what lies below it, is private.
const Marker = ".hindsql-private"

// privateName is the file of what was private, of all targets.
const privateName = "private.json"

// privacy knows which folders don't leave.
type privacy struct {
	home     string
	leaveOut []string
	path     string
	known    map[string]string // folders that were private: the one with the marker; they stay so when that one is gone
	marked   map[string]bool   // by folder that was looked at
	said     map[string]string // by project: why it is left out; empty for no reason
}

// readPrivacy reads what was private before. What can't be read is an error: a
// push without it might send what nobody may see.
func readPrivacy(path, home string, leaveOut []string) (*privacy, error) {
	p := &privacy{home: home, path: path, known: map[string]string{}, marked: map[string]bool{}, said: map[string]string{}}
	for _, folder := range leaveOut {
		if strings.TrimSpace(folder) == "" {
			return nil, errors.New("leave_out: an empty folder")
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
	if real, err := filepath.EvalSymlinks(folder); err == nil && real != folder {
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
	for _, place := range places {
		for _, folder := range p.leaveOut {
			if isBelow(place, folder) {
				return "leave_out has " + folder
			}
		}
	}
	for _, place := range places {
		for _, folder := range above(place) {
			if p.isMarked(folder) {
				p.remember(places, folder)
				return filepath.Join(folder, Marker)
			}
		}
	}
	for folder, marked := range p.known {
		if isGone(marked) && slices.ContainsFunc(places, func(place string) bool { return isBelow(place, folder) }) {
			return filepath.Join(marked, Marker) + ", when it was there"
		}
	}
	return ""
}

// remember notes that folders are private by a marked one.
func (p *privacy) remember(places []string, marked string) {
	p.known[marked] = marked
	for _, place := range places {
		if !isBelow(place, marked) {
			p.known[place] = marked
		}
	}
}

// with leaves out a project that is a worktree of another one, for its reason.
func (p *privacy) with(project, repository string) {
	if reason := p.why(repository); reason != "" && p.why(project) == "" {
		p.said[project] = reason
		for _, marked := range p.known {
			if reason == filepath.Join(marked, Marker) {
				p.known[filepath.Clean(files.Long(p.home, project))] = marked
			}
		}
	}
}

// isMarked says whether the marker stands in a folder, whatever it is.
func (p *privacy) isMarked(folder string) bool {
	marked, ok := p.marked[folder]
	if !ok {
		_, err := os.Lstat(filepath.Join(folder, Marker))
		marked = err == nil
		p.marked[folder] = marked
	}
	return marked
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
		if !isGone(marked) && !p.isMarked(marked) {
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
	return digest(texts...)
}
