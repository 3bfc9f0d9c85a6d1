package neovate

import "hindsql/readers"

// servers describes ~/.neovate/config.json and a repository's .neovate/config.json,
// read as strict JSON (neovateai/neovate-code, src/config.ts, ConfigManager). hindsql
// doesn't call `neovate mcp add`: setConfig of 0.17 merges lists by joining them, which
// doubles the arguments of existing servers.
var servers = readers.Servers{
	User:    readers.UserServers(readers.HomeFolder("", ".neovate"), "config.json"),
	Project: []string{".neovate/config.json"},
	Key:     []string{"mcpServers"},
	Entry:   `{"type": "stdio", "command": PROGRAM, "args": ARGS}`,
}
