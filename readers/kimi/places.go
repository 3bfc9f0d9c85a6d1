package kimi

import (
	"path/filepath"

	"hindsql/readers"
)

// home returns Kimi Code's folder, on every operating system (FORMAT.md §1).
func home(host readers.Host) string { return readers.HomeFolder("KIMI_CODE_HOME", ".kimi-code")(host) }

func skills(host readers.Host) string { return filepath.Join(home(host), "skills") }

// servers describes mcp.json in Kimi Code's folder and in a repository. The program has
// no command that adds a server without a question (MoonshotAI/kimi-code,
// docs/en/customization/mcp.md at d723cc47).
var servers = readers.Servers{
	User:        readers.UserServers(home, "mcp.json"),
	Project:     []string{".kimi-code/mcp.json"},
	Key:         []string{"mcpServers"},
	Entry:       `{"command": PROGRAM, "args": ARGS}`,
	ProjectNote: "it counts where the folder is trusted",
}
