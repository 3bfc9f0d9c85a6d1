package readers

import "os"

// SkillFolders lists the folders in which an agent looks for skills. Each skill has its
// own subfolder with a file SKILL.md (agentskills.io). The agent's own folder comes
// first, then the foreign folders the agent reads. Any one of them suffices. Either None
// is set, or User and Project.
type SkillFolders struct {
	None    string              // for people, why hindsql installs no skills: the agent reads none, or its folders are unknown; otherwise empty
	User    func(Host) []string // folders for all of the user's projects; nil if None is set
	Project []string            // paths below the root of a repository, slash-separated
}

// SharedSkills is the folder, below a home folder or a repository, that belongs to no
// agent and that most agents read. Each agent's package names the source of that fact.
const SharedSkills = ".agents/skills"

// HomeFolders returns a function for folders below the home folder.
func HomeFolders(rel ...string) func(Host) []string {
	return func(host Host) []string { return namedIn(host.Home, rel) }
}

// IsHere reports whether the agent is used on this machine: a root or a settings folder
// exists. roots are those of flags, as in [Reader.Places].
func (r *Reader) IsHere(host Host, roots []string) bool {
	for _, place := range r.Places(host, roots) {
		if isFolder(place.Path) {
			return true
		}
	}
	if r.Settings != nil {
		for _, folder := range r.Settings(host) {
			if isFolder(folder) {
				return true
			}
		}
	}
	return false
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
