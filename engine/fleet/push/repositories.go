package push

import (
	"cmp"
	"slices"

	"hindsql/internal/git"
)

// repository is a git repository of this machine.
type repository struct {
	trees   []string // working trees, by all of their names
	others  []string // folders that may be working trees, and git's own folder
	has     map[string]bool
	private string // reason why the repository is private, as in privacy.known
	around  *error // cached result of doubtAround; nil if not computed yet
}

// all returns every folder that can make the repository private.
func (r *repository) all() []string { return slices.Concat(r.trees, r.others) }

func (r *repository) add(list *[]string, folders []string) {
	for _, folder := range folders {
		if !r.has[folder] {
			r.has[folder] = true
			*list = append(*list, folder)
		}
	}
}

// gitRole is a folder's role in git.
type gitRole struct {
	of     *repository // nil if the folder is no working tree
	common []string    // git's common folder of the repository, by all of its names
	doubt  error       // reason why the repository may have other working trees; nil if certain
}

// repositories holds the repositories of projects, and of other folders that findMarkers
// visits.
type repositories struct {
	git      *git.Reader
	folders  map[string]gitRole // folders already examined
	byCommon map[string]*repository
	list     []*repository
	met      map[string]bool // folders whose parents were all examined
}

func newRepositories() repositories {
	return repositories{git: git.NewReader(), folders: map[string]gitRole{}, byCommon: map[string]*repository{}}
}

// restart forgets the results of the last look, except the content of git's files.
func (all *repositories) restart() {
	all.met, all.list = map[string]bool{}, nil
	for _, r := range all.byCommon {
		r.private, r.around = "", nil
		all.list = append(all.list, r)
	}
}

// roleOf returns a folder's role in git. Each folder of a repository may know only some
// of its working trees, so roleOf joins their lists.
func (p *privacy) roleOf(folder string) gitRole {
	if found, ok := p.folders[folder]; ok {
		return found
	}
	p.folders[folder] = gitRole{}
	found, ok := p.git.At(folder)
	if !ok {
		return gitRole{}
	}
	common := p.places(found.Common)
	key := common[len(common)-1]
	r := p.byCommon[key]
	if r == nil {
		r = &repository{has: map[string]bool{}}
		p.byCommon[key], p.list = r, append(p.list, r)
	}
	for _, tree := range found.Trees {
		r.add(&r.trees, p.places(tree))
	}
	for _, other := range append(found.Claims, found.Common) {
		r.add(&r.others, p.places(other))
	}
	p.folders[folder] = gitRole{r, common, found.Doubt}
	return p.folders[folder]
}

// joinRepositories makes one repository of a project and the folder that the project's
// path shows to be its repository. It does nothing if git itself knows a repository
// around the project.
func (p *privacy) joinRepositories(project, repositoryOf []string) {
	for _, place := range project {
		for _, dir := range above(place) {
			if p.roleOf(dir).of != nil {
				return
			}
		}
	}
	p.list = append(p.list, &repository{trees: slices.Concat(repositoryOf, project)})
}

// doubt returns the reason why a project may be private through its repository, or
// through a repository around one of the working trees. It is nil if certain.
func (p *privacy) doubt(project string) error {
	for _, name := range p.places(project) {
		for _, dir := range above(name) {
			here := p.roleOf(dir)
			if here.of == nil {
				continue
			}
			if doubt := cmp.Or(here.doubt, p.doubtAround(here.of)); doubt != nil {
				return doubt
			}
		}
	}
	return nil
}

// doubtAround returns the doubt (see gitFolder) of another repository that a working
// tree of r lies in; nil if none has a doubt.
func (p *privacy) doubtAround(r *repository) error {
	if r.around == nil {
		var doubt error
		for _, tree := range r.trees {
			for _, dir := range above(tree) {
				if there := p.roleOf(dir); there.of != r {
					doubt = cmp.Or(doubt, there.doubt)
				}
			}
		}
		r.around = &doubt
	}
	return *r.around
}
