package ask

import (
	"path/filepath"
	"slices"

	"hindsql/internal/atomicfile"
	"hindsql/internal/git"
)

// Around returns all paths of the repository that contains a folder. Outside of a
// repository it returns all paths of the folder; none for the home folder.
func Around(home, folder string) Folders {
	if folders := RepositoryOf(home, folder); len(folders) > 0 {
		return folders
	}
	return pathsOf(home, folder)
}

// RepositoryOf returns all paths of all working trees of a folder's repository,
// including deleted trees still known to git; none outside of a repository. The home
// folder and its parents are left out, because a repository there would contain every
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
		return nil // the repository is the home folder's; only its other worktrees would be left
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

// spellings returns the different paths of a folder: as written, with symbolic links
// resolved, and with the case of letters on disk. Logs may have any of these paths.
func spellings(path string) (names []string) {
	for _, name := range []string{path, realPath(path), atomicfile.Real(path)} {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// holds reports whether a path is the folder or below it. The root of a disk holds
// every path.
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

// Under returns all paths of a folder that the user chose as the scope. If the folder
// is a repository's main working tree or a bare repository, Under adds the linked
// working trees.
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
