package qwen

import "hindsql/readers"

// servers describes settings.json of the user and of a repository
// (https://qwenlm.github.io/qwen-code-docs/en/users/features/mcp/). hindsql doesn't call
// `qwen mcp add`, which was not tried.
var servers = readers.Servers{
	User:    readers.UserServers(home, "settings.json"),
	Project: []string{".qwen/settings.json"},
	Key:     []string{"mcpServers"},
	Entry:   `{"command": PROGRAM, "args": ARGS}`,
}
