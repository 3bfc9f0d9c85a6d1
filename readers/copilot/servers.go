package copilot

import (
	"strings"

	"hindsql/readers"
)

// servers: `copilot mcp add`, `remove` and `list` of 1.0.102 were run (package
// @github/copilot of npm), with $COPILOT_HOME too. Adding a name that is there
// ends with 1; the entries that it writes have the type "local" and its rewriting
// drops comments, those of type "stdio" are read alike. A repository's .mcp.json counts
// where the folder is trusted (github/copilot-cli, issue 4542).
var servers = readers.Servers{
	Add:         strings.Fields("copilot mcp add NAME -- LINE"),
	Remove:      strings.Fields("copilot mcp remove NAME"),
	User:        readers.UserServers(readers.HomeFolder("COPILOT_HOME", ".copilot"), "mcp-config.json"),
	Project:     []string{".mcp.json", ".github/mcp.json"},
	Key:         []string{"mcpServers"},
	Entry:       `{"type": "stdio", "command": PROGRAM, "args": ARGS}`,
	ProjectNote: "it counts where the folder is trusted",
}
