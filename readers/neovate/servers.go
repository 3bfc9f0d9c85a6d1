package neovate

import "hindsql/readers"

// servers are those of ~/.neovate/config.json and a repository's, read as strict JSON
// (neovateai/neovate-code, src/config.ts, ConfigManager). Its command
// `neovate mcp add` is not called: setConfig of 0.17 merges lists by joining
// them, so that arguments of servers that were there are doubled.
var servers = readers.Servers{
	User:    readers.UserServers(readers.HomeFolder("", ".neovate"), "config.json"),
	Project: []string{".neovate/config.json"},
	Key:     []string{"mcpServers"},
	Entry:   `{"type": "stdio", "command": PROGRAM, "args": ARGS}`,
}
