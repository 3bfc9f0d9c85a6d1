package ask

import (
	"path/filepath"
	"slices"

	"hindsql/internal/atomicfile"
	"hindsql/internal/git"
)

// Around is the repository that a folder lies in, else the folder, by all of its
// names. The home folder is neither.
func Around(home, folder string) Folders {
	if folders := RepositoryOf(home, folder); len(folders) > 0 {
		return folders
	}
	return pathsOf(home, folder)
}

// RepositoryOf gives the working trees of the repository that a folder lies in,
// those that are gone but not forgotten too, by all of their names; none where
// there is no repository. The home folder is none, nor what lies above it: as a
// repository it would be everything's.
func RepositoryOf(home, folder string) (folders Folders) {
	names := pathsOf(home, folder)
	for _, name := range names {
		repository, _ := git.Of(name)
		for _, tree := range repository.Trees {
			for _, f := range pathsOf(home, tree) {
				if !slices.Contains(folders, f) {
					folders = append(folders, f)
				}
			}
		}
	}
	if !slices.ContainsFunc(names, func(name string) bool {
		return slices.ContainsFunc(folders, func(f string) bool { return holds(f, name) })
	}) {
		return nil // the home folder's, of which only worktrees are left
	}
	return folders
}

// pathsOf gives all names of a folder. The home folder and the folders above it have
// none.
func pathsOf(home, folder string) []string {
	if folder == "" {
		return nil
	}
	return slices.DeleteFunc(spellings(folder), func(f string) bool { return holds(f, home) || holds(f, realPath(home)) })
}

// spellings gives a path as it is written, where its links lead, and as its folders
// spell it where case doesn't matter. Logs may have any of these names.
func spellings(path string) (names []string) {
	for _, name := range []string{path, realPath(path), atomicfile.Real(path)} {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// holds says that a path is the folder, or below it. Every path is below a root.
func holds(folder, path string) bool {
	if folder == filepath.Dir(folder) {
		return true
	}
	rel, err := filepath.Rel(folder, path)
	return err == nil && path != "" && filepath.IsLocal(rel)
}

func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// Under are the folders of a path that a scope names: all names of it, and the linked
// working trees if the path is a repository's main working tree or a bare repository.
func Under(home, path string) Folders {
	folders := Folders(spellings(path))
	for _, f := range folders {
		if repository, ok := git.NewReader().At(f); ok && repository.Main == f {
			for _, tree := range RepositoryOf(home, f) {
				if !slices.Contains(folders, tree) {
					folders = append(folders, tree)
				}
			}
		}
	}
	return folders
}
