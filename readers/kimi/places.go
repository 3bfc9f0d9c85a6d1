package kimi

import (
	"path/filepath"

	"hindsql/readers"
)

// home returns Kimi Code's folder, on every operating system (FORMAT.md §1).
func home(host readers.Host) string { return readers.HomeFolder("KIMI_CODE_HOME", ".kimi-code")(host) }

func skills(host readers.Host) string { return filepath.Join(home(host), "skills") }

// servers describes mcp.json in Kimi Code's folder and in a repository. The program has
// no command that adds a server (MoonshotAI/kimi-code, docs/en/customization/mcp.md at
// d723cc47; package @moonshot-ai/kimi-code 2.1.0 of npm has no command mcp).
var servers = readers.Servers{
	User:        readers.UserServers(home, "mcp.json"),
	Project:     []string{".kimi-code/mcp.json"},
	Key:         []string{"mcpServers"},
	Entry:       `{"command": PROGRAM, "args": ARGS}`,
	ProjectNote: "it counts where the folder is trusted",
}
