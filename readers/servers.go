package readers

import (
	"os"
	"path/filepath"
	"slices"

	"hindsql/internal/lists"
)

// Servers declares how to register an MCP server with an agent. In command lines and
// entries, NAME stands for the server's name, PROGRAM for the path of its program, ARGS
// for the program's arguments, and LINE for PROGRAM and ARGS together. Either None is
// set, or User, Key and Entry.
type Servers struct {
	None string // for people, why hindsql can't register a server: the agent uses none, or its settings are unknown; otherwise empty

	// Add is the agent's own command line for registering a user's server. Remove is
	// the command line for unregistering the server. Each is nil if the agent has no
	// command that runs without a question. ENTRY is the entry as JSON, and NAMED is the
	// entry with a field "name".
	Add, Remove []string
	Replaces    bool // Add replaces an entry with the same name; if false, Remove must run first

	User    func(Host) []ServerFile // the user's settings files that list servers
	Project []string                // a repository's settings files, slash-separated below its root: alternatives, as in ServerFile.Paths
	Key     []string                // path of keys to the servers by name in the file
	Entry   string                  // a server's entry as JSON; a file named *.toml gets it as TOML

	// Note and ProjectNote are extra notes for people, or empty. People already know
	// that only new sessions start the server.
	Note, ProjectNote string
}

// ServerFile is a user's settings file that lists MCP servers. The format is JSON with
// or without comments, or TOML.
type ServerFile struct {
	// Paths holds the file's absolute path, or the paths of several files that the
	// agent reads together. If all are missing, the user gets the first to write.
	Paths  []string
	ByHand bool // the agent's own command changes another file
}

// UserServers returns a function for a settings file in a folder, by possible names.
func UserServers(folder func(Host) string, names ...string) func(Host) []ServerFile {
	return func(host Host) []ServerFile {
		return []ServerFile{{Paths: namedIn(folder(host), names)}}
	}
}

func namedIn(folder string, names []string) []string {
	return lists.Map(names, func(name string) string { return filepath.Join(folder, filepath.FromSlash(name)) })
}

// HomeFolder returns a function for the folder in an environment variable, or, if the
// variable is empty, for a folder below the home folder.
func HomeFolder(variable string, below ...string) func(Host) string {
	return func(host Host) string {
		if folder := host.Getenv(variable); variable != "" && folder != "" {
			return folder
		}
		return filepath.Join(append([]string{host.Home}, below...)...)
	}
}

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

// IsUsed reports whether the agent is used on this machine: a root or a settings folder
// exists. roots are those of flags, as in [Reader.Places].
func (r *Reader) IsUsed(host Host, roots []string) bool {
	return slices.ContainsFunc(r.Places(host, roots), func(p Place) bool { return isFolder(p.Path) }) ||
		r.Settings != nil && slices.ContainsFunc(r.Settings(host), isFolder)
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
