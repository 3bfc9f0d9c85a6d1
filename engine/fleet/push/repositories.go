package push

import (
	"cmp"
	"slices"

	"hindsql/internal/git"
)

// repository is a repository of this machine.
type repository struct {
	trees   []string // working trees, by all of their names
	others  []string // folders that may be working trees, and git's own folder
	has     map[string]bool
	private string // by what it is private, as in privacy.known
	around  *error // see doubtAround; nil while that isn't looked for
}

// all are the folders by which the repository may be private.
func (r *repository) all() []string { return slices.Concat(r.trees, r.others) }

func (r *repository) add(list *[]string, folders []string) {
	for _, folder := range folders {
		if !r.has[folder] {
			r.has[folder] = true
			*list = append(*list, folder)
		}
	}
}

// gitFolder is what a folder is to git.
type gitFolder struct {
	of     *repository // nil for a folder that is no working tree
	common []string    // its own folder of git's
	doubt  error       // why the repository may have other working trees; nil for no doubt
}

// repositories are the repositories of projects, and of the folders that those lead to.
type repositories struct {
	git      *git.Reader
	folders  map[string]gitFolder // that were looked at
	byCommon map[string]*repository
	list     []*repository
	met      map[string]bool // folders above which all was looked at
}

func newRepositories() repositories {
	return repositories{git: git.NewReader(), folders: map[string]gitFolder{}, byCommon: map[string]*repository{}}
}

// restart forgets what a look found, but for what git's files say.
func (all *repositories) restart() {
	all.met, all.list = map[string]bool{}, nil
	for _, r := range all.byCommon {
		r.private, r.around = "", nil
		all.list = append(all.list, r)
	}
}

// at says what a folder is to git. Each folder of a repository may know only some of
// its working trees: what they know is joined.
func (p *privacy) at(folder string) gitFolder {
	if found, ok := p.folders[folder]; ok {
		return found
	}
	p.folders[folder] = gitFolder{}
	found, ok := p.git.At(folder)
	if !ok {
		return gitFolder{}
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
	p.folders[folder] = gitFolder{r, common, found.Doubt}
	return p.folders[folder]
}

// join has a project of which git knows nothing be in a repository by its path.
func (p *privacy) join(project, repositoryOf []string) {
	for _, place := range project {
		for _, dir := range above(place) {
			if p.at(dir).of != nil {
				return
			}
		}
	}
	p.list = append(p.list, &repository{trees: slices.Concat(repositoryOf, project)})
}

// doubt says why nobody can tell whether a project is private by its repository, or by
// the one that a working tree of it lies in. It is nil for no doubt.
func (p *privacy) doubt(project string) error {
	for _, name := range p.places(project) {
		for _, dir := range above(name) {
			here := p.at(dir)
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

// doubtAround is the doubt of other repositories that the working trees of one lie in.
func (p *privacy) doubtAround(r *repository) error {
	if r.around == nil {
		var doubt error
		for _, tree := range r.trees {
			for _, dir := range above(tree) {
				if there := p.at(dir); there.of != r {
					doubt = cmp.Or(doubt, there.doubt)
				}
			}
		}
		r.around = &doubt
	}
	return *r.around
}
