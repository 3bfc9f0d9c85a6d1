package agents_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"hindsql/cmd/hindsql/agents"
	"hindsql/internal/atomicfile"
	"hindsql/internal/posix"
)

// TestOutside: a link out of the repository is found in any folder of a path. A link
// that stays inside is none, nor is a link to the repository.
func TestOutside(t *testing.T) {
	posix.Links(t)
	top := atomicfile.Real(t.TempDir())
	at := func(names ...string) string { return filepath.Join(append([]string{top}, names...)...) }
	if err := errors.Join(
		os.MkdirAll(at("repo", "own"), 0o700), os.MkdirAll(at("other", "skills"), 0o700), os.WriteFile(at("other", "x.json"), nil, 0o600),
		os.Symlink("repo", at("link")), os.Symlink("own", at("repo", "inside")),
		os.Symlink(at("other"), at("repo", "folder")), os.Symlink("../other/x.json", at("repo", "file")),
		os.Symlink("../x.json", at("other", "skills", "SKILL.md")),
	); err != nil {
		t.Fatal(err)
	}
	for _, tree := range []string{at("repo"), at("link")} {
		h := &agents.Machine{Tree: tree}
		for path, want := range map[string]agents.OutsideLink{
			"own/new/a.json":         {},
			"inside/a.json":          {},
			"none":                   {},
			"../other/x.json":        {}, // not below the repository
			"file":                   {filepath.Join(tree, "file"), at("other", "x.json")},
			"folder/new/SKILL.md":    {filepath.Join(tree, "folder"), at("other")},
			"folder/skills/SKILL.md": {filepath.Join(tree, "folder"), at("other", "x.json")},
		} {
			got, leads := h.Outside(filepath.Join(tree, filepath.FromSlash(path)))
			if got != want || leads != (want != agents.OutsideLink{}) {
				t.Errorf("%s in %s: %v %v, want %v", path, tree, got, leads, want)
			}
		}
	}
}
