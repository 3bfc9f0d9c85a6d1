package qwen

import (
	"strings"

	"hindsql/readers"
)

// servers follows `qwen mcp add` and `remove` of 0.15.10, as run (package
// @qwen-code/qwen-code of npm). Arguments that begin with -- need a -- after the program.
// settings.json of the user and of a repository:
// https://qwenlm.github.io/qwen-code-docs/en/users/features/mcp/.
var servers = readers.Servers{
	Add:      strings.Fields("qwen mcp add --scope user NAME PROGRAM -- ARGS"),
	Remove:   strings.Fields("qwen mcp remove --scope user NAME"),
	Replaces: true,
	User:     readers.UserServers(home, "settings.json"),
	Project:  []string{".qwen/settings.json"},
	Key:      []string{"mcpServers"},
	Entry:    `{"command": PROGRAM, "args": ARGS}`,
}
