package readers

import "path/filepath"

// Servers declares how an agent is told of MCP servers that it may start. In
// command lines and entries, NAME stands for the server's name, PROGRAM for the
// path of its program, ARGS for the program's arguments, LINE for both of them. All
// is empty for an agent of which nothing is known.
type Servers struct {
	None string // for people: why the agent can't be told of any; empty where it can

	// Add is the agent's own command line that registers a server for its user, and
	// Remove the one that takes it back; nil where it has none that asks nothing.
	// ENTRY is the entry as JSON.
	Add, Remove []string
	Replaces    bool // Add takes the place of an entry of the same name; else Remove has to come before

	User    func(Host) []ServerFile // the user's settings that list servers
	Project []string                // those of a repository, slash-separated below its root: alternatives, as of a ServerFile
	Key     []string                // where in the file the servers are, by name
	Entry   string                  // an entry, as JSON; a file named *.toml has the same in TOML

	// Note and ProjectNote tell people what to know beside that sessions which begin
	// from then on start the server; empty for nothing.
	Note, ProjectNote string
}

// ServerFile is a user's settings file that lists MCP servers, in JSON with or
// without comments, or in TOML.
type ServerFile struct {
	// Paths are the file's absolute path, or those of several that the agent reads
	// together: the first is the one to make where none is there.
	Paths []string
	// ReadOnly says that a running agent writes the file all the time, or in a way
	// that others can't: it is looked at, and left to the agent's own command.
	ReadOnly bool
}

// UserServers gives one settings file in a folder, by its names.
func UserServers(folder func(Host) string, names ...string) func(Host) []ServerFile {
	return func(host Host) []ServerFile {
		return []ServerFile{{Paths: namedIn(folder(host), names)}}
	}
}

func namedIn(folder string, names []string) []string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = filepath.Join(folder, filepath.FromSlash(name))
	}
	return list
}

// HomeFolder gives the folder that a variable names, else one below the home
// folder.
func HomeFolder(variable string, below ...string) func(Host) string {
	return func(host Host) string {
		if folder := host.Getenv(variable); variable != "" && folder != "" {
			return folder
		}
		return filepath.Join(append([]string{host.Home}, below...)...)
	}
}
