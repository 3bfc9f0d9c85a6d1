package ask

import (
	"path/filepath"
	"slices"

	"hindsql/internal/atomicfile"
	"hindsql/internal/git"
)

// Around returns all paths of the repository around a folder, or of the folder if it
// isn't in a repository. The home folder has no paths.
func Around(home, folder string) Folders {
	if folders := RepositoryOf(home, folder); len(folders) > 0 {
		return folders
	}
	return pathsOf(home, folder)
}

// RepositoryOf returns all paths of the working trees of a folder's repository,
// including deleted trees still known to git; none outside of a repository. It skips
// the home folder and its parents, because their repository would contain every
// project.
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
		return nil // the repository is the home folder's, and only its worktrees are left
	}
	return folders
}

// pathsOf returns all paths of a folder; none for the home folder and its parents.
func pathsOf(home, folder string) []string {
	if folder == "" {
		return nil
	}
	return slices.DeleteFunc(spellings(folder), func(f string) bool { return holds(f, home) || holds(f, realPath(home)) })
}

// spellings returns a path as written, with its links resolved, and as spelled on a
// disk that ignores case. Logs may have any of these paths.
func spellings(path string) (names []string) {
	for _, name := range []string{path, realPath(path), atomicfile.Real(path)} {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// holds reports whether a path is the folder or below it. All paths are below a root.
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

// Under returns all paths of a scope's folder. If the path is a repository's main
// working tree or a bare repository, it adds the linked working trees.
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
