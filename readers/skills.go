package readers

import "os"

// SkillFolders are the folders in which an agent looks for skills, each in a
// folder of its own with a file SKILL.md (agentskills.io): its own folder
// first, then what it reads of others. Any one of them will do.
type SkillFolders struct {
	User    func(Host) []string // for all of the user's projects; nil for none
	Project []string            // below the root of a repository, slash-separated
}

// SharedSkills is the folder, below a home folder or a repository, that belongs
// to no agent and that most read: their packages say where that was seen.
const SharedSkills = ".agents/skills"

// HomeFolders gives folders below the home folder.
func HomeFolders(rel ...string) func(Host) []string {
	return func(host Host) []string { return namedIn(host.Home, rel) }
}

// IsHere says whether the agent is used on this machine: one of its roots is
// there, or a folder of its settings. roots are those of flags, as in
// [Reader.Places].
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
