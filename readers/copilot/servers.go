package copilot

import (
	"strings"

	"hindsql/readers"
)

// servers follows `copilot mcp add`, `remove` and `list` of 1.0.102, run with and
// without $COPILOT_HOME (package @github/copilot of npm). Adding an existing name ends
// with 1. `add` writes entries of type "local" and drops comments; entries of type
// "stdio" are read alike. A repository's .mcp.json counts only in a trusted folder
// (github/copilot-cli, issue 4542).
var servers = readers.Servers{
	Add:         strings.Fields("copilot mcp add NAME -- LINE"),
	Remove:      strings.Fields("copilot mcp remove NAME"),
	User:        readers.UserServers(readers.HomeFolder("COPILOT_HOME", ".copilot"), "mcp-config.json"),
	Project:     []string{".mcp.json", ".github/mcp.json"},
	Key:         []string{"mcpServers"},
	Entry:       `{"type": "stdio", "command": PROGRAM, "args": ARGS}`,
	ProjectNote: "it counts where the folder is trusted",
}
